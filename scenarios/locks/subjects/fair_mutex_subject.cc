// SPDX-License-Identifier: MIT
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <interlock/fair_mutex.h>

#include "scenarios/locks/owner_key.h"
#include "scenarios/locks/subjects/adopting_lock.h"
#include "scenarios/locks/subjects/compiled.h"
#include "scenarios/locks/subjects/lease_adapter.h"
#include "scenarios/locks/subjects/line_adapter.h"
#include "scenarios/locks/subjects/mutex_adapter.h"
#include "scenarios/locks/subjects/subjects.h"

namespace interlock::scenarios::subjects {
namespace {

class FairMutexAdapter : public LineAdapter<MutexAdapter, FairMutexOptions> {
 public:
  std::string_view name() const override { return "fair-mutex"; }
  std::string_view summary() const override {
    return "interlock::FairMutex: one holder at a time, first come, first served";
  }
  harness::Traits traits() const override {
    harness::Traits traits = LineAdapter::traits();
    traits.cluster = true;
    traits.own_leases = true;
    return traits;
  }

  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<LeaseLock<FairMutex>>(
        environment, [&options](Client& client) { return Create(client, options); });
  }

  /// The value is the owner's token, followed by what its grant says.
  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    std::vector<harness::Owner> owners = OwnersAt(server, KeyText(options).view());
    for (harness::Owner& owner : owners) {
      owner.token = owner.token.substr(0, owner.token.find(' '));
    }
    return owners;
  }

 protected:
  static Result<FairMutex> Create(Client& client, const harness::LockOptions& options) {
    return FairMutex::Create(client, options.resource,
                             {.key_prefix = options.key_prefix, .lease = options.lease});
  }
};

/// Its requests may be late, and another Client has to bar them.
class AdoptedAdapter final : public FairMutexAdapter {
 public:
  std::string_view name() const override { return "fair-mutex.adopted"; }
  std::string_view summary() const override {
    return "interlock::FairMutex, each lease handed over as a text and adopted by another Client";
  }
  harness::Traits traits() const override {
    harness::Traits traits = FairMutexAdapter::traits();
    traits.operators = false;
    return traits;
  }
  /// The request, and the adoption after it.
  std::chrono::milliseconds OverrunBound(const harness::LockOptions& options) const override {
    return 2 * FairMutexAdapter::OverrunBound(options);
  }
  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<AdoptingLock<FairMutex>>(
        environment, [&options](Client& client) { return Create(client, options); });
  }
};

}  // namespace

std::shared_ptr<const harness::Subject> FairMutexSubject() {
  return std::make_shared<const FairMutexAdapter>();
}

std::shared_ptr<const harness::Subject> CompiledFairMutexSubject() {
  return std::make_shared<const Compiled<FairMutexAdapter>>();
}

std::shared_ptr<const harness::Subject> AdoptedFairMutexSubject() {
  return std::make_shared<const AdoptedAdapter>();
}

}  // namespace interlock::scenarios::subjects
