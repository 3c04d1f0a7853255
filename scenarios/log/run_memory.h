// SPDX-License-Identifier: MIT
//
// Memory for the records of a run, which the runs of one Universe use one after another: a history
// grows to about the same size in each of them.
//
// Nothing of one run is seen by the next. Thread safety: that of the Universe.
#pragma once

#include <cstddef>
#include <vector>

#include "scenarios/log/dealing.h"
#include "scenarios/log/history.h"
#include "scenarios/log/recorded_resource.h"
#include "sim/universe.h"

namespace interlock::scenarios {

class RunMemory final : public sim::Universe::Attachment {
 public:
  /// The one that belongs to the universe.
  static RunMemory& Of(sim::Universe& universe);

  /// Gives the history of the run's resource with this number empty vectors that have room.
  void Lend(std::size_t resource, History& history);
  /// Empties them.
  void TakeBack(std::size_t resource, History& history);

  // The run log's lists, which it takes and gives back empty. Each is large enough to make malloc
  // join all small free pieces whenever a new one is asked for.
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
