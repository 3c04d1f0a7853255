// SPDX-License-Identifier: MIT
//
// The record of a run while it happens: a history of each resource, the goals reached, and state
// kept between events. The logs that write it, one per source of events, share one instance; see
// recorder.h.
//
// Thread safety: plain data.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/cases/goals.h"
#include "scenarios/cases/synchrony.h"
#include "scenarios/log/event.h"
#include "scenarios/run/client_program.h"
#include "scenarios/run/recorder/dealing.h"
#include "scenarios/run/recorder/recorded_resource.h"
#include "scenarios/run/recorder/run_memory.h"
#include "scenarios/run/recorder/users.h"
#include "sim/world.h"

namespace interlock::scenarios {

class RunLog {
 public:
  /// All references outlive the log. `options`: one per resource, in order.
  RunLog(RunMemory& memory, const harness::Subject& lock,
         const std::vector<harness::LockOptions>& options, SynchronyClass synchrony_class,
         GuardKind guard_kind);
  ~RunLog();
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;

  /// Called before the world runs. `latency`: that of the slowest message that no fault delays.
  void Attach(sim::World& its_world, int client_count, Duration latency);
  /// Called before each client starts, in order: its configuration and its process.
  void NoteClient(int client, int process, const ClientPlan& plan);
  /// Phase 2 begins.
  void MarkHealed();
  /// The run is over at `end`: closes open intervals. Nothing may be written after it.
  void Close(VirtualTime end);

  /// Adds a line to the trace, naming the resource if there are several.
  void Note(Party who, std::string_view text);

  VirtualTime now() const { return world->now(); }
  MonotonicTime LocalTime(int client, VirtualTime when) const {
    return world->LocalTime(users.ProcessOf(client), when);
  }
  VirtualTime GlobalTime(int client, MonotonicTime local) const {
    return world->GlobalTime(users.ProcessOf(client), local);
  }

  ClientState& state(int client) { return clients[static_cast<std::size_t>(client)]; }
  RecordedResource& resource(Party who) {
    return resources[static_cast<std::size_t>(who.resource)];
  }
  History& history(Party who) { return resource(who).history; }
  Dealing& dealing(Party who) {
    return dealings[static_cast<std::size_t>(who.client) * resources.size() +
                    static_cast<std::size_t>(who.resource)];
  }
  /// The state of these clients for each of the resources.
  std::span<const Dealing> DealingsOf(Users::Range range) const {
    const auto first = static_cast<std::size_t>(range.first);
    const auto last = static_cast<std::size_t>(range.last);
    return std::span(dealings).subspan(first * resources.size(),
                                       (last + 1 - first) * resources.size());
  }
  /// The client's latest hold.
  ClientHold& hold(Party who) { return history(who).holds[dealing(who).hold]; }
  /// The entries that may still promise something; see Ledger::settled.
  std::span<ServerHold> Unsettled(Party who) {
    return std::span(history(who).server_holds).subspan(resource(who).ledger.settled());
  }

  const harness::Subject& subject;
  const harness::Traits traits;
  const SynchronyClass synchrony;
  const GuardKind guard;
  bool free_clocks = false;  ///< clocks may run at any rate, jump and stand still
  sim::World* world = nullptr;

  /// What clients did and were told, if the run keeps its events.
  EventLog events;
  bool keeps_events() const { return world->trace().keeps_events(); }

  std::vector<RecordedResource> resources;
  GoalSet goals;
  Users users;
  Duration shortest_lease = kOpen;  ///< that any client asks for
  bool closed = false;              ///< the run is over and being torn down

  std::vector<ClientState> clients;
  std::vector<Dealing> dealings;  ///< grouped by client

 private:
  RunMemory& memory_;
  std::string note_;  ///< reused for notes that name their resource
};

}  // namespace interlock::scenarios
