// SPDX-License-Identifier: MIT
//
// One client of a measurement. It reaches the world only through the library's two seams, so it is
// the same in virtual and in wall time. Logs both ends of each call, by its Runtime's clock, and
// each command that its connections send.
//
// Thread safety: one client, one task, except that a lock may use connections from tasks of its
// own: then `note` is called from several tasks.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include <interlock/connection.h>
#include <interlock/harness/lock.h>

#include "scenarios/log/event.h"
#include "scenarios/run/load/load.h"

namespace interlock::scenarios::contend {

/// Logs what happens to the client now.
using Note = std::function<void(int client, int resource, EventKind kind, EventDetails details)>;

struct ClientTask {
  int client = 0;
  const harness::Subject* subject = nullptr;
  std::vector<harness::LockOptions> options;  ///< one per resource, the same for all clients
  Load load;
  std::uint64_t seed = 0;
  MonotonicTime began{};                    ///< of the run, on its own clock
  const std::atomic<bool>* stop = nullptr;  ///< ends it after its present request; null: never
};

/// Where a client runs. All outlive its run.
struct ClientPlace {
  Runtime& runtime;
  std::vector<Connector*> nodes;  ///< the servers; at least one
  std::function<std::int64_t()> wall_ms;
};

/// Returns when the load's time is over, or the runtime shuts down. `at_work` is called in each
/// section, where a simulated world may let faults strike; may be empty.
void RunLoadClient(const ClientTask& task, const ClientPlace& place, const Note& note,
                   const std::function<void()>& at_work);

}  // namespace interlock::scenarios::contend
