// SPDX-License-Identifier: MIT
//
// What the library's semaphores have in common as subjects, beyond what all of its locks have:
// where their permits stand in the server, and what they promise.
//
// Thread safety: as harness::Subject.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/locks/subjects/mutex_adapter.h"

namespace interlock::scenarios::subjects {

class PermitAdapter : public MutexAdapter {
 public:
  harness::Traits traits() const override;
  harness::ExploredBound explored() const override { return {.tasks_in_order = false}; }
  std::vector<harness::Promise> Promises() const override;
  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override;
  std::vector<harness::AuxiliaryKey> AuxiliaryKeys(
      const harness::LockOptions& options) const override;

 protected:
  /// See harness::Permits::limit_stands.
  virtual std::chrono::milliseconds LimitStands() const = 0;
};

}  // namespace interlock::scenarios::subjects
