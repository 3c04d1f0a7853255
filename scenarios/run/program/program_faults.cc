// SPDX-License-Identifier: MIT
#include "scenarios/run/program/program_faults.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "scenarios/cases/dice.h"
#include "scenarios/cases/raw_workload.h"
#include "sim/posix/objects.h"
#include "sim/tripwire.h"
#include "sim/unknown_name.h"

namespace interlock::scenarios {
namespace {

// The run's choices come from the same seed: these draws must not be the same as theirs.
constexpr std::uint64_t kStream = 14 * 0x9e3779b97f4a7c15ULL;
constexpr std::int64_t kMostRatePpm = 2'500;  // as in the scenarios with clock faults
constexpr int kOffsets = 4;
constexpr int kCalmOneIn = 8;
constexpr std::size_t kLongestName = 64;
constexpr Duration kLongestLease = std::chrono::hours(24);
constexpr int kMostBudget = 1000;
constexpr std::size_t kMostClients = 100;  // as many as a token holds

Status Bad(std::string message) { return Status(StatusCode::kInvalidArgument, std::move(message)); }

struct Form {
  std::string_view name;
  sim::Topology topology;
  int nodes;  ///< unless it says
  int least;
  int most;
};
constexpr auto kForms = std::to_array<Form>({
    {"standalone", sim::Topology::kStandalone, 1, 1, 1},
    {"replicated", sim::Topology::kReplicated, 2, 2, kMostNodes},
    {"sentinel", sim::Topology::kSentinel, 2 + sim::kSentinelNodes, 1 + sim::kSentinelNodes,
     kMostNodes},
    {"independent", sim::Topology::kIndependent, 3, 1, kMostNodes},
    {"cluster", sim::Topology::kCluster, 3, 1, kMostNodes},
    {"replicated-cluster", sim::Topology::kShards, 6, 2, kMostNodes - 1},
});
constexpr auto kPersistences =
    std::to_array({sim::Persistence::kNone, sim::Persistence::kRdb, sim::Persistence::kAofAlways,
                   sim::Persistence::kAofEverysec});

Status CheckNames(const harness::Program& program) {
  const std::string& name = program.name;
  const bool fits =
      !name.empty() && name.size() <= kLongestName &&
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789./_-") == std::string::npos;
  if (!fits) {
    return Bad(
        fmt::format("invalid program name \"{}\"; expected 1 to {} characters from "
                    "[a-z0-9./_-]",
                    name, kLongestName));
  }
  std::vector<std::string_view> known = {harness::kEverybodyEnds, harness::kNobodyThrows,
                                         harness::kNobodyCrashes};
  for (const harness::Invariant& invariant : program.invariants) {
    if (invariant.name.empty()) return Bad("an invariant has no name; expected what must hold");
    if (!invariant.broken) {
      return Bad(fmt::format("the invariant \"{}\" has no function", invariant.name));
    }
    if (std::find(known.begin(), known.end(), invariant.name) != known.end()) {
      return Bad(
          fmt::format("there are two invariants \"{}\"; expected a name for each", invariant.name));
    }
    known.emplace_back(invariant.name);
  }
  return Status();
}

Status CheckClients(const harness::Program& program) {
  const std::size_t clients = program.clients.size();
  if (clients == 0 || clients > kMostClients) {
    return Bad(fmt::format("the program has {} clients; expected 1 to {}", clients, kMostClients));
  }
  for (std::size_t i = 0; i < clients; ++i) {
    if (!program.clients[i]) return Bad(fmt::format("client {} has no function", i));
  }
  if (program.os_threads && !program.posix) {
    return Bad("os_threads without posix; expected both, or neither");
  }
  if (program.posix && !sim::TripwireIsArmed()) {
    return Bad(
        "posix clients cannot be simulated in this build: ThreadSanitizer has the C library's "
        "functions");
  }
  if (program.posix && !sim::posix::UnknownObjects().empty()) {
    return Bad(
        fmt::format("{} names \"{}\"; expected the beginning of the name of a shared object "
                    "that is loaded, such as libcrypto",
                    sim::posix::kSharedStatics, sim::posix::UnknownObjects().front()));
  }
  return Status();
}

Status CheckTimes(const harness::Program& program) {
  if (program.lease < std::chrono::milliseconds(1) || program.lease > kLongestLease) {
    return Bad(
        fmt::format("invalid lease of {} ns; expected 1 ms to 24 hours", program.lease.count()));
  }
  if (program.slowest_message.count() < 1) {
    return Bad(fmt::format("invalid slowest_message of {} ns; expected more than 0",
                           program.slowest_message.count()));
  }
  if (program.lasts.count() < 1 || program.lasts > kLongestLease) {
    return Bad(fmt::format("invalid lasts of {} ns; expected more than 0, and 24 hours at most",
                           program.lasts.count()));
  }
  if (program.ends_within &&
      (program.ends_within->count() < 0 || *program.ends_within > kLongestLease)) {
    return Bad(fmt::format("invalid ends_within of {} ns; expected 0 to 24 hours, or none",
                           program.ends_within->count()));
  }
  return Status();
}

Status CheckVersion(const harness::Program& program) {
  if (sim::redis::FindDialect(program.version) != nullptr) return Status();
  std::vector<std::string_view> known;
  for (const sim::redis::Dialect& one : sim::redis::Dialects()) known.push_back(one.name);
  return Bad(fmt::format("{}; expected one of {}",
                         sim::UnknownName("version", program.version, known),
                         fmt::join(known, ", ")));
}

Status SetServers(const harness::Program& program, Workload& workload) {
  const auto form = std::ranges::find(kForms, program.servers, &Form::name);
  if (form == kForms.end()) {
    std::vector<std::string_view> known;
    for (const Form& one : kForms) known.push_back(one.name);
    return Bad(fmt::format("invalid servers \"{}\"; expected one of {}", program.servers,
                           fmt::join(known, ", ")));
  }
  if (program.nodes != 0 && (program.nodes < form->least || program.nodes > form->most)) {
    return Bad(fmt::format("invalid nodes {} of {} servers; expected {} to {}, or 0 for {}",
                           program.nodes, program.servers, form->least, form->most, form->nodes));
  }
  if (form->topology == sim::Topology::kShards && program.nodes % 2 != 0) {
    return Bad(
        fmt::format("invalid nodes {} of {} servers; expected an even number, as each "
                    "master has a replica",
                    program.nodes, program.servers));
  }
  const auto persistence = std::ranges::find_if(
      kPersistences, [&](sim::Persistence one) { return ToString(one) == program.persistence; });
  if (persistence == kPersistences.end()) {
    return Bad(
        fmt::format("invalid persistence \"{}\"; expected none, rdb, aof-always or "
                    "aof-everysec",
                    program.persistence));
  }
  workload.topology = form->topology;
  workload.nodes = program.nodes != 0 ? program.nodes : form->nodes;
  workload.persistence = *persistence;
  return Status();
}

PlannedFault DrawFault(Dice& dice, sim::FaultKind kind, int steps, const Workload& calm) {
  PlannedFault fault;
  fault.kind = kind;
  // Some beyond the end of the calm run, because a run with faults may take longer; early ones more
  // often, because that is where clients meet.
  const int most = steps + steps / 4 + 4;
  fault.step = dice.Below(dice.OneIn(2) ? most : most / 3 + 1);
  fault.length = FaultLength(kind, dice.Below(LengthRungs(kind)), calm.lease, kMostRatePpm);
  if (sim::FindFault(kind)->uses_node) fault.node = dice.Below(calm.nodes);
  return fault;
}

Status CheckNeeds(const sim::FaultInfo& fault, sim::Topology servers,
                  const sim::redis::Dialect& server) {
  const auto bad = [&](std::string_view what, std::string_view expected) {
    const auto form = std::ranges::find(kForms, servers, &Form::topology);
    return Bad(fmt::format("the fault {} needs {}, and the servers are {}; expected {}", fault.name,
                           what, form->name, expected));
  };
  switch (fault.needs) {
    case sim::FaultNeeds::kNothing:
      break;
    case sim::FaultNeeds::kReplica:
      if (!IsReplicated(servers)) return bad("a replica", "replicated or sentinel");
      break;
    case sim::FaultNeeds::kCluster:
      if (!IsCluster(servers)) return bad("a cluster", "cluster or replicated-cluster");
      break;
    case sim::FaultNeeds::kShardReplica:
      if (servers != sim::Topology::kShards)
        return bad("replicas of a cluster's masters", "replicated-cluster");
      break;
    case sim::FaultNeeds::kMigration:
      if (!IsCluster(servers)) return bad("a cluster", "cluster or replicated-cluster");
      if (!server.IsIn(sim::redis::kValkeyFrom90)) {
        return Bad(
            fmt::format("the fault {} needs Valkey from 9.0 on, and the version is {}; expected "
                        "valkey-9.1 or valkey-9.2",
                        fault.name, server.name));
      }
      break;
  }
  return Status();
}

}  // namespace

Result<Workload> CalmWorkload(const harness::Program& program) {
  Workload workload;
  for (Status checked : {CheckNames(program), CheckClients(program), CheckTimes(program),
                         CheckVersion(program), SetServers(program, workload)}) {
    if (!checked.ok()) return checked;
  }
  workload.lease = program.lease;
  workload.latency_max = program.slowest_message;
  workload.clients.resize(program.clients.size());
  return workload;
}

const sim::redis::Dialect& ServerOf(const harness::Program& program) {
  return *sim::redis::FindDialect(program.version);
}

Result<std::vector<FaultLimit>> FaultLimits(const std::vector<harness::FaultBudget>& budgets,
                                            const Workload& calm,
                                            const sim::redis::Dialect& server) {
  std::vector<FaultLimit> limits;
  for (const harness::FaultBudget& budget : budgets) {
    const sim::FaultInfo* info = sim::FindFault(std::string_view(budget.fault));
    if (info == nullptr) {
      std::vector<std::string_view> known;
      for (const sim::FaultInfo& one : sim::KnownFaults()) known.push_back(one.name);
      return Bad(fmt::format("{}; expected one of {}",
                             sim::UnknownName("fault", budget.fault, known),
                             fmt::join(known, ", ")));
    }
    if (budget.most < 0 || budget.most > kMostBudget) {
      return Bad(fmt::format("invalid budget of {} for the fault {}; expected 0 to {}", budget.most,
                             budget.fault, kMostBudget));
    }
    if (Status fits = CheckNeeds(*info, calm.topology, server); !fits.ok()) return fits;
    if (budget.most > 0) limits.push_back({info->kind, budget.most});
  }
  return limits;
}

Workload DrawFaults(const Workload& calm, const std::vector<FaultLimit>& limits,
                    const std::vector<int>& steps, std::uint64_t seed) {
  Dice dice(seed ^ kStream);
  Workload workload = calm;
  for (ClientPlan& client : workload.clients) {
    client.clock_offset = std::chrono::seconds(1000) * dice.Below(kOffsets);
  }
  if (limits.empty() || dice.OneIn(kCalmOneIn)) return workload;
  // One kind is on in any case, each other one in half of the runs.
  const int always = dice.Below(static_cast<int>(limits.size()));
  for (std::size_t i = 0; i < limits.size(); ++i) {
    if (static_cast<int>(i) != always && dice.OneIn(2)) continue;
    for (int left = 1 + dice.Below(limits[i].most); left > 0; --left) {
      const auto client =
          static_cast<std::size_t>(dice.Below(static_cast<int>(workload.clients.size())));
      workload.clients[client].faults.push_back(
          DrawFault(dice, limits[i].kind, steps[client], calm));
    }
  }
  return workload;
}

}  // namespace interlock::scenarios
