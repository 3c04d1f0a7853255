// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <stop_token>
#include <string_view>

#include <interlock/options.h>
#include <interlock/shared_mutex.h>

#include "scenarios/locks/owner_key.h"
#include "scenarios/locks/subjects/lease_adapter.h"
#include "scenarios/locks/subjects/mutex_adapter.h"
#include "scenarios/locks/subjects/subjects.h"

namespace interlock::scenarios::subjects {
namespace {

using std::chrono::milliseconds;

/// A LeaseLock for writers, and the same for readers.
class SharedLock final : public LeaseLock<SharedMutex> {
 public:
  using LeaseLock::LeaseLock;

  Result<std::unique_ptr<harness::Hold>> TryAcquireShared() override {
    if (!primitive().ok()) return primitive().status();
    return Kept(primitive()->reader().TryAcquire());
  }
  Result<std::unique_ptr<harness::Hold>> AcquireSharedUntil(MonotonicTime deadline) override {
    return AcquireSharedUnlessStopped(deadline, {});
  }
  Result<std::unique_ptr<harness::Hold>> AcquireSharedUnlessStopped(
      MonotonicTime deadline, const std::stop_token& stop) override {
    if (!primitive().ok()) return primitive().status();
    return Kept(primitive()->reader().AcquireUntil(deadline, stop));
  }
};

class SharedMutexAdapter final : public MutexAdapter {
 public:
  SharedMutexAdapter(std::string_view name, std::string_view summary, bool prefers_writers)
      : name_(name), summary_(summary), prefers_writers_(prefers_writers) {}

  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return summary_; }
  harness::Traits traits() const override {
    harness::Traits traits = MutexAdapter::traits();
    traits.kind = harness::Readers{prefers_writers_};
    traits.cluster = true;
    traits.own_leases = true;
    return traits;
  }
  std::vector<harness::Promise> Promises() const override {
    return WithOrder(MutexAdapter::Promises(), traits().cluster);
  }
  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<SharedLock>(environment, [this, &options](Client& client) {
      return SharedMutex::Create(client, options.resource,
                                 {.key_prefix = options.key_prefix,
                                  .lease = options.lease,
                                  .prefer_writers = prefers_writers_});
    });
  }

  /// Readers whose time has passed may still stand there.
  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    return WriterAndReadersAt(server, KeyOf(options));
  }

  std::vector<harness::AuxiliaryKey> AuxiliaryKeys(
      const harness::LockOptions& options) const override {
    const std::string key = KeyOf(options);
    const auto cancelled = std::max<Duration>(options.lease, kCancelledTtl);
    return {{key + ":waiting", options.lease},
            {key + ":fence", std::chrono::duration_cast<milliseconds>(kFenceTtl)},
            {key + ":signal:*", options.lease},
            {key + ":cancelled:*", std::chrono::duration_cast<milliseconds>(cancelled)}};
  }

 private:
  const std::string_view name_;
  const std::string_view summary_;
  const bool prefers_writers_;
};

}  // namespace

std::shared_ptr<const harness::Subject> SharedMutexSubject() {
  return std::make_shared<const SharedMutexAdapter>(
      "shared-mutex",
      "interlock::SharedMutex: many readers or one writer, each with a lease of its own", true);
}

std::shared_ptr<const harness::Subject> UnpreferredSharedMutexSubject() {
  return std::make_shared<const SharedMutexAdapter>(
      "shared-mutex.unpreferred",
      "interlock::SharedMutex, whose writers do not keep new readers out while they wait", false);
}

}  // namespace interlock::scenarios::subjects
