// SPDX-License-Identifier: MIT
//
// Invariant: once there is a breach nothing more is looked at, so the breach of a run is its first.
// User code is called in three places, a client's life, setup and an invariant; what it throws is
// caught there, so that it never unwinds the simulator. A run in which it would have ended the
// program is over (sim/crashes.h).
#include "scenarios/run/program/program_run.h"

#include <utility>

#include <fmt/format.h>
#include <interlock/harness/simulate.h>

#include "scenarios/log/words.h"
#include "scenarios/run/environments.h"
#include "scenarios/run/program/program_client.h"
#include "scenarios/run/program/program_faults.h"
#include "scenarios/run/recorder/server_view.h"
#include "sim/crashes.h"
#include "sim/posix/threads.h"

namespace interlock::scenarios {
namespace {

constexpr int kDatabase = 0;
constexpr std::chrono::seconds kLongestSetup{60};

/// Of an invariant.
std::string TextOf(const sim::CodeEnd& end) {
  if (!end.escaped) return end.how;
  return fmt::format(
      "called {}(), which tells what no run can repeat; expected a look at what it "
      "is shown alone",
      end.how);
}

bool MayGoOn(sim::StopReason stop) {
  return stop == sim::StopReason::kFinished || stop == sim::StopReason::kTime ||
         stop == sim::StopReason::kIdle;
}

class OneProgramRun final : private sim::WorldObserver {
 public:
  OneProgramRun(sim::Universe& universe, const harness::Program& program, const Workload& workload,
                sim::Choices& choices, bool keep_events, ProgramProbe* probe)
      : crash_handler_(/*prints=*/keep_events),
        program_(program),
        workload_(workload),
        plan_(FaultPlanOf(workload)),
        probe_(probe),
        world_(universe, WorldOf(program, workload, keep_events, probe == nullptr), plan_, choices,
               this) {}
  ~OneProgramRun() override { closed_ = true; }
  OneProgramRun(const OneProgramRun&) = delete;
  OneProgramRun& operator=(const OneProgramRun&) = delete;

  ProgramResult Run() {
    if (probe_ != nullptr) {
      world_.SetProbe(probe_);
      probe_->OnBegin(world_, state_);
    }
    const int clients = Clients();
    for (int client = 0; client < clients; ++client) {
      const ClientPlan& plan = workload_.clients[static_cast<std::size_t>(client)];
      Add({.offset = plan.clock_offset, .rate_ppm = plan.clock_rate_ppm});
    }
    sim::StopReason stop = program_.setup ? SetUp() : sim::StopReason::kFinished;
    if (stop == sim::StopReason::kFinished && !state_.breach) {
      looks_ = true;
      stop = RunClients();
    }
    return Close(stop);
  }

 private:
  static sim::WorldOptions WorldOf(const harness::Program& program, const Workload& workload,
                                   bool keep_events, bool hash_trace) {
    sim::WorldOptions options = WorldOptionsOf(workload, keep_events, hash_trace);
    options.dialect = &ServerOf(program);
    return options;
  }

  int Clients() const { return static_cast<int>(program_.clients.size()); }
  int Nodes() const { return NodesWithData(world_, workload_.topology); }

  void Add(const sim::ClockOptions& clock) {
    const int process = world_.AddProcess(clock, kDatabase);
    if (program_.posix) world_.ServePosix(process, program_.os_threads);
  }

  sim::StopReason SetUp() {
    const int process = Clients();
    Add({});
    world_.Start(process, [this, process] { Live(process, -1, program_.setup); });
    const sim::StopReason stop = world_.Run(kLongestSetup);
    if (MayGoOn(stop) && stop != sim::StopReason::kFinished) {
      inconclusive_ = fmt::format("the setup had not ended after {}: {}", Instant(world_.now()),
                                  PendingOf(process));
    }
    return stop;
  }

  sim::StopReason RunClients() {
    for (int client = 0; client < Clients(); ++client) {
      const auto index = static_cast<std::size_t>(client);
      world_.Start(
          client, [this, client, index] { Live(client, client, program_.clients[index]); },
          world_.now());
    }
    if (probe_ != nullptr) probe_->OnClients();
    sim::StopReason stop = world_.Run(world_.now() + program_.lasts);
    if (probe_ != nullptr && MayGoOn(stop)) {
      // Asked once more, because the last step may have come to a state that was seen before.
      if (!probe_->GoOn({})) return sim::StopReason::kStopped;
      world_.SetProbe(nullptr);
      probe_->OnHeal();
    }
    // Also if all have ended: what is still on its way arrives before the last look.
    if (MayGoOn(stop) && !state_.breach) {
      world_.Heal();
      stop = world_.Run(world_.now() + program_.ends_within.value_or(program_.lasts));
      if (MayGoOn(stop) && program_.ends_within) DemandEnds();
    }
    if (MayGoOn(stop)) Look(-1, /*at_end=*/true);
    return stop;
  }

  /// One life of a process.
  void Live(int process, int number, const harness::ClientProgram& body) {
    const Duration offset =
        number < 0 ? Duration{} : workload_.clients[static_cast<std::size_t>(number)].clock_offset;
    SimulatedEnvironment reached(world_, process, workload_.topology, offset);
    std::optional<CompiledEnvironment> compiled;
    if (program_.posix) compiled.emplace(world_, workload_.topology, reached.get());
    harness::Environment& environment = compiled ? compiled->get() : reached.get();
    ProgramClient client(number, environment, [this, process, number](auto name, auto value) {
      Note(process, number, name, value);
    });
    try {
      body(client);
    } catch (const sim::posix::ThreadExit&) {
      throw;  // pthread_exit
    } catch (const std::exception& error) {
      ClientThrew(number, error.what());
    } catch (...) {
      if (closed_) throw;  // the simulator unwinds the task
      ClientThrew(number, "an exception of type " + sim::ThrownType());
    }
  }

  void ClientThrew(int number, std::string_view what) {
    Break(BreachKind::kClientThrew, 0, number, fmt::format("{} threw: {}", Who(number), what));
  }

  static std::string Who(int number) { return number < 0 ? "the setup" : ClientName(number); }

  /// A client, or the setup, has ended in place of the whole program.
  void ClientCrashed(const sim::CodeEnd& end) {
    const int number = end.process < Clients() ? end.process : -1;
    if (end.escaped) {
      inconclusive_ =
          fmt::format("{} called {}(), {}", Who(number), end.how,
                      program_.posix ? "which the simulated C library does not have"
                                     : "which is outside of the simulation; expected its "
                                       "environment, or Program::posix = true");
      return;
    }
    world_.trace().Add(world_.now(), end.process, sim::TraceKind::kNote, end.how);
    Break(BreachKind::kClientCrashed, 0, number, fmt::format("{} {}", Who(number), end.how));
  }

  void Note(int process, int number, std::string_view name, std::string_view value) {
    if (closed_) return;
    world_.Step(process, /*in_sight=*/true);
    if (closed_) return;
    state_.notes.push_back({number, std::string(name), std::string(value), world_.now()});
    world_.trace().Add(
        world_.now(), process, sim::TraceKind::kNote,
        value.empty() ? fmt::format("note {}", name) : fmt::format("note {} = {}", name, value));
    Look(number, /*at_end=*/false);
  }

  void AfterCommand(int process, std::uint64_t /*number*/, const sim::redis::Argv& /*argv*/,
                    const sim::redis::Value* /*reply*/, sim::VirtualTime /*now*/) override {
    if (world_.server_node() >= Nodes()) return;  // a Sentinel
    Look(process < Clients() ? process : -1, /*at_end=*/false);
  }

  void Look(int client, bool at_end) {
    if (!looks_ || closed_ || state_.breach) return;
    const FakeServerView server(world_, IsCluster(workload_.topology), kDatabase);
    std::vector<FakeServerView> each;
    each.reserve(static_cast<std::size_t>(Nodes()));
    harness::ProgramView view{server, {}, state_.notes};
    for (int node = 0; node < Nodes(); ++node) {
      view.nodes.push_back(&each.emplace_back(world_.server(node), kDatabase));
    }
    for (std::size_t i = 0; i < program_.invariants.size() && !state_.breach; ++i) {
      if (program_.invariants[i].at_end == at_end) Ask(i, view, client);
    }
  }

  void Ask(std::size_t index, const harness::ProgramView& view, int client) {
    try {
      std::string broken;
      const auto ended = sim::Land([&] { broken = program_.invariants[index].broken(view); });
      if (ended) {
        Break(BreachKind::kInvariantEscaped, index, client, "the invariant " + TextOf(*ended));
      } else if (!broken.empty()) {
        Break(BreachKind::kInvariant, index, client, std::move(broken));
      }
    } catch (const std::exception& error) {
      InvariantThrew(index, client, error.what());
    } catch (...) {
      if (closed_) throw;
      InvariantThrew(index, client, "an exception of type " + sim::ThrownType());
    }
  }

  void InvariantThrew(std::size_t index, int client, std::string_view what) {
    Break(BreachKind::kInvariantThrew, index, client, fmt::format("the invariant threw: {}", what));
  }

  void Break(BreachKind kind, std::size_t invariant, int client, std::string what) {
    if (closed_ || state_.breach) return;
    state_.breach = Breach{kind, invariant, client, world_.now(), std::move(what)};
  }

  void DemandEnds() {
    for (int client = 0; client < Clients(); ++client) {
      if (world_.finished(client) || world_.crashed(client)) continue;
      Break(BreachKind::kNeverEnds, 0, client,
            fmt::format("{} had not ended {} after all faults: {}", ClientName(client),
                        Instant(*program_.ends_within), PendingOf(client)));
    }
  }

  /// What a task of the process waits for.
  std::string PendingOf(int process) const {
    const std::string begin = fmt::format("client {}", process);
    for (const std::string& line : world_.PendingTasks()) {
      const std::string_view rest = std::string_view(line).substr(0, begin.size());
      if (rest != begin) continue;
      const char next = line.size() > begin.size() ? line[begin.size()] : ' ';
      if (next < '0' || next > '9') return "it waits for" + line.substr(line.find(": ") + 1);
    }
    return "it waits for nothing";
  }

  ProgramResult Close(sim::StopReason stop) {
    ProgramResult result;
    if (const auto crash = sim::TakeCrash()) ClientCrashed(*crash);
    if (!state_.breach && !inconclusive_) {
      if (stop == sim::StopReason::kUnmodelled) {
        inconclusive_ = "not modelled: " + world_.unmodelled().value_or("?");
      } else if (stop == sim::StopReason::kStepLimit) {
        inconclusive_ = fmt::format(
            "the run was ended after {} steps and {} commands: does a "
            "client repeat something without a Sleep?",
            world_.steps(), world_.commands());
      }
    }
    result.inconclusive = std::move(inconclusive_);
    result.breach = state_.breach;
    result.trace_hash = world_.trace().hash();
    result.commands = world_.commands();
    result.notes = state_.notes.size();
    for (int client = 0; client < Clients(); ++client) result.steps.push_back(world_.steps(client));
    result.events = world_.trace().events();
    closed_ = true;
    return result;
  }

  const sim::CrashHandler crash_handler_;
  const harness::Program& program_;
  const Workload& workload_;
  const sim::FaultPlan plan_;
  ProgramProbe* const probe_;
  ProgramState state_;
  std::optional<std::string> inconclusive_;
  bool looks_ = false;   ///< the setup is over
  bool closed_ = false;  ///< only teardown is left
  sim::World world_;     // last: its destructor unwinds fibers that use all of the above
};

}  // namespace

std::string NameOf(const Breach& breach, const harness::Program& program) {
  switch (breach.kind) {
    case BreachKind::kInvariant:
    case BreachKind::kInvariantThrew:
    case BreachKind::kInvariantEscaped:
      return program.invariants[breach.invariant].name;
    case BreachKind::kClientThrew:
      return std::string(harness::kNobodyThrows);
    case BreachKind::kClientCrashed:
      return std::string(harness::kNobodyCrashes);
    case BreachKind::kNeverEnds:
      return std::string(harness::kEverybodyEnds);
  }
  return {};
}

ProgramResult RunProgram(sim::Universe& universe, const harness::Program& program,
                         const Workload& workload, sim::Choices& choices, bool keep_events,
                         ProgramProbe* probe) {
  return OneProgramRun(universe, program, workload, choices, keep_events, probe).Run();
}

}  // namespace interlock::scenarios
