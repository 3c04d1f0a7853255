// SPDX-License-Identifier: MIT
#include "scenarios/search/shrink/parts.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "scenarios/log/words.h"

namespace interlock::scenarios {
namespace {

constexpr Duration kMs = std::chrono::milliseconds(1);

template <typename Parts>
std::vector<Place> PlacesOf(const Workload& workload, Parts parts) {
  std::vector<Place> places;
  for (std::size_t client = 0; client < workload.clients.size(); ++client) {
    for (std::size_t i = 0; i < (workload.clients[client].*parts).size(); ++i) {
      places.push_back({client, i});
    }
  }
  return places;
}

/// Simple lengths around the lease.
std::vector<Duration> AroundLease(Duration lease) {
  return {Duration{},  kMs,           lease / 4, lease / 2, lease - kMs, lease,
          lease + kMs, 3 * lease / 2, 2 * lease, 4 * lease, 8 * lease};
}

std::vector<Duration> SimpleLengths(sim::FaultLength meaning, Duration lease) {
  switch (meaning) {
    case sim::FaultLength::kUnused:
      return {};
    case sim::FaultLength::kDuration:
      return AroundLease(lease);
    case sim::FaultLength::kSigned:
      return {Duration{}, kMs,   -kMs,   lease / 4, -lease / 4, lease / 2,
              -lease / 2, lease, -lease, 2 * lease, -2 * lease};
    case sim::FaultLength::kPpm: {
      std::vector<Duration> rates = {Duration{}};
      for (const int ppm : {100, 1000, 10'000, 100'000, 500'000}) {
        rates.emplace_back(ppm);
        rates.emplace_back(-ppm);
      }
      return rates;
    }
  }
  return {};
}

/// The lengths that a lock accepts, in whole milliseconds.
std::vector<Duration> WholeLengths(Duration lease) {
  std::vector<Duration> lengths;
  for (const Duration length : {4 * lease, 2 * lease, lease, lease / 2, lease / 4}) {
    lengths.push_back(std::max(kMs, length / kMs * kMs));
  }
  return lengths;
}

void AddOperationKnobs(const Workload& workload, Place place, std::vector<Knob>& knobs) {
  const ClientPlan& client = workload.clients[place.client];
  const Operation& operation = client.operations[place.index];
  const std::string who = ClientName(static_cast<int>(place.client)) + "'s ";
  const std::string which =
      client.operations.size() > 1 ? fmt::format(" in operation {}", place.index + 1) : "";
  const auto add = [&](std::string_view what, Duration Operation::*length) {
    knobs.push_back({who + std::string(what) + which, AroundLease(workload.lease),
                     [place, length](Workload& w) -> Duration& {
                       return w.clients[place.client].operations[place.index].*length;
                     }});
  };
  add("thinking time", &Operation::think);
  if (operation.sets_limit > 0) return;
  if (operation.ask == Ask::kWaitFor) add("longest wait", &Operation::wait);
  add("time in the section", &Operation::hold);
  if (operation.overstay.count() != 0) add("overstay", &Operation::overstay);
  if (operation.stall.count() != 0) add("stall", &Operation::stall);
  if (operation.stops) add("time until it is stopped", &Operation::stop_after);
}

bool HasServerFault(const Workload& workload) {
  const sim::FaultPlan plan = FaultPlanOf(workload);
  return std::ranges::any_of(plan, [](const sim::Fault& fault) {
    const sim::FaultInfo* info = sim::FindFault(fault.kind);
    return info != nullptr && info->family == sim::FaultFamily::kServer;
  });
}

template <typename Change>
void AddChanged(const Workload& workload, const Change& change, std::vector<Workload>& simpler) {
  Workload changed = workload;
  change(changed);
  if (!(changed == workload)) simpler.push_back(std::move(changed));
}

void AddSimplerOperation(const Workload& workload, Place place, std::vector<Workload>& simpler) {
  const auto add = [&](const auto& change) { AddChanged(workload, change, simpler); };
  const auto at = [place](Workload& w) -> Operation& {
    return w.clients[place.client].operations[place.index];
  };
  add([&](Workload& w) { at(w).resource = 0; });
  add([&](Workload& w) { at(w).extend = false; });
  add([&](Workload& w) { at(w).inside = false; });
  add([&](Workload& w) { at(w).outlives = false; });
  add([&](Workload& w) { at(w).drops = false; });
  add([&](Workload& w) { at(w).shared = false; });
  add([&](Workload& w) {
    if (at(w).sets_limit > 1) --at(w).sets_limit;
  });
  add([&](Workload& w) { at(w).heedless = false; });
  add([&](Workload& w) { at(w).stall = Duration{}; });
  add([&](Workload& w) {
    at(w).stops = false;
    at(w).stop_after = Duration{};
  });
  for (const Ask ask : {Ask::kTry, Ask::kWaitFor}) {
    add([&](Workload& w) {
      if (at(w).ask <= ask) return;
      at(w).ask = ask;
      if (at(w).wait.count() == 0) at(w).wait = w.lease;
    });
  }
}

}  // namespace

std::vector<Place> FaultPlaces(const Workload& workload) {
  return PlacesOf(workload, &ClientPlan::faults);
}

std::vector<Place> OperationPlaces(const Workload& workload) {
  return PlacesOf(workload, &ClientPlan::operations);
}

std::vector<Knob> KnobsOf(const Workload& workload) {
  std::vector<Knob> knobs;
  for (const Place place : FaultPlaces(workload)) {
    const PlannedFault& fault = workload.clients[place.client].faults[place.index];
    const sim::FaultInfo* info = sim::FindFault(fault.kind);
    if (info == nullptr || info->length() == sim::FaultLength::kUnused) continue;
    knobs.push_back(
        {fmt::format("{} of {}", info->name, ClientName(static_cast<int>(place.client))),
         SimpleLengths(info->length(), workload.lease),
         [place](Workload& w) -> Duration& {
           return w.clients[place.client].faults[place.index].length;
         },
         info->length() == sim::FaultLength::kPpm});
  }
  knobs.push_back(
      {"latency", {Duration{}, kMs}, [](Workload& w) -> Duration& { return w.latency_max; }});
  for (std::size_t client = 0; client < workload.clients.size(); ++client) {
    knobs.push_back(
        {ClientName(static_cast<int>(client)) + "'s clock offset",
         {Duration{}},
         [client](Workload& w) -> Duration& { return w.clients[client].clock_offset; }});
  }
  if (workload.life.count() != 0) {
    knobs.push_back({"the latch's life", WholeLengths(workload.lease),
                     [](Workload& w) -> Duration& { return w.life; }});
  }
  for (std::size_t client = 0; client < workload.clients.size(); ++client) {
    if (workload.clients[client].lease.count() == 0) continue;
    knobs.push_back({ClientName(static_cast<int>(client)) + "'s lease",
                     {Duration{}, WholeLengths(workload.lease / 2)[2]},
                     [client](Workload& w) -> Duration& { return w.clients[client].lease; }});
  }
  for (const Place place : OperationPlaces(workload)) AddOperationKnobs(workload, place, knobs);
  return knobs;
}

std::vector<Workload> SimplerKinds(const Workload& workload, bool on_disk) {
  std::vector<Workload> simpler;
  const auto add = [&](const auto& change) { AddChanged(workload, change, simpler); };
  add([](Workload& w) { w.permits = std::max(1, w.permits - 1); });
  add([](Workload& w) { w.life = Duration{}; });
  add([](Workload& w) {
    w.resources = std::max(1, w.resources - 1);
    for (ClientPlan& client : w.clients) {
      for (Operation& operation : client.operations) {
        operation.resource = std::min(operation.resource, w.resources - 1);
      }
    }
  });
  add([](Workload& w) {
    w.guard = GuardKind::kNone;
    for (ClientPlan& client : w.clients) {
      for (Operation& operation : client.operations) {
        operation.heedless = false;
        operation.stall = Duration{};
      }
    }
  });
  add([on_disk](Workload& w) {
    // Persistence that a server fault needs is kept: without it another assumption would fail.
    if (!HasServerFault(w) && !on_disk) w.persistence = sim::Persistence::kNone;
  });
  add([](Workload& w) {
    // A standalone server would make this another lock, or another promise.
    if (w.topology == sim::Topology::kIndependent || IsCluster(w.topology)) return;
    w.topology = sim::Topology::kStandalone;
    w.nodes = 1;
    for (ClientPlan& client : w.clients) {
      for (PlannedFault& fault : client.faults) fault.node = 0;
    }
  });
  for (std::size_t client = 0; client < workload.clients.size(); ++client) {
    add([client](Workload& w) { w.clients[client].clock_rate_ppm = 0; });
    add([client](Workload& w) { w.clients[client].limit.reset(); });
    add([client](Workload& w) {
      std::optional<int>& limit = w.clients[client].limit;
      if (limit.value_or(0) > 1) limit = *limit - 1;
    });
    add([client](Workload& w) { w.clients[client].lease = Duration{}; });
    add([client](Workload& w) { w.clients[client].shares_objects = false; });
  }
  for (const Place place : OperationPlaces(workload)) AddSimplerOperation(workload, place, simpler);
  return simpler;
}

Workload ScaledTo(Workload workload, Duration lease) {
  // Computes in whole milliseconds, the quotient first, because the product of two lengths would
  // overflow.
  const std::int64_t from = workload.lease / kMs;
  const std::int64_t to = lease / kMs;
  for (const Knob& knob : KnobsOf(workload)) {
    if (knob.is_rate) continue;
    Duration& length = knob.at(workload);
    length = length / from * to + length % from * to / from;
  }
  for (ClientPlan& client : workload.clients) {
    if (client.lease.count() > 0) client.lease = std::max(kMs, client.lease / kMs * kMs);
  }
  if (workload.life.count() > 0) workload.life = std::max(kMs, workload.life / kMs * kMs);
  workload.lease = lease;
  return workload;
}

}  // namespace interlock::scenarios
