// SPDX-License-Identifier: MIT
#include "scenarios/run/load/simulated.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "scenarios/cases/kind_model.h"
#include "scenarios/cases/scenario.h"
#include "scenarios/run/black_box.h"
#include "scenarios/run/load/client.h"
#include "scenarios/run/load/measure.h"
#include "scenarios/run/load/owner_watch.h"
#include "scenarios/run/wall_clock.h"
#include "sim/run_mirror.h"
#include "sim/universe.h"

namespace interlock::scenarios::contend {
namespace {

constexpr int kMasters = 5;

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
  SimulatedRun(const harness::Subject& subject, int clients, const Load& load, std::uint64_t seed)
      : subject_(subject),
        clients_(clients),
        load_(load),
        seed_(seed),
        options_(OptionsFor(subject, load, "interlock:")),
        watch_(subject, options_, log_),
        choices_(sim::Choices::FromSeed(seed)),
        world_(universe_, WorldOptionsOf(subject), no_plan_, choices_, &watch_) {
    watch_.Attach(world_);
    beats_.box = BlackBox::OfThisProcess();
    if (beats_.box != nullptr) choices_.set_mirror(&beats_);
  }

  Result<Measured> Run() {
    for (int client = 0; client < clients_; ++client) Start(client);
    const sim::StopReason stop = world_.Run(sim::VirtualTime(2 * load_.whole()));
    if (stop == sim::StopReason::kUnmodelled) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("{}: the fake server does not model {}", subject_.name(),
                                world_.unmodelled().value_or("a command")));
    }
    if (stop == sim::StopReason::kStepLimit) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("{} takes more than {} steps: it may poll without rest",
                                subject_.name(), kMostSteps));
    }
    // A hold that ended by its deadline is noted only when the next command finds it out.
    std::stable_sort(log_.begin(), log_.end(), [](const LogEvent& a, const LogEvent& b) {
      return a.at_latest < b.at_latest;
    });
    Frame frame;
    frame.lock = subject_.name();
    frame.clients = clients_;
    frame.resources = load_.resources;
    frame.from_ns = load_.warm_up.count();
    frame.to_ns = load_.whole().count();
    frame.open = load_.open();
    frame.one_owner = options_.front().permits == 1;
    frame.sees_server = true;
    Measured measured;
    measured.point = Measure(log_, frame);
    measured.point.trace_hash = world_.trace().hash();
    measured.log = std::move(log_);
    return measured;
  }

 private:
  static constexpr std::uint64_t kMostSteps = 200'000'000;

  static sim::WorldOptions WorldOptionsOf(const harness::Subject& subject) {
    sim::WorldOptions options;
    options.max_steps = kMostSteps;
    if (subject.traits().quorum) {
      options.topology = sim::Topology::kIndependent;
      options.nodes = kMasters;
    }
    return options;
  }

  void Start(int client) {
    world_.AddProcess({});
    world_.Start(client, [this, client] {
      const Note note = [this](int who, int resource, EventKind kind, EventDetails details) {
        log_.push_back({world_.now(), world_.now(), who, resource, kind, std::move(details)});
      };
      Runtime& runtime = world_.runtime(client);
      std::vector<std::unique_ptr<Connector>> connectors;
      harness::Environment environment{runtime, world_.connector(client), {}};
      for (int node = 0; node < world_.nodes(); ++node) {
        connectors.push_back(NotingConnector(world_.connector(client, node), client, note));
        environment.nodes.push_back(connectors.back().get());
      }
      harness::Environment noted{runtime, *connectors.front(), environment.nodes,
                                 SimulatedWallClock(runtime, Duration{})};
      std::vector<harness::LockOptions> own;
      for (const harness::LockOptions& options : options_)
        own.push_back(OptionsOf(client, options));
      const ClientTask task{client, &subject_,     std::move(own), load_,
                            seed_,  runtime.Now(), nullptr};
      Draws draws(seed_, clients_ + client);
      sim::VirtualTime next = UntilFault(draws);
      const std::function<void()> at_work = [&] { MayStrike(client, draws, next); };
      RunLoadClient(task, noted, note, at_work);
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

  const harness::Subject& subject_;
  const int clients_;
  const Load load_;
  const std::uint64_t seed_;
  const std::vector<harness::LockOptions> options_;
  EventLog log_;
  OwnerWatch watch_;
  sim::Universe universe_;
  const sim::FaultPlan no_plan_;  // the world keeps no copy
  Beats beats_;
  sim::Choices choices_;
  sim::World world_;
};

}  // namespace

std::vector<harness::LockOptions> OptionsFor(const harness::Subject& subject, const Load& load,
                                             const std::string& key_prefix) {
  std::vector<harness::LockOptions> all;
  for (int i = 0; i < load.resources; ++i) {
    harness::LockOptions options;
    options.key_prefix = key_prefix;
    options.resource = fmt::format("r{}", i + 1);
    options.lease = load.lease;
    if (ModelOf(subject.traits().kind).permits) options.permits = load.permits;
    if (subject.traits().several) {
      options.several = {options.resource, options.resource + "/2"};
    }
    all.push_back(std::move(options));
  }
  return all;
}

Result<Measured> MeasureSimulated(const harness::Subject& subject, int clients, const Load& load,
                                  std::uint64_t seed) {
  if (!ModelOf(subject.traits().kind).held) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{} is a latch: nobody contends for it", subject.name()));
  }
  return SimulatedRun(subject, clients, load, seed).Run();
}

}  // namespace interlock::scenarios::contend
