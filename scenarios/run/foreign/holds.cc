// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/holds.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "scenarios/log/words.h"
#include "scenarios/run/foreign/lock_words.h"
#include "sim/redis/text.h"

namespace interlock::scenarios::drive {
namespace {

constexpr std::int64_t kSecondMs = 1'000;
/// An end that waiters put off this number of times never comes.
constexpr int kKeptAlive = 20;

using sim::redis::Argv;
using Kind = HeldData::Kind;

}  // namespace

Holds::Holds(int clients, std::string pattern, std::int64_t clocks_apart_ms, Findings& findings)
    : pattern_(std::move(pattern)),
      clocks_apart_ms_(clocks_apart_ms),
      findings_(findings),
      alive_(static_cast<std::size_t>(clients), true),
      killed_(static_cast<std::size_t>(clients), false),
      excuses_(clients) {}

bool Holds::IsLock(const std::string& key) const {
  return pattern_.empty() ? asked_.contains(key) : sim::redis::GlobMatch(pattern_, key);
}

void Holds::Find(std::string_view slug, const HeldId& id, const Hold& hold, std::string_view did,
                 const Command& command) {
  const std::string key =
      hold.data.kind == Kind::kField ? fmt::format("{} in {}", id.part, id.key) : id.key;
  findings_.push_back({std::string(slug),
                       fmt::format("{} {} {}, which {} held, by {}", ClientName(command.client),
                                   did, key, ClientName(hold.owner), command.text),
                       0, pattern_.empty() ? id.key : ""});
}

std::vector<KeyDetails> Holds::Expired(int node, const HeldMap& data, std::int64_t now_ms) {
  std::vector<KeyDetails> ended;
  std::set<std::string> keys;
  for (auto one = holds_.begin(); one != holds_.end();) {
    const HeldId& id = one->first;
    Hold& hold = one->second;
    const bool gone = id.node == node && !data.contains(id);
    if (gone) {
      if (!hold.passed) Lapsed(id, hold, now_ms);
      asked_.Free(id.key);
      if (keys.insert(id.key).second) ended.push_back({id.key});
    } else if (id.node == node && !hold.passed && hold.end_ms && *hold.end_ms < now_ms) {
      hold.passed = true;
      Lapsed(id, hold, now_ms);
      if (IsLock(id.key) && !hold.stamped) {
        ended.push_back({.key = id.key, .by_value = true});
      }
    }
    one = gone ? holds_.erase(one) : std::next(one);
  }
  return ended;
}

void Holds::NoteChange(HoldChange::Kind kind, const HeldId& id, const Hold& hold, bool by_owner) {
  const bool held = hold.data.kind == Kind::kString || hold.data.kind == Kind::kField;
  if (!held || !IsLock(id.key)) return;
  changes_.push_back({kind,
                      {id.node, id.database, id.key},
                      hold.owner,
                      hold.data.key_end_ms,
                      by_owner,
                      by_force_ || hold.has_waited_long()});
}

void Holds::Lapsed(const HeldId& id, const Hold& hold, std::int64_t now_ms) {
  if (!hold.stamped) NoteChange(HoldChange::Kind::kExpired, id, hold);
  if (hold.left && IsLock(id.key)) left_.emplace(id.key, hold.owner);
  const bool by_fault = by_force_ || hold.delayed;
  if (!by_fault && hold.end_ms.value_or(now_ms) >= now_ms) return;  // A server has lost it.
  excuses_.Lapsed(hold.owner, id, by_fault ? Excuses::kForGood : hold.own_end_us());
}

void Holds::Granted(const HeldId& id, const Hold& hold) {
  excuses_.Granted(hold.owner, id);
  if (!IsLock(id.key) || hold.data.kind == Kind::kOther) return;
  NoteChange(HoldChange::Kind::kGranted, id, hold);
  asked_.Grant(id.key, hold.owner);
  owners_[id.key].insert(hold.owner);
  ++grants_;
}

/// A script or transaction that finds a key absent and creates it asks for it; one that finds a
/// lock there is refused, unless the lock is its own.
void Holds::NoteLooked(int client, int node, const std::string& key,
                       std::set<std::string>& absent) {
  bool there = false;
  bool mine = false;
  for (const auto& [id, hold] : holds_) {
    if (id.node != node || id.key != key) continue;
    there = true;
    mine = mine || hold.owner == client;
  }
  if (!there) absent.insert(key);
  if (there && !mine && asked_.contains(key)) {
    asked_.Ask(key, client, true);
    met_.insert(key);
  }
}

void Holds::NoteAsked(int client, int node, const std::vector<Argv>& effects, std::int64_t now_ms) {
  std::set<std::string> absent;
  for (const Argv& effect : effects) {
    if (const auto key = AskedFor(effect)) {
      const bool there = std::ranges::any_of(holds_, [&](const auto& one) {
        return one.first.node == node && one.first.key == *key && !absent.contains(*key);
      });
      asked_.Ask(*key, client, there);
      if (there) met_.insert(*key);
    }
    ends_.NotePurge(effect, now_ms);
    if (const auto key = LookedAt(effect)) NoteLooked(client, node, *key, absent);
    const auto key = Created(effect);
    if (key && absent.contains(*key)) asked_.Ask(*key, client, false);
  }
}

int Holds::OwnerOf(const HeldId& id, const HeldData& data, const Command& command) const {
  const bool asks = std::ranges::any_of(command.effects,
                                        [&](const Argv& one) { return AskedFor(one) == id.key; });
  for (const std::string* word : {&id.part, &data.value}) {
    // Who asks with a word of its own gets the lock, even if others have sent the same word: the
    // time, for instance. A short word, such as "1", may be everybody's.
    if (asks && std::ranges::count(command.argv, *word) > 0) return command.client;
    if (const auto sender = sent_.SenderOf(*word)) return *sender;
  }
  return command.client;
}

void Holds::SetEnd(const HeldId& id, std::int64_t now_ms, Hold& hold) const {
  static_cast<LeaseEnd&>(hold) = ends_.Of(id.key, hold.data, now_ms);
  hold.since_ms = now_ms;
  hold.waited_us = 0;
}

/// Whether the command has met what another client, still alive, holds.
bool Holds::IsJudged(const HeldId& id, const Hold& hold, const Command& command) const {
  const bool judged = hold.data.kind == Kind::kString || hold.data.kind == Kind::kField;
  if (!judged || !IsLock(id.key)) return false;
  if (hold.owner == command.client || !alive_[static_cast<std::size_t>(hold.owner)]) return false;
  if (!hold.by_value) return true;
  const auto time = TimeOf(hold.data.value, command.now_ms);
  const std::int64_t coarse_ms = time && time->whole_seconds ? kSecondMs : 0;
  return !hold.stamped && *hold.end_ms > command.now_ms + clocks_apart_ms_ + coarse_ms;
}

void Holds::Gone(const HeldId& id, const Hold& hold, const Command& command) {
  if (IsJudged(id, hold, command)) Find("foreign-release", id, hold, "removed", command);
  if (!HasOthersOf(id, hold.owner)) NoteLoss(id, hold, command);
  if (hold.owner == command.client) asked_.Release(id.key);
  asked_.Free(id.key);
}

void Holds::NoteLoss(const HeldId& id, const Hold& hold, const Command& command) {
  const bool mine = hold.owner == command.client;
  NoteChange(mine ? HoldChange::Kind::kGivenBack : HoldChange::Kind::kTaken, id, hold);
}

/// Whether the client holds another part of the same key.
bool Holds::HasOthersOf(const HeldId& id, int client) const {
  return std::ranges::any_of(holds_, [&](const auto& one) {
    const HeldId& other = one.first;
    return one.second.owner == client && other.key == id.key && other.node == id.node &&
           other.database == id.database && other.part != id.part;
  });
}

bool Holds::HasPart(int client, int node, const std::string& key) const {
  return std::ranges::any_of(holds_, [&](const auto& one) {
    return one.second.owner == client && one.first.key == key && one.first.node == node;
  });
}

void Holds::Prolonged(const HeldId& id, const Hold& hold, const HeldData& now,
                      const Command& command) {
  if (!IsJudged(id, hold, command) || !hold.data.key_end_ms) return;
  const bool longer = !now.key_end_ms || *now.key_end_ms > *hold.data.key_end_ms;
  // Readers of one lock may share one key, which each of them keeps alive.
  if (longer && !HasPart(command.client, id.node, id.key)) {
    Find("foreign-extend", id, hold, "prolonged", command);
  }
}

void Holds::Changed(const HeldId& id, Hold& hold, const HeldData& now, const Command& command) {
  const bool mine = hold.owner == command.client;
  const bool counted = std::ranges::any_of(command.effects, Counts);
  const bool written = now.value != hold.data.value ||
                       (!mine && std::ranges::any_of(command.effects, [&](const Argv& one) {
                         return hold.data.kind == Kind::kString && Overwritten(one) == id.key;
                       }));
  if (written && !mine && counted) {
    hold.data = now;  // A refused client has counted, too.
    return;
  }
  if (!written) {
    if (now.key_end_ms == hold.data.key_end_ms) return;
    const bool sooner =
        now.key_end_ms && hold.data.key_end_ms && *now.key_end_ms < *hold.data.key_end_ms;
    hold.altered = hold.altered || (mine && sooner);
    if (!mine && !alive_[static_cast<std::size_t>(hold.owner)]) ++hold.kept_alive;
    Prolonged(id, hold, now, command);
    // If several clients share one key, each has its own end, which others do not put off.
    const bool put_off = !mine && hold.data.kind != Kind::kString && hold.end_ms &&
                         (!now.key_end_ms || *now.key_end_ms > *hold.end_ms);
    hold.data.key_end_ms = now.key_end_ms;
    if (!put_off) SetEnd(id, command.now_ms, hold);
    NoteChange(HoldChange::Kind::kEndMoved, id, hold, mine);
    return;
  }
  const bool judged = IsJudged(id, hold, command);
  const bool told = std::ranges::any_of(command.effects, TellsWhatWasThere);
  if (judged && hold.by_value && told) {
    // The client learns that the lease has not ended and does not get it, but the lease's end has
    // changed.
    const int owner = hold.owner;
    hold.data = now;
    SetEnd(id, command.now_ms, hold);
    hold.owner = owner;
    return;
  }
  if (judged) Find("server-exclusion", id, hold, "took", command);
  const int owner = OwnerOf(id, now, command);
  if (owner != hold.owner) NoteLoss(id, hold, command);
  hold.delayed = hold.delayed && owner == hold.owner;
  hold.altered = owner == hold.owner;
  hold.data = now;
  hold.owner = owner;
  SetEnd(id, command.now_ms, hold);
  Granted(id, hold);
}

void Holds::After(int client, int node, const Argv& argv, const std::vector<Argv>& effects,
                  const HeldMap& data, std::int64_t now_ms) {
  sent_.Note(client, argv);
  for (const Argv& effect : effects) sent_.Note(client, effect);
  asked_.Send(client, argv);
  NoteAsked(client, node, effects, now_ms);
  const Command command{client, argv, sim::redis::ToText(argv), effects, now_ms};
  std::erase_if(holds_, [&](const auto& one) {
    const bool gone = one.first.node == node && !data.contains(one.first);
    if (gone) Gone(one.first, one.second, command);
    return gone;
  });
  free_.Keep(node, data);
  for (const auto& [id, now] : data) {
    if (free_.IsFree(id, now)) continue;
    const auto known = holds_.find(id);
    if (known != holds_.end()) {
      const Hold& hold = known->second;
      if (hold.owner != client || !FreeMarks::IsMark(sent_, client, hold.data, now)) {
        Changed(id, known->second, now, command);
        continue;
      }
      Gone(id, hold, command);
      holds_.erase(known);
      free_.Set(id, now);
      continue;
    }
    Hold& hold = holds_[id];
    hold.owner = OwnerOf(id, now, command);
    hold.data = now;
    SetEnd(id, now_ms, hold);
    Granted(id, hold);
  }
  NoteKeptOut(client, node);
}

/// Who finds a key there and writes its own part of it, or takes it over, is not kept out.
void Holds::NoteKeptOut(int client, int node) {
  for (const std::string& key : std::exchange(met_, {})) {
    if (!HasPart(client, node, key)) kept_out_.insert(key);
  }
}

void Holds::Ended(int client, ClientExit exit) {
  alive_[static_cast<std::size_t>(client)] = false;
  killed_[static_cast<std::size_t>(client)] = exit == ClientExit::kKilled;
  if (exit != ClientExit::kKilled) asked_.End(client);
  if (exit != ClientExit::kUndisturbed) return;
  for (auto& [id, hold] : holds_) {
    hold.left = hold.left || (hold.owner == client && !hold.altered);
  }
}

void Holds::Delayed(int client) {
  for (auto& [id, hold] : holds_) hold.delayed = hold.delayed || hold.owner == client;
}

void Holds::Waited(int client, std::int64_t us) {
  excuses_.Waited(client, us);
  for (auto& [id, hold] : holds_) hold.waited_us += hold.owner == client ? us : 0;
}

void Holds::Entered(int client) {
  std::set<std::string> owned;
  for (const auto& [id, hold] : holds_) {
    if (hold.owner == client && IsLock(id.key)) owned.insert(id.key);
  }
  asked_.Enter(client, owned);
}

/// Why the lock is left for ever; empty if it is not, or is no lock.
std::string Holds::WhyForEver(const HeldId& id, const Hold& hold, bool all_ended) const {
  const bool held = hold.data.kind == Kind::kString || hold.data.kind == Kind::kField;
  const auto owner = static_cast<std::size_t>(hold.owner);
  if (!held || !IsLock(id.key) || alive_[owner]) return {};
  const bool for_certain = !pattern_.empty() || asked_.IsLock(id.key);
  if (!for_certain && (!killed_[owner] || asked_.IsPassedBy(id.key))) return {};
  const std::string name = ClientName(hold.owner);
  if (!hold.end_ms) {
    return fmt::format("it has no time to live, and {}, which held it, {}", name,
                       killed_[owner] ? "is dead" : "has ended without a release");
  }
  if (all_ended || hold.kept_alive < kKeptAlive) return {};
  return fmt::format("{}, which held it, {}, and others put its end off again and again", name,
                     killed_[owner] ? "is dead" : "has ended");
}

void Holds::LeftBehind(bool all_ended) {
  std::optional<Finding> left;
  for (const auto& [id, hold] : holds_) {
    const std::string why = WhyForEver(id, hold, all_ended);
    // The first one, but rather one that has kept somebody out.
    if (why.empty() || (left && !kept_out_.contains(id.key))) continue;
    left = Finding{"keys", fmt::format("{} is left for ever: {}", id.key, why), 0,
                   pattern_.empty() && !asked_.IsLock(id.key) ? id.key : ""};
    if (kept_out_.contains(id.key)) break;
  }
  if (left) {
    findings_.push_back(*std::move(left));
  } else if (all_ended) {
    FindLeft();
  }
}

void Holds::FindLeft() {
  for (const auto& [id, hold] : holds_) {
    const bool held = hold.data.kind == Kind::kString || hold.data.kind == Kind::kField;
    if (held && hold.left && IsLock(id.key)) left_.emplace(id.key, hold.owner);
  }
  for (const auto& [key, owner] : left_) {
    if (!asked_.IsReleased(key)) continue;
    findings_.push_back(
        {"keys",
         fmt::format("{} is left until its lease ends: {}, which held it, has ended without "
                     "a release, though no fault had met it",
                     key, ClientName(owner))});
    return;
  }
}

bool Holds::Owns(int client) const {
  return std::ranges::any_of(holds_, [this, client](const auto& one) {
    return one.second.owner == client && IsLock(one.first.key);
  });
}

bool Holds::NamesItsOwn(int client, const Argv& argv) const {
  return std::ranges::any_of(holds_, [&](const auto& one) {
    return one.second.owner == client && IsLock(one.first.key) &&
           std::ranges::count(argv, one.first.key) > 0;
  });
}

std::optional<Holds::End> Holds::NextEnd(const std::vector<bool>& of) const {
  std::optional<End> next;
  for (const auto& [id, hold] : holds_) {
    if (!of[static_cast<std::size_t>(hold.owner)] || hold.passed || !hold.end_ms) continue;
    if (!next || *hold.end_ms < next->ms) next = End{*hold.end_ms, hold.by_value};
  }
  return next;
}

std::size_t Holds::most_owners() const {
  std::size_t most = 0;
  for (const auto& [key, owners] : owners_) most = std::max(most, owners.size());
  return most;
}

}  // namespace interlock::scenarios::drive
