// SPDX-License-Identifier: MIT
//
// One client of a measurement. It reaches the world through the library's two seams alone, so it is
// the same in virtual and in wall time. What it does is written down at both ends of each call, by
// its Runtime's clock; each command that its connections send is written down, too.
//
// Thread safety: one client, one task, but for its connections, which a lock may use from tasks of
// its own: then `note` is called from several.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <interlock/connection.h>
#include <interlock/harness/lock.h>

#include "scenarios/run/load/load.h"
#include "scenarios/run/load/log.h"

namespace interlock::scenarios::contend {

/// Takes down what the client `LogEntry::client` does; fills in only the instant.
using Note = std::function<void(LogEntry)>;

/// Leads where `inner` leads, and notes what is sent. `inner` and `note` outlive it.
std::unique_ptr<Connector> NotingConnector(Connector& inner, int client, const Note& note);

struct ClientTask {
  int client = 0;
  const harness::Subject* subject = nullptr;
  std::vector<harness::LockOptions> options;  ///< one for each resource
  Load load;
  std::uint64_t seed = 0;
  MonotonicTime began{};                    ///< of the run, on its own clock
  const std::atomic<bool>* stop = nullptr;  ///< ends it after its present request; null: nothing
};

/// Returns when the load's time is over, or the runtime shuts down. `at_work` is called in each
/// section, where a simulated world may let faults strike; may be empty.
void RunLoadClient(const ClientTask& task, harness::Environment& environment, const Note& note,
                   const std::function<void()>& at_work);

}  // namespace interlock::scenarios::contend
