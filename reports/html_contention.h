// SPDX-License-Identifier: MIT
//
// A contention measurement as one HTML page, with the same guarantees as html_writer.h: the verdict
// and its gates first, then a table of all locks, percentile curves, throughput and waits by number
// of clients, the owners over time, which clients waited for which, and every figure.
//
// Thread safety: pure function.
#pragma once

#include <string>
#include <vector>

#include "reports/contention.h"

namespace interlock::reports {

std::string ToHtml(const ContentionReport& report);

struct NamedMeasurement {
  std::string name;
  const ContentionReport* report = nullptr;
};

/// Several measurements on one page, in the same charts; each lock says whether its time is virtual
/// or wall time.
std::string ToHtml(const std::vector<NamedMeasurement>& measurements);

}  // namespace interlock::reports
