// SPDX-License-Identifier: MIT
//
// Memory for a run's records, reused by the runs of one Universe: a history grows to about the same
// size in each of them.
//
// No data of one run is visible to the next. Thread safety: that of the Universe.
#pragma once

#include <cstddef>
#include <vector>

#include "scenarios/log/history.h"
#include "scenarios/run/recorder/dealing.h"
#include "scenarios/run/recorder/recorded_resource.h"
#include "sim/universe.h"

namespace interlock::scenarios {

class RunMemory final : public sim::Universe::Attachment {
 public:
  /// The instance belonging to the universe.
  static RunMemory& Of(sim::Universe& universe);

  /// Gives the history of this resource empty vectors with capacity.
  void Lend(std::size_t resource, History& history);
  /// Takes the vectors back, emptied.
  void TakeBack(std::size_t resource, History& history);

  // The run log's lists, taken and returned empty. Each is large enough to make malloc coalesce all
  // small free chunks whenever a new one is allocated.
  std::vector<RecordedResource> resources;
  std::vector<ClientState> clients;
  std::vector<Dealing> dealings;

 private:
  struct Records {
    std::vector<Attempt> attempts;
    std::vector<ClientHold> holds;
    std::vector<ServerHold> server_holds;
    std::vector<Access> accesses;
    std::vector<Renewal> renewals;
    std::vector<Question> questions;
    std::vector<Delay> delays;
    std::vector<Delay> outages;
    std::vector<Disturbance> disturbances;
    std::vector<Disturbance> pauses;
    std::vector<Duration> leases;
  };
  static void Swap(Records& records, History& history);

  std::vector<Records> records_;
};

}  // namespace interlock::scenarios
