// SPDX-License-Identifier: MIT
#include "scenarios/run/load/simulated.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "scenarios/cases/kind_model.h"
#include "scenarios/run/black_box.h"
#include "scenarios/run/load/client.h"
#include "scenarios/run/load/measure.h"
#include "scenarios/run/load/owner_watch.h"
#include "scenarios/run/wall_clock.h"
#include "sim/run_mirror.h"
#include "sim/universe.h"

namespace interlock::scenarios::contend {
namespace {

/// Shows the progress of this process to the waiting one, because a measurement may take long.
struct Beats final : sim::RunMirror {
  void OnDraw(sim::Lane /*lane*/, std::uint32_t /*value*/) override {}
  void OnFault(const sim::Fault& /*fault*/) override {}
  void OnTask(int /*process*/) override { box->Beat(); }
  void OnEvent(const sim::TraceEvent& /*event*/) override {}

  BlackBox* box = nullptr;
};

class SimulatedRun {
 public:
  SimulatedRun(const Measurand& measurand, std::uint64_t seed)
      : measurand_(measurand),
        load_(measurand.load),
        seed_(seed),
        watch_(*measurand.subject, measurand.options, log_),
        choices_(sim::Choices::FromSeed(seed)),
        world_(universe_, WorldOptionsOf(measurand), no_plan_, choices_, &watch_) {
    watch_.Attach(world_);
    beats_.box = BlackBox::OfThisProcess();
    if (beats_.box != nullptr) choices_.set_mirror(&beats_);
  }

  Result<Measured> Run() {
    for (int client = 0; client < measurand_.clients; ++client) Start(client);
    const sim::StopReason stop = world_.Run(sim::VirtualTime(2 * load_.whole()));
    if (stop == sim::StopReason::kUnmodelled) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("{}: the fake server does not model {}", measurand_.subject->name(),
                                world_.unmodelled().value_or("a command")));
    }
    if (stop == sim::StopReason::kStepLimit) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("{} takes more than {} steps in {} s: measure it for a shorter "
                                "time, or with fewer clients, unless it polls without rest",
                                measurand_.subject->name(), kMostSteps,
                                std::chrono::ceil<std::chrono::seconds>(load_.whole()).count()));
    }
    Measured measured = MeasuredBy(std::move(log_), measurand_, true);
    measured.point.trace_hash = world_.trace().hash();
    return measured;
  }

 private:
  /// What they note is kept until the end: some 2 GB.
  static constexpr std::uint64_t kMostSteps = 10'000'000;

  static sim::WorldOptions WorldOptionsOf(const Measurand& measurand) {
    const harness::Subject& subject = *measurand.subject;
    sim::WorldOptions options;
    options.dialect = measurand.load.server;
    options.max_steps = kMostSteps;
    if (subject.traits().quorum) options.topology = sim::Topology::kIndependent;
    if (subject.traits().on_disk) options.persistence = sim::Persistence::kAofAlways;
    options.nodes = ServersFor(subject);
    return options;
  }

  void Start(int client) {
    world_.AddProcess({});
    const harness::Traits traits = measurand_.subject->traits();
    if (traits.posix) world_.ServePosix(client, traits.os_threads);
    world_.Start(client, [this, client] {
      const Note note = [this](int who, int resource, EventKind kind, EventDetails details) {
        log_.push_back({world_.now(), world_.now(), who, resource, kind, std::move(details)});
      };
      Runtime& runtime = world_.runtime(client);
      ClientPlace place{runtime, {}, SimulatedWallClock(runtime, Duration{})};
      for (int node = 0; node < world_.nodes(); ++node) {
        place.nodes.push_back(&world_.connector(client, node));
      }
      const ClientTask task{.client = client,
                            .subject = measurand_.subject,
                            .options = measurand_.options,
                            .load = load_,
                            .seed = seed_,
                            .began = runtime.Now()};
      Draws draws(seed_, measurand_.clients + client);
      sim::VirtualTime next = UntilFault(draws);
      RunLoadClient(task, place, note, [&] { MayStrike(client, draws, next); });
    });
  }

  Duration UntilFault(Draws& draws) const { return draws.Exponential(20 * load_.lease); }

  void MayStrike(int client, Draws& draws, sim::VirtualTime& next) {
    if (load_.faults == FaultProfile::kNone || world_.now() < next) return;
    sim::Fault fault;
    fault.process = client;
    fault.step = world_.steps(client);
    const bool pause = load_.faults == FaultProfile::kPauses;
    fault.kind = pause ? sim::FaultKind::kPause : sim::FaultKind::kPartition;
    fault.length = pause ? load_.lease * 3 / 2 : load_.lease / 2;
    const sim::VirtualTime until = world_.now() + fault.length;
    log_.push_back(
        {world_.now(), world_.now(), client, 0, EventKind::kFault,
         FaultDetails{fmt::format("{} of C{}", pause ? "pause" : "partition", client + 1), until}});
    next = until + UntilFault(draws);
    world_.Strike(client, fault);
  }

  const Measurand& measurand_;
  const Load& load_;
  const std::uint64_t seed_;
  EventLog log_;
  OwnerWatch watch_;
  sim::Universe universe_;
  const sim::FaultPlan no_plan_;  // the world keeps no copy
  Beats beats_;
  sim::Choices choices_;
  sim::World world_;
};

}  // namespace

int ServersFor(const harness::Subject& subject) {
  constexpr int kMasters = 5;  // for a quorum
  return subject.traits().quorum ? kMasters : 1;
}

Result<Measurand> MeasurandOf(const harness::Subject& subject, int clients, const Load& load,
                              const std::string& key_prefix) {
  if (!ModelOf(subject.traits().kind).held) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{} is a latch: nobody contends for it", subject.name()));
  }
  Measurand measurand{&subject, clients, load, {}};
  for (int i = 0; i < load.resources; ++i) {
    harness::LockOptions options;
    options.key_prefix = key_prefix;
    options.resource = fmt::format("r{}", i + 1);
    options.lease = load.lease;
    options.masters = ServersFor(subject);
    if (ModelOf(subject.traits().kind).permits) options.permits = load.permits;
    if (subject.traits().several) {
      options.several = {options.resource, options.resource + "/2"};
    }
    measurand.options.push_back(std::move(options));
  }
  return measurand;
}

Measured MeasuredBy(EventLog log, const Measurand& measurand, bool sees_server) {
  // In a server, a hold that ended by its deadline is noted when the next command finds it out.
  std::ranges::stable_sort(log, {}, &LogEvent::at_latest);
  const Load& load = measurand.load;
  Frame frame;
  frame.lock = measurand.subject->name();
  frame.clients = measurand.clients;
  frame.resources = load.resources;
  frame.from_ns = load.warm_up.count();
  frame.to_ns = load.whole().count();
  frame.open = load.open();
  frame.one_owner = measurand.options.front().permits == 1;
  frame.sees_server = sees_server;
  return {Measure(log, frame), std::move(log)};
}

Result<Measured> MeasureSimulated(const harness::Subject& subject, int clients, const Load& load,
                                  std::uint64_t seed) {
  if (subject.traits().on_disk && !load.server->since_72) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{} needs WAITAOF, which {} has not: --server redis-8.0",
                              subject.name(), load.server->name));
  }
  const Result<Measurand> measurand = MeasurandOf(subject, clients, load, "interlock:");
  if (!measurand.ok()) return measurand.status();
  return SimulatedRun(*measurand, seed).Run();
}

}  // namespace interlock::scenarios::contend
