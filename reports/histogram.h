// SPDX-License-Identifier: MIT
//
// Counts of durations. Percentiles are never averaged: those of several parts are read from the
// merged counts.
//
// Values are non-negative nanoseconds. Below 2,048 each value has a count of its own; above, two
// values share a count if their first 11 bits agree, so a value read back is at most 0.1 % too high
// (the layout of HdrHistogram, by Gil Tene). Sum, least and greatest are exact. Only integers are
// used, so equal input gives equal output everywhere. Thread safety: as any std container.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace interlock::reports {

class Histogram {
 public:
  /// A negative value counts as 0.
  void Add(std::int64_t value_ns) { Add(value_ns, 1); }
  void Add(std::int64_t value_ns, std::uint64_t count);
  void Merge(const Histogram& other);

  std::uint64_t count() const { return count_; }
  std::int64_t sum() const { return sum_; }
  std::int64_t least() const { return count_ == 0 ? 0 : least_; }
  std::int64_t greatest() const { return count_ == 0 ? 0 : greatest_; }
  /// Rounded down; 0 if there are no values.
  std::int64_t mean() const;

  /// The least value that at least `part` millionths of the values do not exceed. REQUIRES: `part`
  /// is in (0, 1'000'000].
  std::int64_t AtMillionth(std::uint32_t part) const;
  /// The same, or nullopt if there are too few values for it to mean anything: at least one must
  /// lie above (p99.9 needs 1,000).
  std::optional<std::int64_t> IfTelling(std::uint32_t part) const;

  /// Maps the greatest value that shares a count to that count.
  const std::map<std::int64_t, std::uint64_t>& counts() const { return counts_; }

  /// Restores a stored histogram. nullopt: the counts cannot have these extremes or this sum.
  static std::optional<Histogram> Of(std::map<std::int64_t, std::uint64_t> counts, std::int64_t sum,
                                     std::int64_t least, std::int64_t greatest);

  bool operator==(const Histogram&) const = default;

 private:
  std::map<std::int64_t, std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  std::int64_t sum_ = 0;
  std::int64_t least_ = 0;
  std::int64_t greatest_ = 0;
};

}  // namespace interlock::reports
