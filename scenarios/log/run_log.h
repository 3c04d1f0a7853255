// SPDX-License-Identifier: MIT
//
// What is recorded of a run while it happens: a history of each resource, the violations found so
// far, the goals reached, and what is kept in mind between one event and the next. The logs that
// write it, each those of one source of events, share one of these; see recorder.h.
//
// It judges nothing itself. Thread safety: plain data.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/cases/goals.h"
#include "scenarios/cases/synchrony.h"
#include "scenarios/log/dealing.h"
#include "scenarios/log/recorded_resource.h"
#include "scenarios/log/run_memory.h"
#include "scenarios/log/users.h"
#include "scenarios/run/client_program.h"
#include "sim/world.h"

namespace interlock::scenarios {

class RunLog {
 public:
  /// All references outlive the log. `options`: one for each resource, in their order.
  RunLog(RunMemory& memory, const harness::Subject& lock,
         const std::vector<harness::LockOptions>& options, SynchronyClass synchrony_class,
         GuardKind guard_kind);
  ~RunLog();
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;

  /// Called before the world runs. `latency`: the slowest message's that no fault delays.
  void Attach(sim::World& its_world, int client_count, Duration latency);
  /// Before the client starts, in the order of the clients: what it has configured, and in which
  /// process it is.
  void NoteClient(int client, int process, const ClientPlan& plan);
  /// Phase 2 begins.
  void MarkHealed();
  /// The run is over at `end`: closes the intervals that are open. Nothing may be written after it.
  void Close(VirtualTime end);

  /// Adds a line to the trace, which names the resource where there are several.
  void Note(Party who, std::string_view text);
  /// The violations from number `first` on are violations at this resource.
  void Attribute(std::size_t first, int resource);

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
  /// What these clients have to do with each of the resources.
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

  std::vector<RecordedResource> resources;
  std::vector<Violation> violations;
  GoalSet goals;
  Users users;
  Duration shortest_lease = kOpen;  ///< that any client asks for
  bool closed = false;              ///< the run is over, and only torn down

  std::vector<ClientState> clients;
  std::vector<Dealing> dealings;  ///< those of one client stand together

 private:
  RunMemory& memory_;
  std::string note_;  ///< the last one that named its resource, for its memory
};

}  // namespace interlock::scenarios
