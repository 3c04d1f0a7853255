// SPDX-License-Identifier: MIT
//
// The figures of a measurement, by name: what tables show, gates hold against their thresholds, and
// a comparison sets side by side. Times are nanoseconds.
//
// Thread safety: pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/contention.h"

namespace interlock::reports {

enum class Unit : std::uint8_t { kNanoseconds, kCount, kRatio, kPerSecond };
enum class Better : std::uint8_t { kLess, kMore, kNeither };

struct Figure {
  std::string_view name;     ///< "wait_p99_ns"
  std::string_view meaning;  ///< "99 of 100 grants came within it"
  Unit unit = Unit::kCount;
  Better better = Better::kNeither;
  /// nullopt: it could not be measured, or too few values say anything.
  std::optional<double> (*of)(const ContentionPoint& point) = nullptr;
};

std::span<const Figure> Figures();
/// nullptr: there is none of that name.
const Figure* FindFigure(std::string_view name);

/// "12.3 ms", "1 234", "0.981"; "n/a" for what is not known.
std::string FigureText(const Figure& figure, std::optional<double> value);
/// Of the named figure at this point. REQUIRES: it is one of the known figures.
std::string FigureText(std::string_view name, const ContentionPoint& point);
/// 1234567 ns is "1.23 ms".
std::string DurationInWords(double ns);

/// How the throughput of one lock grows with its clients, by the universal scalability law:
/// X(n) = lambda n / (1 + sigma (n - 1) + kappa n (n - 1)); Gunther 1993.
struct Scalability {
  double lambda = 0;           ///< grants per second of one client
  double sigma = 0;            ///< the share that must wait for its turn
  double kappa = 0;            ///< what clients cost each other
  std::optional<double> knee;  ///< so many clients have the highest throughput; nullopt: none does
};

/// By least squares. nullopt: fewer than three numbers of clients, or no grants at one.
std::optional<Scalability> Fit(const std::vector<const ContentionPoint*>& of_one_lock);

/// The points of each lock, in the order of the report.
std::vector<std::vector<const ContentionPoint*>> ByLock(const ContentionReport& report);

}  // namespace interlock::reports
