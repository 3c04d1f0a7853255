// SPDX-License-Identifier: MIT
#include "scenarios/cases/workload.h"

#include <algorithm>

namespace interlock::scenarios {
namespace {

template <typename Condition>
bool AnyClient(const Workload& workload, const Condition& condition) {
  return std::ranges::any_of(workload.clients, condition);
}

template <typename Condition>
bool AnyOperation(const Workload& workload, const Condition& condition) {
  return AnyClient(workload, [&](const ClientPlan& client) {
    return std::ranges::any_of(client.operations, condition);
  });
}

}  // namespace

int ProcessOf(const Workload& workload, int client) {
  while (client > 0 && workload.clients[static_cast<std::size_t>(client)].shares_objects) --client;
  return client;
}

sim::FaultPlan FaultPlanOf(const Workload& workload) {
  std::size_t faults = 0;
  for (const ClientPlan& client : workload.clients) faults += client.faults.size();
  sim::FaultPlan plan;
  plan.reserve(faults);
  int client = 0;
  for (const ClientPlan& one : workload.clients) {
    for (const PlannedFault& fault : one.faults) {
      plan.push_back(
          {fault.kind, ProcessOf(workload, client), fault.step, fault.length, fault.node});
    }
    ++client;
  }
  return plan;
}

Workload WithFaults(Workload workload, const sim::FaultPlan& faults) {
  for (const sim::Fault& fault : faults) {
    const auto client = static_cast<std::size_t>(fault.process);
    if (fault.process < 0 || client >= workload.clients.size()) continue;
    workload.clients[client].faults.push_back({fault.kind, fault.step, fault.length, fault.node});
  }
  return workload;
}

Forcing ForcingOf(const Operation& operation) { return {operation.hold, operation.extend}; }

LatchUse LatchUseOf(const Operation& operation) {
  LatchUse use{.counts = !operation.shared, .request = operation};
  if (operation.extend) use.again_after = operation.hold;
  use.request.shared = false;  // nobody passes a latch as a reader
  return use;
}

Duration SerialLength(const Workload& workload) {
  Duration sum{};
  for (const ClientPlan& client : workload.clients) {
    for (const Operation& operation : client.operations) {
      sum += operation.think + operation.wait + operation.hold + operation.overstay;
      sum += operation.stall;
      sum += 2 * workload.lease;
    }
  }
  return sum;
}

Duration LongestPhaseOne(const Workload& workload) {
  return SerialLength(workload) + workload.lease;
}

bool HasReaders(const Workload& workload) {
  return AnyOperation(workload, [](const Operation& operation) { return operation.shared; });
}

bool HasOwnLimits(const Workload& workload) {
  return AnyClient(workload, [](const ClientPlan& one) { return one.limit.has_value(); });
}

bool VariesLimits(const Workload& workload) {
  return SetsLimits(workload) || HasOwnLeases(workload) || HasOwnLimits(workload);
}

bool SetsLimits(const Workload& workload) {
  return AnyOperation(workload, [](const Operation& one) { return one.sets_limit > 0; }) ||
         AnyClient(workload, [](const ClientPlan& one) { return one.limit == 0; });
}

bool HasOwnLeases(const Workload& workload) {
  return AnyClient(workload, [](const ClientPlan& one) { return one.lease.count() != 0; });
}

bool HasStops(const Workload& workload) {
  return AnyOperation(workload, [](const Operation& operation) { return operation.stops; });
}

bool HasOperators(const Workload& workload) {
  return AnyOperation(workload, [](const Operation& operation) { return operation.forces; });
}

std::string_view ToString(Ask ask) {
  switch (ask) {
    case Ask::kTry:
      return "try";
    case Ask::kWaitFor:
      return "wait-for";
    case Ask::kWait:
      return "wait";
  }
  return "?";
}

std::string_view ToString(GuardKind guard) {
  switch (guard) {
    case GuardKind::kNone:
      return "none";
    case GuardKind::kUnfenced:
      return "unfenced";
    case GuardKind::kFenced:
      return "fenced";
    case GuardKind::kCheckAndSet:
      return "checked";
  }
  return "?";
}

std::optional<GuardKind> GuardKindFromText(std::string_view text) {
  for (const GuardKind guard :
       {GuardKind::kNone, GuardKind::kUnfenced, GuardKind::kFenced, GuardKind::kCheckAndSet}) {
    if (ToString(guard) == text) return guard;
  }
  return std::nullopt;
}

}  // namespace interlock::scenarios
