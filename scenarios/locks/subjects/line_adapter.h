// SPDX-License-Identifier: MIT
//
// What those of the library's locks have in common as subjects that serve their waiters in a line,
// first come, first served: the keys that they keep for it in the server, and how soon the waiters
// look for themselves.
//
// Thread safety: as harness::Subject.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/locks/subjects/mutex_adapter.h"

namespace interlock::scenarios::subjects {

/// `Adapter` is what the lock is without its line, `Options` are the library's for it.
template <typename Adapter, typename Options>
class LineAdapter : public Adapter {
 public:
  harness::Traits traits() const override {
    harness::Traits traits = Adapter::traits();
    traits.bypass_bound = 0;
    return traits;
  }
  std::vector<harness::Promise> Promises() const override {
    return WithOrder(Adapter::Promises(), traits().cluster);
  }

  /// A waiter sleeps no longer than this, whether it is woken or not.
  std::chrono::milliseconds WakeUpBound(const harness::LockOptions& options) const override {
    return std::min(options.lease, std::chrono::ceil<std::chrono::milliseconds>(MaxWait()));
  }
  std::optional<std::chrono::milliseconds> PassedOverBound(
      const harness::LockOptions& options) const override {
    return WakeUpBound(options) + std::chrono::ceil<std::chrono::milliseconds>(Options().grace);
  }

  /// Also those of waiters, and of those that have not fetched their grant.
  std::vector<harness::AuxiliaryKey> AuxiliaryKeys(
      const harness::LockOptions& options) const override {
    std::vector<harness::AuxiliaryKey> keys = Adapter::AuxiliaryKeys(options);
    const Duration sleep = std::max<Duration>(options.lease, MaxWait());
    const auto live =
        std::chrono::duration_cast<std::chrono::milliseconds>(sleep + Options().grace);
    keys.push_back({KeyOf(options, ":queue"), live});
    keys.push_back({KeyOf(options, ":wait:*"), live});
    keys.push_back({KeyOf(options, ":turn:*"), options.lease});
    return keys;
  }

 private:
  static Duration MaxWait() { return Options().retry.max_wait; }
};

}  // namespace interlock::scenarios::subjects
