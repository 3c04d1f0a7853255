// SPDX-License-Identifier: MIT
#include "scenarios/judge/circles.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "scenarios/log/words.h"

namespace interlock::scenarios {
namespace {

/// A grant that its client knows of and has not begun to give back.
struct Holding {
  int client = 0;
  std::size_t resource = 0;
  std::string token;
  Interval known;
};

/// A client waiting for a resource.
struct Waiting {
  const Attempt* attempt = nullptr;
  std::size_t resource = 0;
  std::vector<const ServerHold*> entries;  ///< that fill the resource
  std::vector<int> owners;                 ///< of `entries`
};

bool Contains(const Interval& interval, VirtualTime at) {
  return interval.from <= at && at < interval.to;
}

class Circles {
 public:
  explicit Circles(std::span<const History* const> histories) : histories_(histories) {
    for (std::size_t i = 0; i < histories_.size(); ++i) {
      for (const ClientHold& hold : histories_[i]->holds) {
        const VirtualTime from = hold.told_at();
        holdings_.push_back({hold.client, i, hold.token, {from, hold.used_until()}});
        instants_.push_back(from);
      }
      for (const Attempt& attempt : histories_[i]->attempts) {
        instants_.push_back(attempt.asked);
        if (attempt.of_several) AddParts(*histories_[i], attempt, i);
      }
    }
    std::ranges::sort(instants_);
    instants_.erase(std::unique(instants_.begin(), instants_.end()), instants_.end());
  }

  std::optional<Violation> First() const {
    if (holdings_.empty() && parts_.empty()) return std::nullopt;
    for (const VirtualTime at : instants_) {
      const std::vector<Waiting> stuck = StuckAt(at);
      if (stuck.empty()) continue;
      const VirtualTime end = EndOf(stuck);
      if (IsBrokenByTimeAlone(stuck, end)) return Told(stuck, at, end);
    }
    return std::nullopt;
  }

 private:
  /// The parts of a multi-resource request granted before it has all of them.
  void AddParts(const History& history, const Attempt& attempt, std::size_t resource) {
    const Interval asking{attempt.asked, attempt.answered};
    for (const ServerHold& entry : history.server_holds) {
      if (entry.client != attempt.client || !Contains(asking, entry.granted)) continue;
      parts_.push_back({entry.client, resource, entry.token, {entry.granted, attempt.answered}});
      instants_.push_back(entry.granted);
    }
  }

  /// The largest set of waiting clients each of which waits only for others in the set.
  std::vector<Waiting> StuckAt(VirtualTime at) const {
    std::vector<Waiting> stuck;
    for (std::size_t i = 0; i < histories_.size(); ++i) {
      for (const Attempt& attempt : histories_[i]->attempts) {
        const bool waits =
            attempt.ask != Ask::kTry && Contains({attempt.asked, attempt.answered}, at);
        if (!waits || !AsksInOrder(attempt.client, i, at)) continue;
        if (auto waiting = WaitsForOwners(attempt, i, at)) stuck.push_back(std::move(*waiting));
      }
    }
    const auto goes_on = [&stuck](int owner) {
      return std::ranges::none_of(
          stuck, [owner](const Waiting& other) { return other.attempt->client == owner; });
    };
    const auto is_free = [&](const Waiting& one) {
      return std::ranges::any_of(one.owners, goes_on);
    };
    for (;;) {
      const auto one = std::ranges::find_if(stuck, is_free);
      if (one == stuck.end()) return stuck;
      stuck.erase(one);
    }
  }

  /// Whether the resource comes after all that the client holds.
  bool AsksInOrder(int client, std::size_t resource, VirtualTime at) const {
    return std::ranges::none_of(holdings_, [&](const Holding& holding) {
      return holding.client == client && holding.resource >= resource &&
             Contains(holding.known, at);
    });
  }

  /// The clients waited for; nullopt if the resource is not full or has unknown holders.
  std::optional<Waiting> WaitsForOwners(const Attempt& attempt, std::size_t resource,
                                        VirtualTime at) const {
    const History& history = *histories_[resource];
    Waiting waiting{&attempt, resource, {}, {}};
    for (const ServerHold& entry : history.server_holds) {
      const VirtualTime until = entry.had_until();
      if (!Contains({entry.granted, until}, at) || !Conflict(attempt, entry)) continue;
      const std::optional<int> owner = HolderOf(entry, resource, at);
      if (!owner.has_value() || IsItsOwnPart(attempt, entry)) return std::nullopt;
      waiting.entries.push_back(&entry);
      waiting.owners.push_back(*owner);
    }
    if (static_cast<int>(waiting.entries.size()) < history.limits.Most(at, at)) return std::nullopt;
    return waiting;
  }

  /// Who holds what the entry represents: this resource, or another one with the same token.
  std::optional<int> HolderOf(const ServerHold& entry, std::size_t resource, VirtualTime at) const {
    for (const Holding& holding : holdings_) {
      if (holding.token != entry.token || !Contains(holding.known, at)) continue;
      const bool its_own = holding.resource == resource && holding.client == entry.client;
      if (its_own || StandsForAnother(entry, holding, resource)) return holding.client;
    }
    for (const Holding& part : parts_) {
      const bool is_it = part.resource == resource && part.client == entry.client;
      if (is_it && part.token == entry.token && Contains(part.known, at)) return part.client;
    }
    return std::nullopt;
  }

  static bool IsItsOwnPart(const Attempt& attempt, const ServerHold& entry) {
    return attempt.of_several && entry.client == attempt.client && entry.granted >= attempt.asked;
  }

  /// Whether an entry that fills this resource belongs to a grant of another one. A client that was
  /// asking for this one when the entry appeared may have been granted both under one token.
  bool StandsForAnother(const ServerHold& entry, const Holding& holding,
                        std::size_t resource) const {
    if (holding.resource == resource || entry.token.empty()) return false;
    const auto& attempts = histories_[resource]->attempts;
    return std::ranges::none_of(attempts, [&](const Attempt& attempt) {
      return attempt.client == holding.client && attempt.asked <= entry.granted &&
             entry.granted <= attempt.answered;
    });
  }

  /// When the first stuck client gets an answer, or the first entry disappears.
  static VirtualTime EndOf(const std::vector<Waiting>& stuck) {
    VirtualTime end = kOpen;
    for (const Waiting& one : stuck) {
      end = std::min(end, one.attempt->answered);
      for (const ServerHold* entry : one.entries) {
        end = std::min({end, entry->ended, entry->promised_until});
      }
    }
    return end;
  }

  /// Whether only time broke the cycle: no refusal by the lock, no release.
  bool IsBrokenByTimeAlone(const std::vector<Waiting>& stuck, VirtualTime end) const {
    if (end >= histories_.front()->end) return true;
    const Duration moment = histories_.front()->lease / 50;
    return std::ranges::any_of(stuck, [&](const Waiting& one) {
      const bool impatient = one.attempt->answered == end &&
                             one.attempt->answer == StatusCode::kTimeout &&
                             one.attempt->deadline - moment <= end;
      return impatient || std::ranges::any_of(one.entries, [end](const ServerHold* entry) {
               return entry->promised_until == end;
             });
    });
  }

  static Violation Told(const std::vector<Waiting>& stuck, VirtualTime at, VirtualTime end) {
    std::string who;
    for (const Waiting& one : stuck) {
      if (!who.empty()) who += ", and ";
      const int client = one.attempt->client;
      const int owner = one.owners.front();
      who += fmt::format("{} waited for what {} held", ClientName(client),
                         owner == client ? "itself" : ClientName(owner));
    }
    return {Judged::kDeadlock, at, stuck.front().attempt->client,
            fmt::format("from {} on {}, though each asked in one order; only time ended it, at {}",
                        Instant(at), who, Instant(end)),
            static_cast<int>(stuck.front().resource)};
  }

  const std::span<const History* const> histories_;
  std::vector<Holding> holdings_;
  std::vector<Holding> parts_;         // each until its client has all that it asked for
  std::vector<VirtualTime> instants_;  // when somebody may have become stuck, in order
};

}  // namespace

void JudgeCircles(std::span<const History* const> histories, std::vector<Violation>& violations) {
  if (histories.size() < 2) return;  // with one resource nobody can wait for another one
  const bool calm = std::ranges::all_of(histories, [](const History* history) {
    return history->disturbances.empty() && history->deaths.empty() &&
           history->supersessions.empty() && !history->server_clock_moved;
  });
  if (!calm) return;
  if (std::optional<Violation> first = Circles(histories).First()) {
    violations.push_back(std::move(*first));
  }
}

}  // namespace interlock::scenarios
