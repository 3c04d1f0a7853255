// SPDX-License-Identifier: MIT
//
// The figures of a measurement, by name: tables show them, gates compare them with thresholds, and
// a comparison sets those of two measurements side by side. Times are nanoseconds.
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
  /// nullopt: it could not be measured, or there are too few values to say anything.
  std::optional<double> (*of)(const ContentionPoint& point) = nullptr;
};

std::span<const Figure> Figures();
/// nullptr: no figure has that name.
const Figure* FindFigure(std::string_view name);

/// "12.3 ms", "1 234", "0.981"; "n/a" if the value is not known.
std::string FigureText(const Figure& figure, std::optional<double> value);
/// The text of the named figure at this point. REQUIRES: it is one of Figures().
std::string FigureText(std::string_view name, const ContentionPoint& point);
/// 1234567 ns is "1.23 ms".
std::string DurationInWords(double ns);

/// How the throughput of one lock grows with its clients, by the universal scalability law:
/// X(n) = lambda n / (1 + sigma (n - 1) + kappa n (n - 1)); Gunther 1993.
struct Scalability {
  double lambda = 0;  ///< grants per second of one client
  double sigma = 0;   ///< the share of the work that must wait its turn
  double kappa = 0;   ///< the cost that clients impose on each other
  /// Number of clients with the highest throughput; nullopt: there is none.
  std::optional<double> knee;
};

/// Fits the law by least squares. nullopt: there are fewer than three numbers of clients, or one
/// without grants.
std::optional<Scalability> Fit(const std::vector<const ContentionPoint*>& of_one_lock);

/// The points of each lock, in the order of the report.
std::vector<std::vector<const ContentionPoint*>> ByLock(const ContentionReport& report);

}  // namespace interlock::reports
