// SPDX-License-Identifier: MIT
//
// Advice on a crossed threshold, derived from the point's other figures. It is a hint and not a
// verdict. Thread safety: pure function.
#pragma once

#include <string>

#include "reports/contention_figures.h"

namespace interlock::reports {

/// One sentence; empty: the figures suggest nothing in particular.
std::string AdviceOn(const Figure& figure, const ContentionPoint& point);

}  // namespace interlock::reports
