// SPDX-License-Identifier: MIT
#include "sim/world.h"

#include <cstdio>
#include <mutex>
#include <utility>

#include "sim/check.h"
#include "sim/engine.h"
#include "sim/pooled.h"
#include "sim/posix/library.h"
#include "sim/tripwire.h"

namespace interlock::sim {

namespace {

std::string Milliseconds(VirtualTime time) {
  char text[40];
  const long long us = time.count() / 1000;
  std::snprintf(text, sizeof(text), "%lld.%03lld ms", us / 1000, us % 1000);
  return text;
}

std::string Until(VirtualTime time) {
  return time == VirtualTime::max() ? "without a deadline" : "until " + Milliseconds(time);
}

}  // namespace

struct World::State final : Pooled {
  State(Universe& its_universe, const WorldOptions& options, const FaultPlan& plan,
        Choices& choices, WorldObserver* observer)
      : universe(its_universe), engine(its_universe, options, plan, choices, observer) {}

  Process& At(int process) {
    Require(process >= 0 && static_cast<std::size_t>(process) < engine.processes().size(),
            "there is no such process");
    return engine.process(process);
  }
  std::string Describe(const ScheduledTask& task) const;

  Universe& universe;
  std::unique_lock<std::recursive_mutex> statics;  ///< of objects under test, if there are any
  Engine engine;
};

std::string World::State::Describe(const ScheduledTask& task) const {
  std::string text = "client " + std::to_string(task.group);
  if (task.name != "main") text += " (" + task.name + ")";
  text += ": ";
  const std::string since = " since " + Milliseconds(task.wait_since);
  if (task.state == ScheduledTask::State::kHeld) return text + "paused";
  if (task.state != ScheduledTask::State::kWaiting) return text + "ready to run";
  if (!task.fiber.started()) return text + "not started yet";
  switch (task.wait) {
    case WaitKind::kConnect:
      return text + "connection" + since;
    case WaitKind::kReply: {
      const Link& link = engine.network.link(task.wait_link);
      if (link.requests.empty()) return text + "push" + since;
      return text + "reply to `" + redis::ToText(link.requests[0].argv) + "`" + since;
    }
    case WaitKind::kJoin:
      return text + "end of task " + (task.joins != nullptr ? task.joins->name : "") + since;
    case WaitKind::kThread:
      return text + "another thread " + Until(task.wait_until) + since;
    case WaitKind::kEvent:
    case WaitKind::kNothing:
      break;
  }
  return text + "event " + Until(task.wait_until) + since;
}

World::World(Universe& universe, const WorldOptions& options, const FaultPlan& plan,
             Choices& choices, WorldObserver* observer)
    : state_(new (universe.stacks().blocks()) State(universe, options, plan, choices, observer)) {
  Require(!universe.occupied(), "a Universe can hold one World at a time");
  universe.set_occupied(true);
}

World::~World() {
  state_->engine.scheduler.TearDown();
  state_->universe.set_occupied(false);
}

int World::AddProcess(const ClockOptions& clock, int database) {
  return state_->engine.AddProcess(clock, database);
}

Runtime& World::runtime(int process) { return *state_->At(process).runtime; }
Connector& World::connector(int process) { return *state_->At(process).connector; }
Connector& World::connector(int process, int node) {
  Require(node >= 0 && node < nodes(), "there is no such server");
  return state_->engine.ConnectorTo(state_->At(process), node);
}
void World::ServePosix(int process, bool os_threads) {
  Engine& engine = state_->engine;
  Require(TripwireIsArmed(), "ThreadSanitizer has the C library's functions in this build");
  Require(!engine.watched(), "a search sees nothing of what a posix process does");
  if (!state_->statics.owns_lock()) state_->statics = posix::Statics::OneAtATime();
  Process& served = state_->At(process);
  served.library = std::make_shared<posix::Library>(
      engine, served, os_threads ? Fiber::RunsOn::kOwnThread : Fiber::RunsOn::kResumer);
  engine.scheduler.SetLibrary(process, served.library.get());
}
int World::nodes() const { return state_->engine.servers.count(); }
NodeAddress World::address(int node) const {
  const redis::MasterAddress& address = state_->engine.servers.address(node);
  return {address.host, address.port};
}

void World::Start(int process, std::function<void()> main, VirtualTime after) {
  Process& started = state_->At(process);
  started.main = std::move(main);
  state_->engine.scheduler.AddTask(started.id, "main", started.main, after);
}

void World::SetProbe(WorldProbe* probe) { state_->engine.SetProbe(probe); }
Digest World::Fingerprint(const ScenarioState& scenario, std::vector<int>& ranks) const {
  return FingerprintOf(state_->engine, scenario, ranks);
}
const redis::Footprint& World::footprint() const { return state_->engine.footprint; }
StopReason World::Run(VirtualTime until) { return state_->engine.scheduler.Run(until); }
void World::Heal() { state_->engine.Heal(); }

void World::Step(int process, bool in_sight) {
  Engine& engine = state_->engine;
  if (in_sight && engine.instant()) {
    engine.StepInSight(state_->At(process), StepKind::kMark, {});
  } else if (engine.Step(state_->At(process), StepKind::kMark) && !engine.instant())
    engine.scheduler.YieldPoint();
}

void World::TravelElsewhere(int process, VirtualTime latest, std::function<void()> arrive) {
  state_->engine.network.TravelElsewhere(state_->At(process), latest, std::move(arrive));
}

void World::Strike(int process, const Fault& fault) {
  state_->engine.StrikeHere(state_->At(process), fault);
}

VirtualTime World::now() const { return state_->engine.now(); }

MonotonicTime World::LocalTime(int process, VirtualTime when) const {
  return state_->At(process).clock.Local(when);
}

VirtualTime World::GlobalTime(int process, MonotonicTime local) const {
  return state_->At(process).clock.Global(local);
}

std::int64_t World::ServerTimeUs() const {
  state_->engine.servers.CatchUp(now());
  return state_->engine.servers.ClockUs(server_node());
}

VirtualTime World::GlobalTimeOfServerMs(std::int64_t unix_ms) const {
  if (unix_ms > INT64_MAX / 2000) return VirtualTime::max();
  return state_->engine.servers.TimeAtClock(server_node(), unix_ms * 1000);
}

bool World::crashed(int process) const { return state_->At(process).crashed; }

bool World::finished(int process) const {
  const Process& one = state_->At(process);
  return one.exited || state_->engine.scheduler.unfinished(one.id) == 0;
}

int World::steps(int process) const { return state_->At(process).steps; }

std::optional<std::uint32_t> World::running_task() const {
  const ScheduledTask* task = state_->engine.scheduler.current();
  return task == nullptr ? std::nullopt : std::optional(task->ordinal);
}

bool World::HasLiveConnection(int process) const {
  return state_->engine.network.HasLiveConnection(state_->At(process));
}

std::vector<std::string> World::PendingTasks() const {
  std::vector<std::string> lines;
  for (const std::unique_ptr<ScheduledTask>& task : state_->engine.scheduler.tasks()) {
    const auto state = task->state;
    if (state == ScheduledTask::State::kDone || state == ScheduledTask::State::kDead) continue;
    if (state_->At(task->group).crashed) continue;
    lines.push_back(state_->Describe(*task));
  }
  return lines;
}

redis::Server& World::server() { return server(server_node()); }
redis::Server& World::server(int node) {
  state_->engine.servers.CatchUp(now());
  return state_->engine.servers.at(node);
}
int World::NodeOf(std::string_view key) const {
  return state_->engine.servers.shards().OwnerOf(key);
}
int World::server_node() const { return state_->engine.viewed_node(); }
ReplicaState World::replica() const { return state_->engine.servers.replica(); }

Trace& World::trace() { return state_->engine.trace; }
std::uint64_t World::commands() const { return state_->engine.network.commands(); }
std::uint64_t World::steps() const { return state_->engine.steps(); }
std::optional<std::string> World::unmodelled() const { return state_->engine.servers.unmodelled(); }

}  // namespace interlock::sim
