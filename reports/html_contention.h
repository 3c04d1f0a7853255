// SPDX-License-Identifier: MIT
//
// A measurement of contention as one page of HTML, with the same guarantees as html_writer.h: the
// verdict and its gates first, then a table of all locks, percentile curves, throughput and waits
// over the numbers of clients, who had it when and who waited for whom, and every figure.
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

/// Several on one page, in the same charts: each lock says whether its time is virtual or wall.
std::string ToHtml(const std::vector<NamedMeasurement>& measurements);

}  // namespace interlock::reports
