// SPDX-License-Identifier: MIT
#include "scenarios/run/recorder/run_memory.h"

#include <memory>

namespace interlock::scenarios {

RunMemory& RunMemory::Of(sim::Universe& universe) {
  std::unique_ptr<sim::Universe::Attachment>& attachment = universe.attachment();
  if (attachment == nullptr) attachment = std::make_unique<RunMemory>();
  return static_cast<RunMemory&>(*attachment);  // Nobody else attaches anything.
}

void RunMemory::Swap(Records& records, History& history) {
  records.attempts.swap(history.attempts);
  records.holds.swap(history.holds);
  records.server_holds.swap(history.server_holds);
  records.accesses.swap(history.accesses);
  records.renewals.swap(history.renewals);
  records.questions.swap(history.questions);
  records.delays.swap(history.delays);
  records.outages.swap(history.outages);
  records.disturbances.swap(history.disturbances);
  records.pauses.swap(history.pauses);
  records.leases.swap(history.leases);
}

void RunMemory::Lend(std::size_t resource, History& history) {
  if (records_.size() <= resource) records_.resize(resource + 1);
  Swap(records_[resource], history);
}

void RunMemory::TakeBack(std::size_t resource, History& history) {
  history.attempts.clear();
  history.holds.clear();
  history.server_holds.clear();
  history.accesses.clear();
  history.renewals.clear();
  history.questions.clear();
  history.delays.clear();
  history.outages.clear();
  history.disturbances.clear();
  history.pauses.clear();
  history.leases.clear();
  Swap(records_[resource], history);
}

}  // namespace interlock::scenarios
