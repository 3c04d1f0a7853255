// SPDX-License-Identifier: MIT
#include "scenarios/judge/quorum.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "scenarios/cases/kind_model.h"
#include "scenarios/judge/violated.h"
#include "scenarios/log/words.h"

namespace interlock::scenarios {
namespace {

using Entries = std::vector<const ServerHold*>;

/// Which end of an entry counts.
using EndRule = VirtualTime (ServerHold::*)() const;

/// An entry appears or disappears.
struct VoteChange {
  VirtualTime at{};
  int by = 0;
  int node = 0;
  std::size_t owner = 0;
};

void AppendVotes(const ServerHold& entry, std::size_t owner, EndRule end,
                 std::vector<VoteChange>& changes) {
  const VirtualTime to = (entry.*end)();
  if (entry.granted > to) return;
  changes.push_back({entry.granted, 1, entry.node, owner});
  if (to != kOpen) changes.push_back({to, -1, entry.node, owner});
}

/// Calls `apply` for each change in time order, and `then` after the last one of each instant.
template <typename Apply, typename Then>
void Sweep(std::vector<VoteChange> changes, const Apply& apply, const Then& then) {
  std::ranges::stable_sort(changes,
                           [](const VoteChange& a, const VoteChange& b) { return a.at < b.at; });
  for (std::size_t i = 0; i < changes.size(); ++i) {
    apply(changes[i]);
    if (i + 1 == changes.size() || changes[i + 1].at != changes[i].at) then(changes[i].at);
  }
}

/// Number of entries on each server, and of servers with any.
class Servers {
 public:
  void Apply(const VoteChange& change) {
    int& here = entries_[static_cast<std::size_t>(change.node)];
    servers_ -= here > 0 ? 1 : 0;
    here += change.by;
    servers_ += here > 0 ? 1 : 0;
  }
  int count() const { return servers_; }

 private:
  std::array<int, kMostNodes> entries_{};
  int servers_ = 0;
};

/// The spans, in order, in which at least `least` servers have one of the entries.
std::vector<Interval> Stretches(const Entries& entries, int least, EndRule end) {
  std::vector<VoteChange> changes;
  for (const ServerHold* entry : entries) AppendVotes(*entry, 0, end, changes);
  Servers servers;
  std::vector<Interval> stretches;
  bool inside = false;
  Sweep(
      std::move(changes), [&](const VoteChange& change) { servers.Apply(change); },
      [&](VirtualTime at) {
        const bool enough = servers.count() >= least;
        if (enough && !inside) stretches.push_back({at, kOpen});
        if (!enough && inside) stretches.back().to = at;
        inside = enough;
      });
  return stretches;
}

/// Of the entries present in the span, the one that completes a quorum in the given order.
template <typename Before>
const ServerHold& Quorumth(Entries entries, const Interval& stretch, int quorum,
                           const Before& before) {
  std::erase_if(entries, [&](const ServerHold* entry) {
    return entry->granted >= stretch.to || entry->promise_end() <= stretch.from;
  });
  std::ranges::stable_sort(
      entries, [&](const ServerHold* a, const ServerHold* b) { return before(*a, *b); });
  return *entries[static_cast<std::size_t>(quorum) - 1];
}

/// How the quorum ended in the servers.
void SetEnd(const Entries& entries, const Interval& stretch, int quorum, ServerHold& view) {
  VirtualTime gone = kOpen;
  for (const Interval& actual : Stretches(entries, quorum, &ServerHold::had_until)) {
    if (actual.from <= stretch.from && stretch.from < actual.to) gone = actual.to;
  }
  if (gone == kOpen) return;
  for (const ServerHold* entry : entries) {
    if (entry->had_until() != gone) continue;
    view.end = entry->ended < entry->promised_until ? entry->end : ServerHoldEnd::kExpired;
  }
  view.ended = gone;
  if (!view.given_back() && stretch.to < view.promised_until) {
    view.waived = stretch.to;
  }
}

ServerHold QuorumEntry(const Entries& entries, const Interval& stretch, int quorum) {
  const ServerHold& deciding = Quorumth(
      entries, stretch, quorum,
      [](const ServerHold& a, const ServerHold& b) { return a.promised_until > b.promised_until; });
  const ServerHold& renewed =
      Quorumth(entries, stretch, quorum,
               [](const ServerHold& a, const ServerHold& b) { return a.renewed > b.renewed; });
  ServerHold view;
  view.client = deciding.client;
  view.token = deciding.token;
  view.shared = deciding.shared;
  view.granted = stretch.from;
  view.sent = deciding.sent;
  view.renewed = std::max(renewed.renewed, stretch.from);
  view.promised_until = deciding.promised_until;
  view.left_open = deciding.left_open;
  view.expires_at_ms = deciding.expires_at_ms;
  view.leased_ms = deciding.leased_ms;
  SetEnd(entries, stretch, quorum, view);
  return view;
}

/// The position of a change among those of one instant, relative to the grants. `entry` is grant
/// number `change.owner`.
std::size_t PlaceOf(const VoteChange& change, const ServerHold& entry, std::size_t grants) {
  const std::size_t its_grant = 2 * change.owner + 1;
  if (change.by > 0) return its_grant;
  if (entry.given_back() && change.at == entry.ended) {
    return 2 * std::min(entry.grants_before_end, grants);
  }
  // Expiry precedes any other change of that instant, except the entry's own grant.
  return change.at == entry.granted ? its_grant : 0;
}

/// An owner completes a quorum with `vote`.
struct Completion {
  VirtualTime at{};
  const ServerHold* vote = nullptr;
};

/// Each time that the owner of the entries, some of `all`, completed a quorum: change by change,
/// those of one instant in the order in which they happened.
std::vector<Completion> Completions(const Entries& entries, const std::vector<ServerHold>& all,
                                    int quorum) {
  std::vector<VoteChange> changes;
  for (const ServerHold* entry : entries) {
    AppendVotes(*entry, static_cast<std::size_t>(entry - all.data()), &ServerHold::promise_end,
                changes);
  }
  const auto order = [&](const VoteChange& change) {
    return std::pair(change.at, PlaceOf(change, all[change.owner], all.size()));
  };
  std::ranges::stable_sort(
      changes, [&](const VoteChange& a, const VoteChange& b) { return order(a) < order(b); });
  Servers servers;
  std::vector<Completion> completions;
  for (const VoteChange& change : changes) {
    const bool before = servers.count() >= quorum;
    servers.Apply(change);
    if (!before && servers.count() >= quorum) {
      completions.push_back({change.at, &all[change.owner]});
    }
  }
  return completions;
}

/// Granted and given back at one instant, since commands take no time: the owner had a quorum of
/// zero duration.
ServerHold OfAnInstant(const Entries& entries, VirtualTime at) {
  ServerHold view = *entries.back();
  view.granted = at;
  view.end = ServerHoldEnd::kReleased;
  view.ended = at;
  return view;
}

using Owner = std::pair<int, std::string_view>;

/// Entries grouped by owner. If there are tokens, one token is one owner.
std::map<Owner, Entries> ByOwner(const History& history) {
  std::map<Owner, Entries> owners;
  for (const ServerHold& entry : history.server_holds) {
    owners[{entry.token.empty() ? entry.client : 0, entry.token}].push_back(&entry);
  }
  return owners;
}

/// Whether votes were ever split among several owners so that nobody could get a quorum.
bool WasSplit(const History& history, const std::map<Owner, Entries>& owners) {
  std::vector<VoteChange> changes;
  std::size_t index = 0;
  for (const auto& [owner, entries] : owners) {
    for (const ServerHold* entry : entries)
      AppendVotes(*entry, index, &ServerHold::had_until, changes);
    ++index;
  }
  std::vector<Servers> votes(index);
  int taken = 0;
  int voted = 0;
  int quorums = 0;
  bool split = false;
  const auto add = [&](int of_one, int by) {
    taken += by * of_one;
    voted += of_one > 0 ? by : 0;
    quorums += of_one >= history.quorum ? by : 0;
  };
  Sweep(
      std::move(changes),
      [&](const VoteChange& change) {
        Servers& owner = votes[change.owner];
        add(owner.count(), -1);
        owner.Apply(change);
        add(owner.count(), 1);
      },
      [&](VirtualTime) {
        split = split || (quorums == 0 && voted > 1 && taken > history.nodes - history.quorum);
      });
  return split;
}

bool IsBareExtension(const History& history, const Renewal& renewal) {
  if (renewal.answered == kOpen || renewal.answer != StatusCode::kOk) return false;
  Servers renewed;
  for (const ServerHold& entry : history.server_holds) {
    const bool then = renewal.called <= entry.renewed && entry.renewed <= renewal.answered;
    if (entry.client == renewal.client && then) renewed.Apply({entry.renewed, 1, entry.node, 0});
  }
  return renewed.count() == history.quorum;
}

}  // namespace

History QuorumView(const History& history) {
  History view = history;
  view.server_holds.clear();
  // With the position of the deciding vote, as several may be granted at one instant.
  std::vector<std::pair<std::ptrdiff_t, ServerHold>> placed;
  for (const auto& [owner, entries] : ByOwner(history)) {
    const auto completions = Completions(entries, history.server_holds, history.quorum);
    const auto place = [&, &votes = entries](ServerHold entry) {
      const auto decided = std::find_if(
          completions.rbegin(), completions.rend(),
          [&](const Completion& completion) { return completion.at == entry.granted; });
      const ServerHold* vote = decided == completions.rend() ? votes.front() : decided->vote;
      placed.emplace_back(vote - history.server_holds.data(), std::move(entry));
    };
    const std::vector<Interval> stretches =
        Stretches(entries, history.quorum, &ServerHold::promise_end);
    for (const Interval& stretch : stretches) {
      place(QuorumEntry(entries, stretch, history.quorum));
    }
    if (stretches.empty() && !completions.empty()) {
      place(OfAnInstant(entries, completions.front().at));
    }
  }
  std::ranges::sort(placed, [](const auto& a, const auto& b) {
    return std::pair(a.second.granted, a.first) < std::pair(b.second.granted, b.first);
  });
  for (auto& [place, entry] : placed) view.server_holds.push_back(std::move(entry));
  Entries all;
  for (const ServerHold& entry : history.server_holds) all.push_back(&entry);
  view.blocked = Stretches(all, history.nodes - history.quorum + 1, &ServerHold::taken_until);
  return view;
}

void JudgeQuorums(const History& view, const harness::Kind& kind,
                  std::vector<Violation>& violations) {
  for (std::size_t i = 0; i < view.server_holds.size(); ++i) {
    const ServerHold& second = view.server_holds[i];
    const ServerHold* last = nullptr;
    std::set<std::string_view> before;
    for (std::size_t j = 0; j < i; ++j) {
      const ServerHold& first = view.server_holds[j];
      if (first.token == second.token || first.promise_end() <= second.granted) continue;
      if (!Conflict(first, second)) continue;
      before.insert(first.token);
      last = &first;
    }
    const int permits = view.limits.Most(second.granted, second.granted);
    if (static_cast<int>(before.size()) < permits) continue;
    violations.push_back(Violated(
        CounterpartOf(kind, Judged::kServerExclusion), second.granted, second.client,
        "a quorum of servers granted to {} while {} was promised the lock by a quorum until {}",
        ClientName(second.client), ClientName(last->client), last->promise_end()));
    return;
  }
}

void AddQuorumGoals(const History& history, const History& view, GoalSet& goals) {
  if (WasSplit(history, ByOwner(history))) goals.Add(Goal::kSplitVote);
  for (const ServerHold& entry : history.server_holds) {
    if (goals.Has(Goal::kMinorityGivenBack)) break;
    if (entry.end != ServerHoldEnd::kReleased) continue;
    const auto has_token = [&](const auto& one) { return one.token == entry.token; };
    const bool minority = std::ranges::none_of(view.server_holds, has_token) &&
                          std::ranges::none_of(history.holds, has_token);
    if (minority) goals.Add(Goal::kMinorityGivenBack);
  }
  for (const Renewal& renewal : history.renewals) {
    if (IsBareExtension(history, renewal)) goals.Add(Goal::kBareExtension);
  }
}

}  // namespace interlock::scenarios
