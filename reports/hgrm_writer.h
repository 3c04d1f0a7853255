// SPDX-License-Identifier: MIT
//
// A histogram as the percentile distribution that HdrHistogram prints and its plotter reads (.hgrm,
// by Gil Tene): milliseconds with three decimals, five lines for each halving of the distance to
// 100 %, then a footer of comments. Thread safety: pure function.
#pragma once

#include <string>

#include "reports/histogram.h"

namespace interlock::reports {

std::string ToHgrm(const Histogram& histogram);

}  // namespace interlock::reports
