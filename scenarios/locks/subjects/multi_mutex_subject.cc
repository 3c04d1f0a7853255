// SPDX-License-Identifier: MIT
#include <interlock/multi_mutex.h>

#include <chrono>
#include <memory>
#include <string_view>

#include "scenarios/locks/subjects/multi_adapter.h"
#include "scenarios/locks/subjects/subjects.h"

namespace interlock::scenarios::subjects {
namespace {

class MultiMutexAdapter final : public MultiAdapter {
 public:
  MultiMutexAdapter(std::string_view name, std::string_view summary, bool renews)
      : name_(name), summary_(summary), renews_(renews) {}

  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return summary_; }
  harness::Traits traits() const override {
    harness::Traits traits = MultiAdapter::traits();
    traits.renews = renews_;
    traits.stops = true;
    return traits;
  }
  std::chrono::milliseconds KeptAliveFor(const harness::LockOptions& options) const override {
    return LongestRenewedHold(options);
  }
  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    const auto create = [&options](Client& client) {
      return MultiMutex::Create(client, options.several,
                                {.key_prefix = options.key_prefix, .lease = options.lease});
    };
    return std::make_unique<LeaseLock<MultiMutex>>(environment, create,
                                                   RenewalOf(traits(), options));
  }

 private:
  const std::string_view name_;
  const std::string_view summary_;
  const bool renews_;
};

}  // namespace

std::shared_ptr<const harness::Subject> MultiMutexSubject() {
  return std::make_shared<const MultiMutexAdapter>(
      "multi-mutex", "interlock::MultiMutex: two resources at once, all or none", false);
}

std::shared_ptr<const harness::Subject> RenewedMultiMutexSubject() {
  return std::make_shared<const MultiMutexAdapter>(
      "multi-mutex.renewed", "interlock::MultiMutex, its leases kept alive while they are held",
      true);
}

}  // namespace interlock::scenarios::subjects
