// SPDX-License-Identifier: MIT
//
// What most tests of the simulator need: a universe, a seed, short ways to send commands.
#pragma once

#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <interlock/connection.h>

#include "sim/universe.h"
#include "sim/world.h"

namespace interlock::sim {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

inline constexpr VirtualTime kHorizon = std::chrono::hours(1);

/// Local time of a process whose clock is the virtual one.
inline MonotonicTime At(Duration since_start) { return MonotonicTime(since_start); }

inline Status Send(Connection& connection, std::initializer_list<std::string_view> argv) {
  const std::vector<std::string_view> arguments(argv);
  return connection.Send(arguments, kNever);
}

inline Result<Reply> Call(Connection& connection, std::initializer_list<std::string_view> argv,
                          MonotonicTime deadline = kNever) {
  const std::vector<std::string_view> arguments(argv);
  return connection.Call(arguments, deadline);
}

/// Records every executed command as "process:NAME first-argument=reply".
class RecordingObserver : public WorldObserver {
 public:
  void AfterCommand(int process, std::uint64_t /*number*/, const redis::Argv& argv,
                    const redis::Value* reply, VirtualTime /*now*/) override {
    std::string line = std::to_string(process) + ":" + redis::ToText(argv);
    commands.push_back(line + " -> " + (reply != nullptr ? redis::ToText(*reply) : "blocked"));
  }
  void OnFault(const Fault& fault, VirtualTime now) override {
    faults.push_back(fault);
    fault_times.push_back(now);
  }

  std::vector<std::string> commands;
  std::vector<Fault> faults;
  std::vector<VirtualTime> fault_times;
};

/// A world of `processes` plain clients with a fixed latency of 1 ms each way, unless told
/// otherwise.
struct Bench {
  explicit Bench(int processes, FaultPlan its_plan = {}, WorldOptions options = Exact(),
                 Choices its_choices = Choices::FromTape({}))
      : plan(std::move(its_plan)), choices(std::move(its_choices)) {
    owner = std::make_unique<World>(universe, options, plan, choices, &observer);
    world = owner.get();
    for (int i = 0; i < processes; ++i) world->AddProcess({});
  }

  static WorldOptions Exact() {
    WorldOptions options;
    options.latency_min = options.latency_max = milliseconds(1);
    options.keep_events = true;
    return options;
  }

  /// As World does it. All tests of posix processes run a second time on OS threads.
  void ServePosix(int process) const {
    world->ServePosix(process, std::getenv("INTERLOCK_TEST_OS_THREADS") != nullptr);
  }

  /// Ends the world. Its tasks still use `world` meanwhile.
  void TearDown() { owner.reset(); }

  std::unique_ptr<Connection> Connect(int process) { return Connected(world->connector(process)); }
  std::unique_ptr<Connection> Connect(int process, int node) {
    return Connected(world->connector(process, node));
  }
  void Sleep(int process, Duration length) {
    Runtime& runtime = world->runtime(process);
    static_cast<void>(runtime.NewEvent()->WaitUntil(
        AddSaturating(world->LocalTime(process, world->now()), length)));
  }

  /// Null: refused.
  static std::unique_ptr<Connection> Connected(Connector& connector) {
    auto connection = connector.Connect(kNever);
    return connection.ok() ? std::move(*connection) : nullptr;
  }

  FaultPlan plan;
  Choices choices;
  RecordingObserver observer;
  Universe universe;
  std::unique_ptr<World> owner;
  World* world = nullptr;
};

}  // namespace interlock::sim
