// SPDX-License-Identifier: MIT
//
// What takes several of the library's mutexes at once, as a subject: each of them is judged as a
// mutex, and what its client holds is all of them or nothing.
//
// Thread safety: as harness::Subject, and as harness::Hold.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include <interlock/harness/lock.h>
#include <interlock/multi_mutex.h>

#include "scenarios/locks/subjects/lease_adapter.h"
#include "scenarios/locks/subjects/mutex_adapter.h"

namespace interlock::scenarios::subjects {

class MultiAdapter : public MutexAdapter {
 public:
  harness::Traits traits() const override;
  /// Each client has two connections, and more states for that; a second attempt is left out.
  harness::ExploredBound explored() const override {
    return {.attempts = 1, .late_returns = !traits().renews};
  }
  std::chrono::milliseconds OverrunBound(const harness::LockOptions& options) const override;
  /// Also of the resources that are taken beside it.
  std::vector<harness::AuxiliaryKey> AuxiliaryKeys(
      const harness::LockOptions& options) const override;
};

/// `client` is kept alive because a Lease must not outlive its Client. REQUIRES: as many leases as
/// LockOptions::several has names, in their order; if `renewal` is wanted, they are kept alive.
std::unique_ptr<harness::Hold> ToHold(std::shared_ptr<const void> client, MultiLease leases,
                                      Renewal renewal = {});

}  // namespace interlock::scenarios::subjects
