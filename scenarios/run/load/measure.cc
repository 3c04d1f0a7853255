// SPDX-License-Identifier: MIT
#include "scenarios/run/load/measure.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "scenarios/run/load/fairness.h"
#include "scenarios/run/load/requests.h"
#include "scenarios/run/load/traffic.h"

namespace interlock::scenarios::contend {
namespace {

using reports::ContentionPoint;
using reports::ServerFigures;

struct Interval {
  int client = 0;
  int resource = 0;
  std::int64_t from = 0;
  std::int64_t to = 0;
};

class Measurement {
 public:
  Measurement(const EventLog& log, const Frame& frame)
      : log_(log), frame_(frame), told_(Assemble(log)) {
    point_.lock = frame.lock;
    point_.clients = frame.clients;
    point_.window_ns = frame.to_ns - frame.from_ns;
    point_.shares.resize(static_cast<std::size_t>(frame.clients));
  }

  ContentionPoint Run() && {
    for (const Request& request : told_.requests) TakeRequest(request);
    std::ranges::stable_sort(granted_, {}, &Request::answered);
    point_.fairness =
        FairnessOf(granted_, told_.requests, point_.shares, point_.window_ns * frame_.resources);
    CountWaiting();
    CountOverlap();
    point_.commands = TrafficOf(log_, granted_, frame_);
    CountWakeUps();
    if (frame_.one_owner) CountFencedRejects();
    if (frame_.sees_server) point_.server = OfServer();
    if (frame_.one_owner) {
      TakeTurns();
      Blame();
    }
    ListOwners();
    return std::move(point_);
  }

 private:
  bool Within(std::int64_t begin, std::int64_t end) const {
    return begin >= frame_.from_ns && end < frame_.to_ns;
  }
  /// How much of [from, to) is in the window.
  std::int64_t Cut(std::int64_t from, std::int64_t to) const {
    return std::max<std::int64_t>(0, std::min(to, frame_.to_ns) - std::max(from, frame_.from_ns));
  }
  reports::ClientShare& ShareOf(int client) {
    return point_.shares[static_cast<std::size_t>(client)];
  }

  void TakeRequest(const Request& request) {
    if (!Within(request.asked, request.answered)) return;
    ++point_.requests;
    point_.contended += request.contended ? 1 : 0;
    reports::ClientShare& share = ShareOf(request.client);
    const std::int64_t wait = request.answered - request.asked;
    if (request.ending == Ending::kFailed) {
      ++point_.failed;
      return;
    }
    share.longest_wait_ns = std::max(share.longest_wait_ns, wait);
    if (request.ending == Ending::kAbandoned) {
      ++point_.abandoned;
      ++share.abandoned;
      point_.abandoned_wait.Add(wait);
      return;
    }
    ++point_.grants;
    ++share.grants;
    point_.wait.Add(wait);
    if (frame_.open) point_.wait_from_intended.Add(request.answered - request.intended);
    granted_.push_back(&request);
    if (!Within(request.asked, request.released)) return;
    point_.hold.Add(request.released - request.answered);
    share.hold_ns += request.released - request.answered;
    if (request.entered != kNotYet) point_.useful.Add(request.left - request.entered);
  }

  /// Adds up the waiters' time in the window, and finds the most waiters at once.
  void CountWaiting() {
    std::vector<std::pair<std::int64_t, int>> changes;
    for (const Request& request : told_.requests) {
      point_.waiting_ns += Cut(request.asked, request.answered);
      if (Cut(request.asked, request.answered) == 0) continue;
      point_.oldest_wait_ns =
          std::max(point_.oldest_wait_ns, std::min(request.answered, frame_.to_ns) - request.asked);
      changes.emplace_back(request.asked, 1);
      changes.emplace_back(request.answered, -1);
    }
    // A client answered at an instant does not wait together with one that arrives at it.
    std::sort(changes.begin(), changes.end());
    std::int64_t waiting = 0;
    for (const auto& [at, change] : changes) {
      waiting += change;
      point_.most_waiting = std::max(point_.most_waiting, static_cast<std::uint64_t>(waiting));
    }
  }

  /// Counts for each resource separately.
  void CountOverlap() {
    std::map<int, std::vector<std::pair<std::int64_t, int>>> changes;
    for (const Request& request : told_.requests) {
      if (request.entered == kNotYet) continue;
      changes[request.resource].emplace_back(request.entered, 1);
      changes[request.resource].emplace_back(request.left, -1);
    }
    for (auto& [resource, of_it] : changes) {
      std::sort(of_it.begin(), of_it.end());
      int inside = 0;
      std::int64_t since = 0;
      for (const auto& [at, change] : of_it) {
        if (inside > 1) point_.overlap_ns += Cut(since, at);
        inside += change;
        since = at;
      }
    }
  }

  /// Counts the wake-ups of clients that are asking. All but the last one before a grant were in
  /// vain.
  void CountWakeUps() {
    std::vector<std::optional<std::uint64_t>> woken(point_.shares.size());  // while they ask
    for (const LogEvent& event : log_) {
      if (event.client < 0) continue;
      auto& own = woken[static_cast<std::size_t>(event.client)];
      if (event.kind == EventKind::kAsk) own = 0;
      if (event.kind == EventKind::kWoken && own && Within(NsOf(event), NsOf(event))) {
        ++*own;
        ++point_.woken;
      }
      const bool granted = event.kind == EventKind::kGranted;
      if (!own || (!granted && event.kind != EventKind::kRefused)) continue;
      point_.woken_in_vain += granted && *own > 0 ? *own - 1 : *own;
      own.reset();
    }
  }

  /// Counts as the guarded resource would: it accepts no token below the highest that it has seen.
  void CountFencedRejects() {
    std::map<int, std::uint64_t> highest;
    for (const LogEvent& event : log_) {
      if (event.kind != EventKind::kAccess) continue;
      if (!point_.fenced_rejects) point_.fenced_rejects = 0;
      const std::uint64_t token = event.As<AccessDetails>().fencing_token;
      const auto [seen, first] = highest.try_emplace(event.resource, token);
      if (token < seen->second && Within(NsOf(event), NsOf(event))) ++*point_.fenced_rejects;
      seen->second = std::max(seen->second, token);
    }
  }

  ServerFigures OfServer() const {
    ServerFigures figures;
    for (const Ownership& one : told_.ownerships) {
      figures.busy_ns += Cut(one.from, one.to);
      if (Within(one.from, one.to)) figures.hold.Add(one.to - one.from);
      if (one.request && Within(one.from, one.to)) CountLoss(one, figures);
    }
    if (frame_.one_owner) AddHandOvers(figures.hand_over);
    for (const LogEvent& event : log_) {
      if (event.kind != EventKind::kProlonged || !Within(NsOf(event), NsOf(event))) continue;
      ++figures.renewals;
      const std::int64_t left = event.As<OwnerDetails>().left.count();
      figures.renewal_margin_ns = std::min(figures.renewal_margin_ns.value_or(left), left);
    }
    return figures;
  }

  void CountLoss(const Ownership& one, ServerFigures& figures) const {
    const Request& request = told_.requests[*one.request];
    if (!one.expired || request.release_called <= one.to) return;
    ++(request.told_lost ? figures.lost_noticed : figures.lost_unnoticed);
    if (request.left != kNotYet) {
      figures.stale_work_ns += std::max<std::int64_t>(0, request.left - one.to);
    }
  }

  /// Adds a hand-over only if at least one request waited when the hold before it ended.
  void AddHandOvers(reports::Histogram& gaps) const {
    std::map<int, std::int64_t> free_since;  // by resource
    for (const Ownership& one : told_.ownerships) {
      const auto before = free_since.find(one.resource);
      if (before != free_since.end() && Within(before->second, one.from) &&
          SomebodyWaits(one.resource, before->second)) {
        gaps.Add(one.from - before->second);
      }
      free_since[one.resource] = one.to;
    }
  }

  bool SomebodyWaits(int resource, std::int64_t at) const {
    // No request lasts longer than the patience, but logs are short enough to look at everything
    // before.
    const auto end = std::ranges::upper_bound(told_.requests, at, {}, &Request::asked);
    int clients = frame_.clients;
    std::vector<bool> seen(point_.shares.size());
    for (auto request = end; request != told_.requests.begin() && clients > 0;) {
      --request;
      const auto client = static_cast<std::size_t>(request->client);
      if (seen[client]) continue;
      seen[client] = true;
      --clients;
      if (request->resource == resource && request->asked < at && request->answered > at) {
        return true;
      }
    }
    return false;
  }

  /// Measures turns as the clients see them: from the call of a release to the next grant, if its
  /// request waited by then.
  void TakeTurns() {
    for (reports::ClientShare& share : point_.shares) share.followed_ns = 0;
    std::map<int, const Request*> latest;  // by resource
    for (const Request* request : granted_) {
      const Request*& before = latest[request->resource];
      if (before != nullptr && request->asked < before->release_called) {
        *ShareOf(before->client).followed_ns += request->answered - request->asked;
        // Otherwise its lease was over before, and nobody can say here when.
        if (before->release_called <= request->answered) {
          point_.turn.Add(request->answered - before->release_called);
        }
      }
      before = request;
    }
  }

  /// The holds of each client, as the server shows them or, if it does not, as the clients know
  /// them.
  std::vector<Interval> Holds() const {
    std::vector<Interval> holds;
    if (frame_.sees_server) {
      for (const Ownership& one : told_.ownerships) {
        if (one.client >= 0) holds.push_back({one.client, one.resource, one.from, one.to});
      }
    } else {
      for (const Request& request : told_.requests) {
        if (request.ending != Ending::kGranted) continue;
        holds.push_back({request.client, request.resource, request.answered, request.released});
      }
      std::ranges::stable_sort(holds, {}, &Interval::from);
    }
    return holds;
  }

  /// Charges each instant of a wait to the client that holds the resource then, or to nobody if it
  /// is free.
  void Blame() {
    std::map<int, std::vector<Interval>> by_resource;
    for (const Interval& hold : Holds()) by_resource[hold.resource].push_back(hold);
    for (const Request& request : told_.requests) {
      const std::vector<Interval>& holds = by_resource[request.resource];
      auto hold = std::ranges::upper_bound(holds, request.asked, {}, &Interval::from);
      if (hold != holds.begin()) --hold;
      for (; hold != holds.end() && hold->from < request.answered; ++hold) {
        ShareOf(hold->client).blamed_ns +=
            Cut(std::max(hold->from, request.asked), std::min(hold->to, request.answered));
      }
    }
  }

  void ListOwners() {
    for (const Interval& hold : Holds()) {
      const std::int64_t from = std::max(hold.from, frame_.from_ns);
      const std::int64_t to = std::min(hold.to, frame_.to_ns);
      if (from >= to) continue;
      if (point_.owners.size() == reports::kMostOwnerSpans) {
        ++point_.owners_left_out;
        continue;
      }
      point_.owners.push_back(
          {hold.client, hold.resource, from - frame_.from_ns, to - frame_.from_ns});
    }
    for (const LogEvent& event : log_) {
      if (event.kind != EventKind::kFault) continue;
      const auto& [fault, until] = event.As<FaultDetails>();
      if (Cut(NsOf(event), until.count()) == 0) continue;
      point_.faults.push_back({std::max<std::int64_t>(0, NsOf(event) - frame_.from_ns),
                               std::min(until.count(), frame_.to_ns) - frame_.from_ns, fault});
    }
  }

  const EventLog& log_;
  const Frame& frame_;
  const Told told_;
  ContentionPoint point_;
  std::vector<const Request*> granted_;  // those that count, by the time of their grant
};

}  // namespace

ContentionPoint Measure(const EventLog& log, const Frame& frame) {
  return Measurement(log, frame).Run();
}

}  // namespace interlock::scenarios::contend
