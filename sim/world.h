// SPDX-License-Identifier: MIT
//
// One simulated universe: client processes with their own clocks, fake Redis servers, the links
// between them, virtual time, and a plan's faults. A run is a pure function of the processes'
// behaviour, the options, the plan and the tape. Knows nothing of locks.
//
// Use: a Universe per worker thread (it pools fiber stacks and the Lua state), a World per run:
//   World world(universe, options, plan, choices, &observer);
//   world.AddProcess({});  world.Start(0, [&] { ... world.runtime(0), world.connector(0) ... });
//   world.Run(horizon);  world.Heal();  world.Run(later);  // then judge; ~World tears down
//
// Teardown: in the destructor every seam call fails at once (kCancelled), without trace or server
// effect, so that live fibers unwind by returning; a fiber that does not is destroyed.
// Thread safety: a Universe and its worlds belong to one OS thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/connection.h>
#include <interlock/runtime.h>
#include <interlock/topology.h>

#include "sim/choices.h"
#include "sim/faults.h"
#include "sim/fingerprint.h"
#include "sim/redis/footprint.h"
#include "sim/redis/server.h"
#include "sim/setting.h"
#include "sim/trace.h"
#include "sim/world_probe.h"

namespace interlock::sim {

struct WorldOptions {
  Duration latency_min{std::chrono::microseconds(50)};    ///< one way, calm
  Duration latency_max{std::chrono::microseconds(1000)};  ///< one way; small values are likelier
  // 0: an instant world; what is sent is answered at once, and only who sends next is a choice.
  Duration keepalive{std::chrono::minutes(5)};  ///< after this, both ends notice a half-open peer
  Topology topology = Topology::kStandalone;
  int nodes = 1;  ///< number of servers; 1 if standalone
  Persistence persistence = Persistence::kNone;
  const redis::Dialect* dialect = &redis::DefaultDialect();  ///< of all servers
  Duration replication_lag{std::chrono::milliseconds(1)};    ///< between servers, one way
  std::int64_t server_epoch_us = 1'700'000'000'000'000;  ///< servers' wall clock at virtual time 0
  std::uint64_t entropy_seed = 1;                        ///< see SimRuntime::FillRandom
  std::uint64_t max_steps = 200'000;  ///< per run; beyond this, Run returns kStepLimit
  bool keep_events = false;           ///< see Trace
  bool hash_trace = true;             ///< see Trace
};

/// A client's monotonic clock: local = offset + virtual * (1'000'000 + rate_ppm) / 1'000'000.
struct ClockOptions {
  Duration offset{};
  std::int64_t rate_ppm = 0;  ///< in [-500'000, 500'000]
};

/// A change of a server that its clients' commands did not make.
enum class ServerChange : std::uint8_t {
  kData,      ///< lost, restored, or replaced
  kPromoted,  ///< it becomes the primary, with the data that it has
  kGone,      ///< it was the primary, and no longer serves as such
  kClock,     ///< its wall clock was set, or changed its rate
};

/// A scenario's view of a world. Called from inside the run: must not call back into it except for
/// const members, and must not wait. Nothing it does may depend on real time.
class WorldObserver {
 public:
  virtual ~WorldObserver() = default;
  /// The process has passed its `number`th command to its connection, whatever happens to it next.
  virtual void OnSend(int /*process*/, std::uint64_t /*number*/, VirtualTime /*now*/) {}
  /// The server is about to execute / has executed a command of `process`. Blocked pops that it
  /// serves get their own AfterCommand (the waiter's process, `argv` its own command) right after.
  /// `number` is that of OnSend. `server` shows the data.
  virtual void BeforeCommand(int /*process*/, const redis::Argv& /*argv*/, VirtualTime /*now*/) {}
  virtual void AfterCommand(int /*process*/, std::uint64_t /*number*/, const redis::Argv& /*argv*/,
                            const redis::Value* /*reply: null if it blocks*/, VirtualTime /*now*/) {
  }
  virtual void OnFault(const Fault& /*fault*/, VirtualTime /*now*/) {}
  /// The process begins a new incarnation.
  virtual void OnRestart(int /*process*/, VirtualTime /*now*/) {}
  /// During the call, World::server is this one.
  virtual void OnServerChange(int /*node*/, ServerChange /*change*/, VirtualTime /*now*/) {}
  /// The process's LocalTime and GlobalTime change from now on.
  virtual void OnClockChange(int /*process*/, VirtualTime /*now*/) {}
  /// The most that a pause, delay, clock jump or rate may be here, up to `wanted`.
  virtual Duration ClipFault(const Fault& /*fault*/, Duration wanted, VirtualTime /*now*/) {
    return wanted;
  }
};

enum class StopReason : std::uint8_t {
  kFinished,    ///< every task of every living process has returned
  kTime,        ///< virtual time reached the limit
  kIdle,        ///< nothing can run and no timer is armed, yet tasks wait: a deadlock
  kStepLimit,   ///< WorldOptions::max_steps
  kStopped,     ///< a WorldProbe ended the run
  kUnmodelled,  ///< the server met a command, option or redis.* function that it does not model
};

class Universe;  // pooled fiber stacks and the fake server; defined in sim/universe.h

class World {
 public:
  World(Universe& universe, const WorldOptions& options, const FaultPlan& plan, Choices& choices,
        WorldObserver* observer);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Returns its id: 0, 1, 2, ... May also be called between two Runs.
  int AddProcess(const ClockOptions& clock, int database = 0);
  Runtime& runtime(int process);
  /// Connects to the primary, as Sentinels direct a client; with independent masters to the first.
  /// A connection to a former primary lasts until somebody closes it.
  Connector& connector(int process);
  /// Connects to this server, whatever its role.
  Connector& connector(int process, int node);
  /// Its tasks may call the C library (posix/README.md). REQUIRES: no probe, and no tasks yet.
  void ServePosix(int process, bool os_threads = false);
  int nodes() const;
  NodeAddress address(int node) const;  ///< as servers name it

  /// The process's main task. It starts in Run, from `after` on, and again from its beginning in
  /// each new incarnation after a restart.
  void Start(int process, std::function<void()> main, VirtualTime after = {});

  StopReason Run(VirtualTime until);
  /// REQUIRES: latency_max is 0. The probe outlives the runs; null: none.
  void SetProbe(WorldProbe* probe);
  /// See fingerprint.h. REQUIRES: a probe was set before the first process was added, and no task
  /// is running. `ranks`: each process's rank in it, where processes are interchangeable.
  Digest Fingerprint(const ScenarioState& scenario, std::vector<int>& ranks) const;
  /// What the process chosen then has done since the probe was last asked; touches everything if
  /// others acted too. REQUIRES: the probe wanted it then.
  const redis::Footprint& footprint() const;

  /// Phase 2: drops the rest of the fault plan; pauses and partitions end now, delayed messages
  /// arrive now, clocks return to their initial rates, half-open connections are reset at both
  /// ends; pending restarts happen now, other dead processes stay dead. Servers work again, and
  /// replicas follow the primary.
  void Heal();

  /// The process sends something outside Redis, over a link of its own. `arrive` is called, outside
  /// tasks, on arrival: one latency from now, later if a delay of requests waits for the process's
  /// next message, but not after `latest`. No partition from a server holds it back, it is never
  /// lost, and messages sent before a crash still arrive. Heal makes it arrive at once; `arrive`
  /// must not wait, and teardown forgets it.
  void TravelElsewhere(int process, VirtualTime latest, std::function<void()> arrive);
  /// Lets the fault strike the calling process now, at a point only the scenario knows. YIELDS.
  void Strike(int process, const Fault& fault);

  /// A step of the calling process (see faults.h) at a place that the scenario wants faults to
  /// reach. YIELDS. Called only from within that process. `in_sight`: others can see what it does
  /// next, so in an instant world a choice decides which task continues.
  void Step(int process, bool in_sight = false);

  VirtualTime now() const;
  /// The process's own clock at `when`, and the earliest virtual time at which it shows `local`
  /// (VirtualTime::max() for kNever).
  MonotonicTime LocalTime(int process, VirtualTime when) const;
  VirtualTime GlobalTime(int process, MonotonicTime local) const;
  std::int64_t ServerTimeUs() const;
  /// When the wall clock of `server` first shows `unix_ms`, if nothing sets it.
  VirtualTime GlobalTimeOfServerMs(std::int64_t unix_ms) const;

  bool crashed(int process) const;
  bool finished(int process) const;  ///< all its tasks have returned, or it has exited
  int steps(int process) const;
  /// The running task's number in its process, over all incarnations; nullopt: none runs.
  std::optional<std::uint32_t> running_task() const;
  bool HasLiveConnection(int process) const;
  /// What each unfinished task waits for, a line each.
  std::vector<std::string> PendingTasks() const;

  /// The server that an observer's present call is about; otherwise the primary.
  redis::Server& server();
  int server_node() const;
  redis::Server& server(int node);
  /// The node that serves the key. REQUIRES: the servers are a cluster.
  int NodeOf(std::string_view key) const;
  Trace& trace();
  ReplicaState replica() const;
  std::uint64_t commands() const;  ///< executed by the servers so far
  std::uint64_t steps() const;
  /// What a server named when Run returned kUnmodelled.
  std::optional<std::string> unmodelled() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace interlock::sim
