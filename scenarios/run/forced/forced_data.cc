// SPDX-License-Identifier: MIT
#include "scenarios/run/forced/forced_data.h"

#include <algorithm>
#include <chrono>

namespace interlock::scenarios::real {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// Time added to a real key when less than half of this is left.
constexpr std::int64_t kGraceMs = 500;

std::int64_t NowMs(Duration now) { return RealPace::SimulatedUs(now) / 1'000; }

Unlike Differing(const std::string& key, const DataEntry* simulated, const DataEntry* real) {
  return {"data of " + key, simulated != nullptr ? ToText(*simulated) : "absent",
          real != nullptr ? ToText(*real) : "absent"};
}

bool SameWords(const DataEntry& simulated, const DataEntry& real, Alike& alike) {
  return std::ranges::equal(
      simulated.words, real.words,
      [&alike](const std::string& a, const std::string& b) { return alike.Texts(a, b); });
}

}  // namespace

std::vector<std::int64_t> ForcedData::LeftOf(Duration now) const {
  std::vector<std::int64_t> left_ms;
  for (const auto& [key, end_ms] : ends_) left_ms.push_back(end_ms - NowMs(now));
  return left_ms;
}

std::optional<Unlike> ForcedData::AwaitEnds(sim::machine::Admin& admin, RealPace& pace,
                                            Duration now) {
  std::optional<Unlike> found;
  // Each end is awaited once, because a key of that name may be another one later.
  std::erase_if(ends_, [&](const auto& end) {
    if (end.second >= NowMs(now)) return false;
    (void)admin.Call({"PEXPIRE", end.first, "1"});
    const bool gone = pace.Until([&] {
      const Result<Reply> exists = admin.Call({"EXISTS", end.first});
      return !exists.ok() || exists->integer == 0;
    });
    if (!gone && !found) found = {"data of " + end.first, "expired", "still there"};
    return true;
  });
  pace.NoteLate(now);
  return found;
}

void ForcedData::NoteEnds(const Dataset& simulated, std::int64_t now_ms) {
  ends_.clear();
  for (const auto& [key, entry] : simulated) {
    if (entry.left_ms) ends_.emplace_back(key, now_ms + *entry.left_ms);
  }
}

std::optional<Unlike> ForcedData::Compare(const sim::redis::Server& server, int database,
                                          bool watches, sim::machine::Admin& admin, Alike& alike,
                                          const RealPace& pace, Duration now) {
  const std::int64_t now_ms = NowMs(now);
  const Dataset simulated = DataOf(server, database, now_ms);
  const Result<Dataset> real = DataOf(admin);
  if (!real.ok()) return Unlike{"data", "", real.status().message()};
  NoteEnds(simulated, now_ms);
  alike.SetLeft(LeftOf(now));
  // Scripts derive ends of keys from those of other keys.
  std::erase_if(prolonged_, [now_ms](const auto& one) { return one.second < now_ms; });
  const std::int64_t most = (prolonged_.empty() ? Alike::kLittleUs : Alike::kMoreLeftUs) / 1'000;
  const Duration late = pace.Late(now);
  const std::int64_t least =
      -(late - settled_late_ + Alike::kToleranceUs * microseconds(1)) / milliseconds(1);
  settled_late_ = late;
  for (const auto& [key, entry] : simulated) {
    made_.insert(key);
    const auto found = real->find(key);
    if (found == real->end()) return Differing(key, &entry, nullptr);
    const DataEntry& other = found->second;
    const std::int64_t more = other.left_ms.value_or(0) - entry.left_ms.value_or(0);
    const bool ends =
        entry.left_ms.has_value() == other.left_ms.has_value() && more >= least && more <= most;
    if (!SameWords(entry, other, alike) || !ends) return Differing(key, &entry, &other);
    if (!entry.left_ms || *other.left_ms >= *entry.left_ms + kGraceMs / 2) continue;
    prolonged_[key] = now_ms + *entry.left_ms;
    if (!watches) {
      (void)admin.Call({"PEXPIRE", key, std::to_string(*entry.left_ms + kGraceMs)});
    }
  }
  for (const auto& [key, entry] : *real) {
    if (!simulated.contains(key)) return Differing(key, nullptr, &entry);
  }
  return std::nullopt;
}

void ForcedData::NoteInStep(const ForcedData& primary) {
  ends_in_step_ = primary.ends_;
  prolonged_in_step_ = primary.prolonged_;
}

void ForcedData::Promote() {
  ends_ = std::move(ends_in_step_);
  prolonged_ = std::move(prolonged_in_step_);
}

}  // namespace interlock::scenarios::real
