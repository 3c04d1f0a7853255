// SPDX-License-Identifier: MIT
//
// interlock::Mutex without fencing: one key, the server's own commands, waiters that poll.
#include <interlock/mutex.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "scenarios/locks/subjects/lease_adapter.h"
#include "scenarios/locks/subjects/mutex_adapter.h"
#include "scenarios/locks/subjects/subjects.h"

namespace interlock::scenarios::subjects {
namespace {

using std::chrono::milliseconds;

/// Waiters look this often in a lease, at the least.
constexpr int kPollsPerLease = 8;

milliseconds LongestPoll(const harness::LockOptions& options) {
  return std::max(options.lease / kPollsPerLease, milliseconds(1));
}

class NativeMutexAdapter final : public MutexAdapter {
 public:
  std::string_view name() const override { return "mutex.native"; }
  std::string_view summary() const override {
    return "interlock::Mutex without fencing: the server's compare-and-set and -delete, by polling";
  }
  harness::Traits traits() const override {
    harness::Traits traits = MutexAdapter::traits();
    traits.fencing = false;
    traits.recalls_releases = false;
    traits.own_leases = true;
    traits.cluster = true;
    return traits;
  }
  std::vector<harness::Promise> Promises() const override {
    return PromisesOf({.usual = "LK001 LK002 LK003 LK005 LK006 LK009 LK010 LK011 LK014 LK015",
                       .crash = "LK001 LK002 LK003 LK005 LK006 LK008 LK009 LK010 LK011 LK014 LK015",
                       .pause = "LK001 LK002 LK005 LK006 LK009 LK010 LK011 LK014 LK015",
                       .pause_breaks = "LK003 LK004",
                       .clock = "LK001 LK005 LK006 LK011",
                       .clock_breaks = "LK002 LK003 LK004",
                       .server = "LK001 LK002 LK003 LK005 LK006 LK009 LK011 LK014 LK015",
                       .loss = "LK005 LK006 LK009 LK011 LK014 LK015",
                       .loss_breaks = "LK001 LK002 LK003"},
                      traits().cluster);
  }
  std::optional<milliseconds> HandOverBound(const harness::LockOptions& options) const override {
    return LongestPoll(options) + HandOverOfWaiters(options);
  }
  milliseconds BarredFor(const harness::LockOptions& /*options*/) const override { return {}; }
  std::vector<harness::AuxiliaryKey> AuxiliaryKeys(
      const harness::LockOptions& /*options*/) const override {
    return {};
  }

  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    const auto create = [&options](Client& client) {
      MutexOptions mutex;
      mutex.key_prefix = options.key_prefix;
      mutex.lease = options.lease;
      mutex.fencing = false;
      mutex.retry.max_pause = LongestPoll(options);
      mutex.retry.first_pause = std::min<Duration>(mutex.retry.first_pause, mutex.retry.max_pause);
      return Mutex::Create(client, options.resource, std::move(mutex));
    };
    return std::make_unique<LeaseLock<Mutex>>(environment, create);
  }
};

}  // namespace

std::shared_ptr<const harness::Subject> NativeMutexSubject() {
  return std::make_shared<const NativeMutexAdapter>();
}

}  // namespace interlock::scenarios::subjects
