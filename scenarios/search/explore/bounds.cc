// SPDX-License-Identifier: MIT
#include "scenarios/search/explore/bounds.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace interlock::scenarios {
namespace {

constexpr Duration kTick = std::chrono::milliseconds(1);

std::string AtMost(int count, std::string_view one, std::string_view many) {
  if (count == 0) return fmt::format("0 {}", many);
  return fmt::format("<= {} {}", count, count == 1 ? one : many);
}

/// The same operation, asked for while the outer one is held.
Operation Inside(Operation outer) {
  outer.think = Duration{};
  outer.overstay = Duration{};
  outer.inside = true;
  return outer;
}

/// Gives each operation the next resource in turn; a nested one gets the resource after its outer
/// one's.
void SpreadOut(std::vector<Operation>& operations, int first, int resources) {
  int next = first;
  for (Operation& operation : operations) {
    const int own = operation.inside ? next : next++;
    operation.resource = own % resources;
  }
}

/// Sets the client's part in changing the limit; the workload's limit is `permits`.
void TakePartIn(const Bounds& bounds, int index, int permits, ClientPlan& client) {
  const int behind = bounds.clients - bounds.operators - index;  // counts the client itself
  const bool sets = 0 < behind && behind <= bounds.setters;
  for (Operation& operation : client.operations) operation.sets_limit = sets ? permits + 1 : 0;
  client.limit.reset();
  if (sets || behind <= 0) return;
  if (behind <= bounds.setters + bounds.other_limits) {
    client.limit = permits + 1;
  } else if (bounds.follow && index > 0) {
    client.limit = 0;
  }
}

}  // namespace

Duration Hundredths(const Bounds& bounds, int hundredths) {
  return Duration(bounds.lease) * hundredths / 100;
}

Workload ExploredWorkload(const Scenario& scenario, const Bounds& bounds) {
  Workload workload;
  workload.lease = bounds.lease - kTick;
  workload.life = std::chrono::floor<std::chrono::milliseconds>(Hundredths(bounds, bounds.life));
  workload.permits = scenario.shape.min_permits;
  workload.persistence = bounds.persistence;
  if (bounds.failovers > 0) {
    workload.topology = sim::Topology::kReplicated;
    workload.nodes = 2;
  }
  if (scenario.shape.topology == sim::Topology::kIndependent) {
    workload.topology = scenario.shape.topology;
    workload.nodes = bounds.masters > 0 ? bounds.masters : scenario.shape.nodes;
  }
  workload.resources = bounds.resources;
  workload.guard = bounds.writes;
  ClientPlan client;
  for (int i = 0; i < bounds.attempts; ++i) {
    Operation operation;
    operation.ask = bounds.waits ? Ask::kWaitFor : Ask::kTry;
    if (bounds.waits) operation.wait = Hundredths(bounds, bounds.wait);
    if (i > 0) operation.think = Hundredths(bounds, bounds.think);
    // A client refused twice returns just when the lease is over; no other client is in step with
    // anybody.
    if (operation.think > kTick) operation.think += i > 1 ? kTick : -kTick;
    operation.hold = Hundredths(bounds, bounds.hold);
    operation.extend = bounds.extend;
    if (bounds.overstay > 0 && i == 0) {
      // The section is long enough for a late client to come back into the next one's section.
      operation.hold = std::max(operation.hold, Hundredths(bounds, 50));
      operation.overstay = Hundredths(bounds, bounds.overstay);
    }
    client.operations.push_back(operation);
    if (bounds.nest) client.operations.push_back(Inside(operation));
  }
  for (int i = 0; i < bounds.clients; ++i) {
    if (bounds.clocks_apart) client.clock_offset = Hundredths(bounds, 200 * i);
    client.operations.front().think = Hundredths(bounds, i * bounds.stagger);
    SpreadOut(client.operations, i, bounds.resources);
    const bool reads = i >= bounds.clients - bounds.readers;
    for (Operation& operation : client.operations) {
      operation.shared = reads;
      operation.stops = bounds.waits && i < bounds.stops;
      operation.stop_after = operation.stops ? Hundredths(bounds, bounds.stop) : Duration{};
      operation.forces = i >= bounds.clients - bounds.operators;
    }
    TakePartIn(bounds, i, workload.permits, client);
    workload.clients.push_back(client);
  }
  return workload;
}

std::string ToText(const Bounds& bounds) {
  std::string text = AtMost(bounds.clients, "client", "clients") + ", " +
                     AtMost(bounds.attempts, "attempt", "attempts");
  if (bounds.masters > 0) text += fmt::format(", {} masters", bounds.masters);
  if (bounds.readers > 0) text += fmt::format(", of {} as readers", bounds.readers);
  if (bounds.setters > 0) text += fmt::format(", {} set a larger limit", bounds.setters);
  if (bounds.other_limits > 0) text += fmt::format(", {} give a larger one", bounds.other_limits);
  if (bounds.follow) text += ", all but the first follow the limit";
  if (bounds.life > 0) text += fmt::format(", latches of {} %", bounds.life);
  if (bounds.operators > 0) text += fmt::format(", of {} as operators", bounds.operators);
  if (bounds.waits) text += " that wait";
  const Bounds usual;
  if (bounds.waits && bounds.wait != usual.wait) text += fmt::format(" {} %", bounds.wait);
  if (bounds.stops > 0) text += fmt::format(", {} stopped at {} %", bounds.stops, bounds.stop);
  if (bounds.resources > 1) text += fmt::format(", {} resources in turn", bounds.resources);
  if (bounds.writes != GuardKind::kNone) {
    text += fmt::format(", {} writes", ToString(bounds.writes));
  }
  if (bounds.nest) text += ", the next one inside";
  if (bounds.extend) text += ", 1 extension each";
  if (bounds.overstay > 0) text += fmt::format(", 1 return {} % late each", bounds.overstay);
  if (bounds.stagger > 0) text += fmt::format(", {} % one after another", bounds.stagger);
  if (bounds.lease != usual.lease) text += fmt::format(", leases of {} ms", bounds.lease.count());
  if (bounds.clocks_apart) text += ", clocks apart";
  if (bounds.tasks_in_order) text += ", a client's tasks in order";
  const auto add = [&text](int count, std::string_view one, std::string_view many) {
    text += ", " + AtMost(count, one, many);
  };
  const auto add_if_any = [&add](int count, std::string_view one, std::string_view many) {
    if (count > 0) add(count, one, many);
  };
  add(bounds.crashes, "crash", "crashes");
  add(bounds.expiries, "expiry", "expiries");
  add(bounds.lost_replies, "lost reply", "lost replies");
  add_if_any(bounds.lost_requests, "lost request", "lost requests");
  add_if_any(bounds.silent_losses, "silent loss", "silent losses");
  add(bounds.pauses, "pause", "pauses");
  add_if_any(bounds.short_pauses, "short pause", "short pauses");
  add_if_any(bounds.failovers, "failover", "failovers");
  if (bounds.failovers > 0) text += " to a replica that may lag";
  add_if_any(bounds.restarts, "server restart", "server restarts");
  if (bounds.restarts > 0) {
    text +=
        bounds.persistence == sim::Persistence::kNone ? " with all data lost" : " with all data";
  }
  const int sum = bounds.crashes + bounds.lost_replies + bounds.lost_requests +
                  bounds.silent_losses + bounds.pauses + bounds.short_pauses +
                  2 * bounds.failovers + bounds.restarts;
  if (bounds.faults < sum) text += fmt::format(", <= {} of these together", bounds.faults);
  text += fmt::format(" (sections of {} %, breaks of {} % of a lease)", bounds.hold, bounds.think);
  return text;
}

}  // namespace interlock::scenarios
