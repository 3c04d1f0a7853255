// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/lease_ends.h"

#include <algorithm>

#include "scenarios/run/foreign/lock_words.h"

namespace interlock::scenarios::drive {
namespace {

using Kind = HeldData::Kind;

/// How long after the time of its grant a lock may still be held.
constexpr std::int64_t kAgeOfStampMs = 120'000;

}  // namespace

void LeaseEnds::NotePurge(const sim::redis::Argv& argv, std::int64_t now_ms) {
  const auto purge = PurgeOf(argv, now_ms);
  if (!purge) return;
  // A clock that is ahead takes entries for younger, so the highest age counts.
  std::int64_t& age_ms = age_ms_[purge->key];
  age_ms = std::max(age_ms, purge->age_ms);
}

LeaseEnd LeaseEnds::Of(const std::string& key, const HeldData& data, std::int64_t now_ms) const {
  LeaseEnd end{.end_ms = data.key_end_ms};
  if (data.kind == Kind::kOther) return end;
  if (data.key_end_ms && data.kind != Kind::kMember) return end;
  const auto time = TimeOf(data.value, now_ms);
  const auto to_come = TimeToComeIn(data.value, now_ms);
  std::optional<std::int64_t> end_ms;
  if (to_come) {
    end_ms = to_come->ms;
  } else if (time) {
    const auto age = age_ms_.find(key);
    end.stamped = age == age_ms_.end();
    end_ms = time->ms + (end.stamped ? kAgeOfStampMs : age->second);
  }
  if (!end_ms || (end.end_ms && *end.end_ms <= *end_ms)) return end;
  end.by_value = true;
  end.end_ms = end_ms;
  end.passed = *end_ms < now_ms;
  return end;
}

}  // namespace interlock::scenarios::drive
