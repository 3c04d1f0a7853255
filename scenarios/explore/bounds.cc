// SPDX-License-Identifier: MIT
#include "scenarios/explore/bounds.h"

#include <algorithm>

#include <fmt/format.h>

namespace interlock::scenarios {
namespace {

constexpr Duration kLease = std::chrono::milliseconds(400);

std::string AtMost(int count, std::string_view one, std::string_view many) {
  if (count == 0) return fmt::format("0 {}", many);
  return fmt::format("<= {} {}", count, count == 1 ? one : many);
}

bool Has(const Scenario& scenario, sim::FaultKind kind) {
  const auto& faults = scenario.shape.faults;
  return std::find(faults.begin(), faults.end(), kind) != faults.end();
}

}  // namespace

Workload ExploredWorkload(const Scenario& scenario, const Bounds& bounds) {
  Workload workload;
  workload.lease = kLease;
  workload.permits = scenario.shape.min_permits;
  ClientPlan client;
  for (int i = 0; i < bounds.attempts; ++i) {
    Operation operation;
    operation.ask = bounds.waits ? Ask::kWaitFor : Ask::kTry;
    if (bounds.waits) operation.wait = 2 * kLease;
    if (i > 0) operation.think = kLease / 2;
    if (i > 1) operation.think += std::chrono::milliseconds(1);
    operation.hold = kLease / 4;
    operation.extend = bounds.extend;
    // Where nothing stops a client, only its own forgetfulness lets a lease pass.
    const bool forgets = scenario.shape.overstay && !Has(scenario, sim::FaultKind::kPause);
    if (forgets && i == 0) operation.overstay = kLease / 2;
    client.operations.push_back(operation);
  }
  workload.clients.assign(static_cast<std::size_t>(bounds.clients), client);
  return workload;
}

std::string ToText(const Bounds& bounds) {
  std::string text = AtMost(bounds.clients, "client", "clients") + ", " +
                     AtMost(bounds.attempts, "attempt", "attempts");
  if (bounds.waits) text += " that wait";
  if (bounds.extend) text += ", 1 extension each";
  text += ", " + AtMost(bounds.crashes, "crash", "crashes");
  text += ", " + AtMost(bounds.expiries, "expiry", "expiries");
  text += ", " + AtMost(bounds.lost_replies, "lost reply", "lost replies");
  if (bounds.silent_losses > 0) {
    text += ", " + AtMost(bounds.silent_losses, "silent loss", "silent losses");
  }
  text += ", " + AtMost(bounds.pauses, "pause", "pauses");
  const int sum = bounds.crashes + bounds.lost_replies + bounds.silent_losses + bounds.pauses;
  if (bounds.faults < sum) text += fmt::format(", <= {} of these at a time", bounds.faults);
  return text;
}

}  // namespace interlock::scenarios
