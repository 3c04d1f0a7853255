// SPDX-License-Identifier: MIT
#include <interlock/mutex.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "scenarios/locks/subjects/adopting_lock.h"
#include "scenarios/locks/subjects/compiled.h"
#include "scenarios/locks/subjects/lease_adapter.h"
#include "scenarios/locks/subjects/mutex_adapter.h"
#include "scenarios/locks/subjects/subjects.h"

namespace interlock::scenarios::subjects {
namespace {

/// See Traits::lock_delay.
constexpr int kLockDelayPart = 8;

constexpr std::string_view kSummary = "interlock::Mutex: one holder at a time, by lease";

class PlainMutexAdapter : public MutexAdapter {
 public:
  PlainMutexAdapter(std::string_view name, std::string_view summary, harness::Traits more)
      : name_(name), summary_(summary), traits_(MutexAdapter::traits()) {
    traits_.renews = more.renews;
    traits_.lock_delay = more.lock_delay;
    traits_.cluster = true;
    traits_.own_leases = more.own_leases;
  }

  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return summary_; }
  harness::Traits traits() const override { return traits_; }

  std::chrono::milliseconds KeptAliveFor(const harness::LockOptions& options) const override {
    return LongestRenewedHold(options);
  }
  std::optional<std::chrono::milliseconds> KeptAliveAtMost(
      const harness::LockOptions& options) const override {
    return LongestRenewedHold(options);
  }
  std::chrono::milliseconds LongestLease(const harness::LockOptions& options) const override {
    return traits_.renews ? ExtensionOfRenewed(options) : options.lease;
  }

  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    const auto create = [this, &options](Client& client) {
      MutexOptions mutex;
      mutex.key_prefix = options.key_prefix;
      mutex.lease = options.lease;
      if (traits_.lock_delay) {
        mutex.lock_delay = options.lease / kLockDelayPart;
        mutex.lease -= mutex.lock_delay;
      }
      return Mutex::Create(client, options.resource, std::move(mutex));
    };
    return std::make_unique<LeaseLock<Mutex>>(environment, create, RenewalOf(traits_, options));
  }

 private:
  const std::string_view name_;
  const std::string_view summary_;
  harness::Traits traits_;
};

class AdoptedMutexAdapter final : public MutexAdapter {
 public:
  std::string_view name() const override { return "mutex.adopted"; }
  std::string_view summary() const override {
    return "interlock::Mutex, each lease handed over as a text and adopted by another Client";
  }
  harness::Traits traits() const override {
    return {
        .can_extend = true, .fencing = true, .own_leases = true, .stops = true, .concurrent = true};
  }
  /// The request, and the adoption after it.
  std::chrono::milliseconds OverrunBound(const harness::LockOptions& options) const override {
    return 2 * MutexAdapter::OverrunBound(options);
  }
  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<AdoptingLock<Mutex>>(environment, [&options](Client& client) {
      return Mutex::Create(client, options.resource,
                           {.key_prefix = options.key_prefix, .lease = options.lease});
    });
  }
};

}  // namespace

std::shared_ptr<const harness::Subject> MutexSubject() {
  return std::make_shared<const PlainMutexAdapter>("mutex", kSummary,
                                                   harness::Traits{.own_leases = true});
}

std::shared_ptr<const harness::Subject> CompiledMutexSubject() {
  return std::make_shared<const Compiled<PlainMutexAdapter>>("mutex", kSummary,
                                                             harness::Traits{.own_leases = true});
}

std::shared_ptr<const harness::Subject> AdoptedMutexSubject() {
  return std::make_shared<const AdoptedMutexAdapter>();
}

std::shared_ptr<const harness::Subject> RenewedMutexSubject() {
  return std::make_shared<const PlainMutexAdapter>(
      "mutex.renewed", "interlock::Mutex, each lease kept alive while it is held",
      harness::Traits{.renews = true});
}

std::shared_ptr<const harness::Subject> LockDelayMutexSubject() {
  return std::make_shared<const PlainMutexAdapter>(
      "mutex.lock-delay", "interlock::Mutex, others refused for a while after an expiry",
      harness::Traits{.lock_delay = true});
}

}  // namespace interlock::scenarios::subjects
