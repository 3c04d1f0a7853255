// SPDX-License-Identifier: MIT
#include "scenarios/cli/replay_forced.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include <interlock/thread_runtime.h>

#include "reports/forced_report.h"
#include "scenarios/cli/interruption.h"
#include "scenarios/cli/output.h"
#include "scenarios/cli/replay_case.h"
#include "scenarios/cli/values.h"
#include "scenarios/judge/property.h"
#include "scenarios/log/words.h"
#include "scenarios/run/forced/forced_replay.h"
#include "scenarios/run/run.h"
#include "sim/machine/admin.h"
#include "sim/machine/redis_server.h"

namespace interlock::scenarios::cli {
namespace {

using reports::ExitCode;
using reports::Forced;
using reports::ForcedCase;
using sim::FaultKind;

/// A real server's clock cannot be stopped: an event just before the end of a lease may come just
/// after it. So each attempt hurries more, in thousandths of the time.
constexpr std::array<int, 4> kHastes = {0, 0, 5, 20};

std::vector<std::string> PersistenceArguments(sim::Persistence persistence) {
  switch (persistence) {
    case sim::Persistence::kAofAlways:
      return {"--appendonly", "yes", "--appendfsync", "always"};
    case sim::Persistence::kAofEverysec:
      return {"--appendonly", "yes", "--appendfsync", "everysec"};
    case sim::Persistence::kNone:
    case sim::Persistence::kRdb:
      break;
  }
  return {};
}

/// Why no real server can be made to do that; empty: one can.
std::string WhyImpossible(FaultKind kind, const Workload& workload, bool own) {
  const sim::FaultInfo& fault = *sim::FindFault(kind);
  switch (kind) {
    case FaultKind::kServerClockJump:
    case FaultKind::kServerClockRate:
      return "a real server's clock is the machine's, and is not set here";
    case FaultKind::kServerKill:
      if (workload.persistence == sim::Persistence::kRdb) {
        return "nobody controls when a real server saves a snapshot";
      }
      break;
    case FaultKind::kServerPowerLoss:
      if (workload.persistence == sim::Persistence::kRdb ||
          workload.persistence == sim::Persistence::kAofEverysec) {
        return "a killed process keeps what it wrote: losing it takes a power cut";
      }
      break;
    default:
      break;
  }
  if (own ||
      (fault.family != sim::FaultFamily::kServer && fault.family != sim::FaultFamily::kAdmin)) {
    return "";
  }
  return "it is only done to servers started for it: --redis spawn";
}

class Forcing {
 public:
  Forcing(const ForcedSettings& settings, const Registry& registry)
      : settings_(settings), registry_(registry), own_(settings.redis == "spawn") {}

  ExitCode Run() {
    if (!own_) {
      auto targets = sim::machine::ParseTargets(settings_.redis, settings_.allow_remote);
      if (!targets.ok()) return Complain(ExitCode::kUsage, targets.status().message());
      targets_ = *std::move(targets);
    }
    std::vector<ReplayCase> cases;
    for (const std::string& one : settings_.cases) {
      auto replayed = ReadReplayCase(one, registry_);
      if (!replayed.ok()) return Complain(ExitCode::kBadInput, replayed.status().message());
      cases.push_back(*std::move(replayed));
      if (Status fits = FitsServers(cases.back().workload); !fits.ok()) {
        return Complain(ExitCode::kUsage, fits.message());
      }
    }
    const auto server = FindServer();
    if (!server.ok()) return Complain(ExitCode::kRedisUnreachable, server.status().message());
    // A case of Redis 7.0 is no more of that one than of another; one of another was found there.
    server_ = *server;
    for (ReplayCase& one : cases) {
      if (one.unit.scenario->server == &sim::redis::DefaultDialect()) one.PutOn(*server_);
    }
    CatchInterruption();
    report_.tool = ThisTool();
    ExitCode code = ExitCode::kPass;
    Progress progress("forced", "cases");
    for (std::size_t i = 0; i < cases.size() && !Interrupted(); ++i) {
      if (cases.size() > 1) progress.Update(i, cases.size());
      const Status forced = Force(cases[i], settings_.cases[i]);
      if (forced.code() == StatusCode::kInvalidArgument) {
        return Complain(ExitCode::kUsage, forced.message());
      }
      if (!forced.ok()) return Complain(ExitCode::kRedisUnreachable, forced.message());
      code = Combine(code, ExitCodeOf(report_.cases.back()));
    }
    const ExitCode printed =
        Print(settings_.json ? ToJson(report_) : ToText(report_, TextOptionsForStdout()));
    return Combine(Combine(code, printed), InterruptionCode());
  }

 private:
  /// What the real servers are, by the first of them. kUnavailable: it cannot be reached or
  /// started, or none of those that are simulated is like it.
  Result<const sim::redis::Dialect*> FindServer() {
    sim::machine::ServerVersion version;
    if (own_) {
      auto found = sim::machine::RedisServer::FindVersion();
      if (!found.ok()) return found.status();
      version = *std::move(found);
    } else {
      auto admin = sim::machine::Admin::Open(runtime_, targets_.front());
      if (!admin.ok()) return admin.status();
      auto found = sim::machine::VersionOf(*admin);
      if (!found.ok()) return found.status();
      version = *std::move(found);
    }
    const auto* server = sim::redis::DialectOfVersion(version.valkey, version.number);
    if (server != nullptr) return server;
    return Status(StatusCode::kUnavailable,
                  fmt::format("the server is {}, which is not simulated: see `list commands "
                              "--help` for those that are",
                              version.text()));
  }

  Status FitsServers(const Workload& workload) const {
    const auto wanted = static_cast<std::size_t>(workload.nodes);
    if (own_ || targets_.size() == wanted) return Status();
    return Invalid(fmt::format("the case has {}: give as many URLs, separated by commas",
                               reports::Count(wanted, "server")));
  }

  /// Not ok: there is no server for it.
  Status Force(const ReplayCase& replayed, const std::string& source) {
    ForcedCase one;
    one.lock = replayed.unit.entry->subject->name();
    one.scenario = replayed.unit.scenario->name;
    one.synchrony = replayed.unit.synchrony;
    one.source = source;
    sim::Universe alone;
    const RunResult simulated = replayed.Run(alone);
    for (const Violation& violation : simulated.violations) {
      std::string name = fmt::format("{} {}", Code(violation.property), Slug(violation.property));
      if (std::ranges::find(one.violations, name) == one.violations.end()) {
        one.violations.push_back(std::move(name));
      }
    }
    one.reason = WhyNot(replayed.workload, simulated, one.faults);
    if (const sim::redis::Dialect& wanted = *replayed.unit.scenario->server; &wanted != server_) {
      one.reason =
          fmt::format("it is a case of {}, and the server is {}", wanted.name, server_->name);
    }
    for (const int haste : kHastes) {
      if (!one.reason.empty() || one.outcome == Forced::kAgrees || Interrupted()) break;
      ++one.attempts;
      one.haste = haste;
      const Status attempted = Attempt(replayed, simulated, one);
      if (!attempted.ok()) return attempted;
    }
    report_.cases.push_back(std::move(one));
    return Status();
  }

  std::string WhyNot(const Workload& workload, const RunResult& simulated,
                     std::vector<std::string>& faults) const {
    if (simulated.inconclusive)
      return "the simulated run is inconclusive: " + *simulated.inconclusive;
    if (simulated.virtual_time > std::chrono::seconds(settings_.longest)) {
      return fmt::format("it lasts {}, and leases take real time: --longest is {} s",
                         Instant(simulated.virtual_time), settings_.longest);
    }
    std::string why;
    for (const sim::FaultInfo& fault : sim::KnownFaults()) {
      if (!simulated.struck.test(static_cast<std::size_t>(fault.kind))) continue;
      faults.emplace_back(fault.name);
      const std::string impossible = WhyImpossible(fault.kind, workload, own_);
      if (why.empty() && !impossible.empty()) why = fmt::format("{}: {}", fault.name, impossible);
    }
    if (why.empty() && workload.topology == sim::Topology::kReplicated && !own_) {
      why =
          "replicas are stopped and promoted, which is only done to servers started for it: "
          "--redis spawn";
    }
    if (why.empty() && workload.topology == sim::Topology::kSentinel) {
      why = "it needs Sentinels, which --redis does not set up";
    }
    if (why.empty() && IsCluster(workload.topology)) {
      why = "it needs a Redis Cluster, which --redis does not set up";
    }
    return why;
  }

  Status Attempt(const ReplayCase& replayed, const RunResult& simulated, ForcedCase& one) {
    std::vector<std::unique_ptr<sim::machine::RedisServer>> own;
    std::vector<real::ForcedServer> servers;
    if (Status found = Servers(replayed.workload, own, servers); !found.ok()) return found;
    real::ForcedReplay forced(runtime_, std::move(servers), Interrupted(), one.haste);
    const bool replicated = replayed.workload.topology == sim::Topology::kReplicated;
    if (Status open = forced.Open(*replayed.unit.scenario->server, replayed.unit.scenario->database,
                                  replicated);
        !open.ok())
      return open;
    report_.backend = forced.backend() + (own_ ? " of its own" : "");
    sim::Universe universe;
    universe.SetShadow(&forced);
    const RunResult again = replayed.Run(universe);
    forced.CleanUp();
    if (again.trace_hash != simulated.trace_hash) {
      one.outcome = Forced::kDiffers;
      one.reason = "the simulated run differs each time";
      return Status();
    }
    one.commands = forced.commands();
    one.replies = forced.replies();
    one.forged = forced.forged();
    one.took = std::chrono::duration_cast<std::chrono::milliseconds>(forced.took());
    one.difference.reset();
    one.outcome = Forced::kAgrees;
    if (Interrupted()) {
      one.outcome = Forced::kNotForced;
      one.reason = "interrupted";
    } else if (!forced.obstacle().empty()) {
      one.outcome = Forced::kNotForced;
      one.reason = forced.obstacle();
    } else if (forced.difference()) {
      one.outcome = Forced::kDiffers;
      one.difference = RowOf(*forced.difference(), replayed.workload.nodes);
    }
    return Status();
  }

  /// Starts as many as the case has.
  Status Servers(const Workload& workload,
                 std::vector<std::unique_ptr<sim::machine::RedisServer>>& own,
                 std::vector<real::ForcedServer>& servers) const {
    const auto wanted = static_cast<std::size_t>(workload.nodes);
    for (std::size_t i = 0; i < wanted; ++i) {
      if (!own_) {
        servers.push_back({targets_[i], nullptr});
        continue;
      }
      sim::machine::RedisServerOptions options;
      options.arguments = PersistenceArguments(workload.persistence);
      if (workload.topology == sim::Topology::kReplicated) {
        options.arguments.insert(options.arguments.end(),
                                 {"--repl-timeout", "3600", "--repl-diskless-sync", "no"});
      }
      // So that timeouts of blocked clients end within 2 ms, not 100.
      options.arguments.insert(options.arguments.end(), {"--hz", "500"});
      auto started = sim::machine::RedisServer::Start(std::move(options));
      if (!started.ok()) return started.status();
      HiredisOptions target;
      target.port = (*started)->port();
      servers.push_back({std::move(target), started->get()});
      own.push_back(*std::move(started));
    }
    return Status();
  }

  static reports::ForcedDifferenceRow RowOf(const real::ForcedDifference& found, int nodes) {
    reports::ForcedDifferenceRow row;
    row.at = Instant(found.at);
    row.who = found.process < 0 ? "the operator" : fmt::format("C{}", found.process + 1);
    if (nodes > 1) row.who += fmt::format(" at server {}", found.node + 1);
    row.command = found.command.empty() ? "the beginning" : found.command;
    row.what = found.what;
    row.simulated = found.simulated;
    row.real = found.real;
    return row;
  }

  const ForcedSettings& settings_;
  const sim::redis::Dialect* server_ = nullptr;  ///< what the real ones are
  const Registry& registry_;
  const bool own_;
  std::vector<HiredisOptions> targets_;
  ThreadRuntime runtime_;
  reports::ForcedReport report_;
};

}  // namespace

ExitCode ReplayOnServers(const ForcedSettings& settings, const Registry& registry) {
  return Forcing(settings, registry).Run();
}

}  // namespace interlock::scenarios::cli
