// SPDX-License-Identifier: MIT
#include "reports/hgrm_writer.h"

#include <cmath>
#include <cstdint>

#include <fmt/format.h>

namespace interlock::reports {
namespace {

constexpr double kNsPerMs = 1e6;
constexpr double kTicksPerHalfDistance = 5;

double StandardDeviation(const Histogram& histogram) {
  if (histogram.count() == 0) return 0;
  const double count = static_cast<double>(histogram.count());
  const double mean = static_cast<double>(histogram.sum()) / count;
  double squares = 0;
  for (const auto& [value, of_it] : histogram.counts()) {
    const double apart = static_cast<double>(value) - mean;
    squares += apart * apart * static_cast<double>(of_it);
  }
  return std::sqrt(squares / count);
}

}  // namespace

std::string ToHgrm(const Histogram& histogram) {
  std::string out = fmt::format("{:>12} {:>14} {:>10} {:>14}\n\n", "Value", "Percentile",
                                "TotalCount", "1/(1-Percentile)");
  const double total = static_cast<double>(histogram.count());
  double wanted = 0;
  std::uint64_t seen = 0;
  for (const auto& [value, count] : histogram.counts()) {
    seen += count;
    const double share = static_cast<double>(seen) / total;
    const double ms = static_cast<double>(value) / kNsPerMs;
    if (seen == histogram.count()) {
      out += fmt::format("{:12.3f} {:2.12f} {:10}\n", ms, 1.0, seen);
      break;
    }
    while (wanted <= share) {
      out += fmt::format("{:12.3f} {:2.12f} {:10} {:14.2f}\n", ms, wanted, seen, 1 / (1 - wanted));
      const double halvings = std::floor(std::log2(1 / (1 - wanted))) + 1;
      wanted += 1 / (kTicksPerHalfDistance * std::exp2(halvings));
    }
  }
  const double mean = total == 0 ? 0 : static_cast<double>(histogram.sum()) / total;
  out += fmt::format("#[Mean    = {:12.3f}, StdDeviation   = {:12.3f}]\n", mean / kNsPerMs,
                     StandardDeviation(histogram) / kNsPerMs);
  out += fmt::format("#[Max     = {:12.3f}, Total count    = {:12}]\n",
                     static_cast<double>(histogram.greatest()) / kNsPerMs, histogram.count());
  return out + fmt::format("#[Buckets = {:12}, SubBuckets     = {:12}]\n", 54, 2048);
}

}  // namespace interlock::reports
