// SPDX-License-Identifier: MIT
#include "sim/redis/slot_migrations.h"

#include <algorithm>
#include <span>

#include "sim/redis/engine.h"
#include "sim/redis/rdb/payload.h"

namespace interlock::sim::redis {

using State = SlotMigration::State;

namespace {

constexpr std::string_view kLostSource =
    "Connection lost to source. Check CLUSTER GETSLOTMIGRATIONS on the source node for more "
    "information.";
constexpr std::string_view kLostTarget =
    "Connection lost to target. Check CLUSTER GETSLOTMIGRATIONS on the target node for more "
    "information.";
constexpr std::string_view kUnpaused =
    "Unpaused before migration completed (migration may have succeeded with lost writes)";

/// Whether all of its slots are its target's, as this view has it.
bool IsClaimed(const ClusterView& view, const SlotMigration& one) {
  for (const SlotRange& range : one.ranges) {
    for (std::size_t slot = range.first; slot <= range.last; ++slot) {
      const std::int16_t owner = view.owner[slot];
      if (owner == kNoNode) return false;
      if (view.nodes[static_cast<std::size_t>(owner)].id != one.target) return false;
    }
  }
  return true;
}

}  // namespace

bool SlotMigration::IsClaimable() const {
  return state == State::kFailoverGranted || message == kUnpaused;
}

bool SlotMigration::Covers(std::size_t slot) const {
  return std::ranges::any_of(
      ranges, [slot](const SlotRange& range) { return range.first <= slot && slot <= range.last; });
}

std::string_view ToString(State state) {
  switch (state) {
    case State::kConnecting:
      return "connecting";
    case State::kSnapshotting:
      return "snapshotting";
    case State::kReceivingSnapshot:
      return "receiving-snapshot";
    case State::kWaitingToPause:
      return "waiting-to-pause";
    case State::kWaitingForPaused:
      return "waiting-for-paused";
    case State::kFailoverGranted:
      return "failover-granted";
    case State::kSuccess:
      return "success";
    case State::kFailed:
      return "failed";
    case State::kCancelled:
      return "cancelled";
  }
  return "?";
}

std::string ToText(const std::vector<SlotRange>& ranges) {
  std::string text;
  for (const SlotRange& range : ranges) {
    if (!text.empty()) text += ' ';
    text += std::to_string(range.first) + "-" + std::to_string(range.last);
  }
  return text;
}

SlotMigration* SlotMigrations::Find(std::string_view name) {
  const auto found = std::ranges::find(all_, name, &SlotMigration::name);
  return found == all_.end() ? nullptr : &*found;
}

bool SlotMigrations::Exports(std::size_t slot) const {
  return std::ranges::any_of(all_, [slot](const SlotMigration& one) {
    return one.exports && !one.IsOver() && one.Covers(slot);
  });
}

bool SlotMigrations::AnyRuns(bool exports) const {
  return std::ranges::any_of(all_, [exports](const SlotMigration& one) {
    return one.exports == exports && !one.IsOver();
  });
}

void SlotMigrations::Export(std::vector<SlotRange> ranges, std::string source, std::string target) {
  const std::string number = std::to_string(engine_.identity) + "c" + std::to_string(++made_);
  SlotMigration& one = all_.emplace_front();
  one.name = std::string(40 - number.size(), 'd') + number;
  one.exports = true;
  one.ranges = std::move(ranges);
  one.source = std::move(source);
  one.target = std::move(target);
  one.created_s = one.updated_s = engine_.now_ms() / 1000;
}

void SlotMigrations::Advance(SlotMigration& one, SlotMigrations& target) {
  if (one.state == State::kFailoverGranted) return;
  if (one.state == State::kConnecting) {
    target.Import(one);
    return Enter(one, State::kSnapshotting);
  }
  SlotMigration* const theirs = target.Find(one.name);
  if (theirs == nullptr || theirs->IsOver()) return LoseTouch(one);
  if (one.state == State::kSnapshotting) {
    Enter(one, State::kWaitingToPause);
    return target.Enter(*theirs, State::kWaitingForPaused);
  }
  theirs->keys = PauseAndCopy(one);
  target.Enter(*theirs, State::kFailoverGranted);
}

void SlotMigrations::LetPauseRunOut(SlotMigration& one) { End(one, State::kFailed, kUnpaused); }

void SlotMigrations::LoseTouch(SlotMigration& one) {
  End(one, State::kFailed, one.exports ? kLostTarget : kLostSource);
}

void SlotMigrations::Claim(SlotMigration& one, ClusterView& view) {
  const std::size_t myself = engine_.cluster.view().myself;
  for (const SlotRange& range : one.ranges) {
    view.owner.SetRange(range.first, range.last, static_cast<std::int16_t>(myself));
  }
  view.nodes[myself].config_epoch = ++view.current_epoch;
  TakeKeys(one);
  End(one, State::kSuccess);
}

void SlotMigrations::Import(const SlotMigration& theirs) {
  SlotMigration& one = all_.emplace_front(theirs);
  one.exports = false;
  one.created_s = engine_.now_ms() / 1000;
  Enter(one, State::kReceivingSnapshot);
}

void SlotMigrations::Enter(SlotMigration& one, State state) {
  one.state = state;
  one.updated_s = engine_.now_ms() / 1000;
}

void SlotMigrations::End(SlotMigration& one, State state, std::string_view message) {
  Enter(one, state);
  one.message = message;
  one.keys.clear();
  if (!one.exports || engine_.pause.DeadlineMs() != one.pause_ends_ms) return;
  const bool others = std::ranges::any_of(all_, [&](const SlotMigration& other) {
    return !other.IsOver() && other.pause_ends_ms == one.pause_ends_ms;
  });
  if (!others) engine_.pause.End();
}

bool SlotMigrations::CancelAll() {
  if (!AnyRuns(true)) return false;
  for (SlotMigration& one : all_) {
    if (one.exports && !one.IsOver()) End(one, State::kCancelled);
  }
  return true;
}

void SlotMigrations::OnFlush() {
  for (SlotMigration& one : all_) {
    if (!one.IsOver()) End(one, State::kFailed, "Data was flushed");
  }
}

// A node that has lost its last slot may be a replica of the target by now, with the keys of that.
void SlotMigrations::OnView() {
  const bool is_master = engine_.cluster.myself().master_id.empty();
  for (SlotMigration& one : all_) {
    if (!one.exports || !IsClaimed(engine_.cluster.view(), one)) continue;
    if (is_master) DropKeys(one);
    if (!one.IsOver()) End(one, State::kSuccess);
  }
}

void SlotMigrations::RunTimers() {
  for (SlotMigration& one : all_) {
    if (one.exports && one.state == State::kFailoverGranted &&
        one.pause_ends_ms <= engine_.now_ms()) {
      LetPauseRunOut(one);
    }
  }
}

std::vector<std::pair<std::string, Entry>> SlotMigrations::PauseAndCopy(SlotMigration& one) {
  one.pause_ends_ms = engine_.now_ms() + kPauseMs;
  engine_.pause.Begin(Pause::Scope::kWrites, one.pause_ends_ms, "slot_migration_in_progress");
  Enter(one, State::kFailoverGranted);
  std::vector<std::pair<std::string, Entry>> keys;
  for (const auto& [key, entry] : engine_.keyspace.keys(0)) {
    if (one.Covers(KeySlot(key)) && !entry.IsExpiredAt(engine_.now_ms())) {
      keys.emplace_back(key, entry);
    }
  }
  return keys;
}

void SlotMigrations::TakeKeys(const SlotMigration& one) {
  for (const auto& [key, entry] : one.keys) {
    if (entry.IsExpiredAt(engine_.now_ms())) continue;
    const bool lasts = entry.expires_at_ms == kNoExpiry;
    const std::string end = lasts ? "0" : std::to_string(entry.expires_at_ms);
    const std::string payload = WritePayload(entry.data, engine_.dialect());
    engine_.keyspace.Remove(0, key);
    engine_.keyspace.Add(0, key, Data(entry.data), entry.expires_at_ms);
    Tell({"RESTORE", key, end, payload, "REPLACE", "ABSTTL"});
  }
}

void SlotMigrations::DropKeys(const SlotMigration& one) {
  std::vector<std::string> keys;
  for (const auto& [key, entry] : engine_.keyspace.keys(0)) {
    if (one.Covers(KeySlot(key))) keys.push_back(key);
  }
  for (const std::string& key : keys) {
    engine_.keyspace.Remove(0, key);
    Tell({"DEL", key});
  }
}

void SlotMigrations::Tell(std::initializer_list<std::string_view> effect) {
  engine_.journal.Add(0, std::span(effect.begin(), effect.size()));
  engine_.journal.EndUnit();
}

}  // namespace interlock::sim::redis
