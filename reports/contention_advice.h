// SPDX-License-Identifier: MIT
//
// What to do about a threshold that is crossed: from the point's other figures, what they speak
// for. A hint, and no verdict. Thread safety: pure function.
#pragma once

#include <string>

#include "reports/contention_figures.h"

namespace interlock::reports {

/// One sentence; empty: the figures speak for nothing in particular.
std::string AdviceOn(const Figure& figure, const ContentionPoint& point);

}  // namespace interlock::reports
