// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <vector>

#include <interlock/redlock.h>

#include "scenarios/locks/subjects/compiled.h"
#include "scenarios/locks/subjects/lease_adapter.h"
#include "scenarios/locks/subjects/mutex_adapter.h"
#include "scenarios/locks/subjects/subjects.h"

namespace interlock::scenarios::subjects {
namespace {

using std::chrono::milliseconds;

/// The defaults, if the lease is a usual one. A shorter one stands for the same case in a faster
/// world, where messages take as large a part of it: then all times are parts of the lease.
RedlockOptions OptionsFor(const harness::LockOptions& options) {
  RedlockOptions redlock;
  redlock.key_prefix = options.key_prefix;
  redlock.lease = options.lease;
  if (options.lease >= std::chrono::seconds(10)) return redlock;
  redlock.node_timeout = redlock.lease / 8;
  redlock.first_pause = std::max<Duration>(redlock.lease / 40, milliseconds(1));
  redlock.max_pause = redlock.lease / 4;
  redlock.drift_extra = std::min<Duration>(redlock.drift_extra, redlock.lease / 50);
  return redlock;
}

class RedlockAdapter : public MutexAdapter {
 public:
  std::string_view name() const override { return "redlock"; }
  std::string_view summary() const override {
    return "interlock::Redlock: one holder at a time, by a quorum of independent masters";
  }
  harness::Traits traits() const override {
    return {.can_extend = true,
            .fencing = true,
            .quorum = true,
            .stops = true,
            .operators = true,
            .recalls_releases = true};
  }

  /// Three masters, each with a task of the client's.
  harness::ExploredBound explored() const override {
    return {.attempts = 1,
            .waits = false,
            .crashes = 0,
            .why_less = "with a crash there are too many states"};
  }

  /// What a mutex on one server promises, over masters that have no replicas.
  std::vector<harness::Promise> Promises() const override {
    std::vector<harness::Promise> promises = MutexAdapter::Promises();
    std::erase_if(promises, [](const auto& promise) {
      return !promise.topologies.starts_with("standalone") ||
             promise.fault_class.starts_with("power-loss");
    });
    for (harness::Promise& promise : promises) promise.topologies = "independent";
    return promises;
  }

  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<LeaseLock<Redlock>>(
        OverNodes(), environment, [&options](const std::vector<Client*>& nodes) {
          return Redlock::Create(nodes, options.resource, OptionsFor(options));
        });
  }

  /// A pause, and a try and its undoing on nodes some of which hang.
  milliseconds WakeUpBound(const harness::LockOptions& options) const override {
    return std::chrono::duration_cast<milliseconds>(OptionsFor(options).max_pause) +
           OverrunBound(options);
  }

  /// Nobody is woken: a refused client looks again after a pause.
  std::optional<milliseconds> HandOverBound(
      const harness::LockOptions& /*options*/) const override {
    return std::nullopt;
  }

  /// As Redlock::overrun_bound() says of clients with default options, pauses rounded up.
  milliseconds OverrunBound(const harness::LockOptions& options) const override {
    const Duration rounds =
        (3 + ClientOptions().cleanup_attempts) * OptionsFor(options).node_timeout;
    return std::chrono::duration_cast<milliseconds>(rounds) + milliseconds(100);
  }

  milliseconds DriftAllowance(const harness::LockOptions& options) const override {
    const RedlockOptions used = OptionsFor(options);
    const Duration part = used.lease * used.drift_per_mille / 1000;
    return std::chrono::duration_cast<milliseconds>(part + used.drift_extra);
  }
};

}  // namespace

std::shared_ptr<const harness::Subject> CompiledRedlockSubject() {
  return std::make_shared<const Compiled<RedlockAdapter>>();
}

std::shared_ptr<const harness::Subject> RedlockSubject() {
  return std::make_shared<const RedlockAdapter>();
}

}  // namespace interlock::scenarios::subjects
