// SPDX-License-Identifier: MIT
#include "reports/histogram.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace interlock::reports {
namespace {

constexpr int kExactBits = 11;

/// The greatest value counted together with this one.
std::int64_t Representative(std::int64_t value) {
  const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value)));
  if (bits <= kExactBits) return value;
  const std::int64_t below = (std::int64_t{1} << (bits - kExactBits)) - 1;
  return value | below;
}

}  // namespace

void Histogram::Add(std::int64_t value_ns, std::uint64_t count) {
  if (count == 0) return;
  const std::int64_t value = std::max<std::int64_t>(value_ns, 0);
  least_ = count_ == 0 ? value : std::min(least_, value);
  greatest_ = std::max(greatest_, value);
  counts_[Representative(value)] += count;
  count_ += count;
  sum_ += value * static_cast<std::int64_t>(count);
}

void Histogram::Merge(const Histogram& other) {
  if (other.count_ == 0) return;
  least_ = count_ == 0 ? other.least_ : std::min(least_, other.least_);
  greatest_ = std::max(greatest_, other.greatest_);
  for (const auto& [value, count] : other.counts_) counts_[value] += count;
  count_ += other.count_;
  sum_ += other.sum_;
}

std::int64_t Histogram::mean() const {
  return count_ == 0 ? 0 : sum_ / static_cast<std::int64_t>(count_);
}

std::int64_t Histogram::AtMillionth(std::uint32_t part) const {
  constexpr std::uint64_t kWhole = 1'000'000;
  // Rounded up, and in two steps, because the product of both may overflow.
  const std::uint64_t rank =
      count_ / kWhole * part + (count_ % kWhole * part + kWhole - 1) / kWhole;
  std::uint64_t seen = 0;
  for (const auto& [value, count] : counts_) {
    seen += count;
    if (seen >= std::max<std::uint64_t>(rank, 1)) return std::min(value, greatest_);
  }
  return 0;
}

std::optional<std::int64_t> Histogram::IfTelling(std::uint32_t part) const {
  constexpr std::uint64_t kWhole = 1'000'000;
  if (part >= kWhole ? count_ == 0 : count_ < kWhole / (kWhole - part)) return std::nullopt;
  return AtMillionth(part);
}

std::optional<Histogram> Histogram::Of(std::map<std::int64_t, std::uint64_t> counts,
                                       std::int64_t sum, std::int64_t least,
                                       std::int64_t greatest) {
  Histogram made;
  if (counts.empty())
    return sum == 0 && least == 0 && greatest == 0 ? std::optional(made) : std::nullopt;
  for (const auto& [value, count] : counts) {
    if (value < 0 || count == 0 || Representative(value) != value) return std::nullopt;
    made.count_ += count;
  }
  if (least < 0 || least > greatest || Representative(least) != counts.begin()->first ||
      Representative(greatest) != counts.rbegin()->first || sum < greatest) {
    return std::nullopt;
  }
  made.counts_ = std::move(counts);
  made.sum_ = sum;
  made.least_ = least;
  made.greatest_ = greatest;
  return made;
}

}  // namespace interlock::reports
