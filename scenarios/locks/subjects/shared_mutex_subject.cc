// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <cstdint>
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

class SharedLock final : public harness::Lock {
 public:
  SharedLock(harness::Environment& environment, const harness::LockOptions& options,
             bool prefers_writers)
      : parts_(std::make_shared<Parts>(environment, options, prefers_writers)) {}

  Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
    if (!parts_->mutex.ok()) return parts_->mutex.status();
    return ToHold(parts_->mutex->writer().TryAcquire());
  }
  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    return AcquireUnlessStopped(deadline, {});
  }
  Result<std::unique_ptr<harness::Hold>> AcquireUnlessStopped(
      MonotonicTime deadline, const std::stop_token& stop) override {
    if (!parts_->mutex.ok()) return parts_->mutex.status();
    return ToHold(parts_->mutex->writer().AcquireUntil(deadline, stop));
  }
  Result<std::unique_ptr<harness::Hold>> TryAcquireShared() override {
    if (!parts_->mutex.ok()) return parts_->mutex.status();
    return ToHold(parts_->mutex->reader().TryAcquire());
  }
  Result<std::unique_ptr<harness::Hold>> AcquireSharedUntil(MonotonicTime deadline) override {
    return AcquireSharedUnlessStopped(deadline, {});
  }
  Result<std::unique_ptr<harness::Hold>> AcquireSharedUnlessStopped(
      MonotonicTime deadline, const std::stop_token& stop) override {
    if (!parts_->mutex.ok()) return parts_->mutex.status();
    return ToHold(parts_->mutex->reader().AcquireUntil(deadline, stop));
  }
  Result<std::vector<harness::SeenHolder>> Inspect() override {
    if (!parts_->mutex.ok()) return parts_->mutex.status();
    return ToSeen(parts_->mutex->Inspect());
  }
  Status ForceRelease(const harness::SeenHolder& holder) override {
    if (!parts_->mutex.ok()) return parts_->mutex.status();
    return parts_->mutex->ForceRelease(ToHolder(holder));
  }

 private:
  struct Parts {
    Parts(harness::Environment& environment, const harness::LockOptions& options,
          bool prefers_writers)
        : client(environment.runtime, environment.connector),
          mutex(SharedMutex::Create(client, options.resource,
                                    {.key_prefix = options.key_prefix,
                                     .lease = options.lease,
                                     .prefer_writers = prefers_writers})) {}

    Client client;
    Result<SharedMutex> mutex;
  };

  Result<std::unique_ptr<harness::Hold>> ToHold(Result<Lease> lease) {
    if (!lease.ok()) return lease.status();
    return std::unique_ptr<harness::Hold>(
        std::make_unique<LeaseHold>(parts_, std::move(lease).value()));
  }

  std::shared_ptr<Parts> parts_;
};

class SharedMutexAdapter final : public MutexAdapter {
 public:
  SharedMutexAdapter(std::string_view name, std::string_view summary, bool prefers_writers)
      : name_(name), summary_(summary), prefers_writers_(prefers_writers) {}

  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return summary_; }
  harness::Traits traits() const override {
    return {.kind = harness::Readers{prefers_writers_},
            .can_extend = true,
            .fencing = true,
            .cluster = true,
            .own_leases = true,
            .stops = true,
            .operators = true,
            .concurrent = true,
            .recalls_releases = true};
  }
  std::vector<harness::Promise> Promises() const override {
    return WithOrder(MutexAdapter::Promises());
  }
  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<SharedLock>(environment, options, prefers_writers_);
  }

  /// The writer, and one entry per reader, its score the end of its lease. Readers whose time has
  /// passed may still stand there.
  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    const std::string key = KeyOf(options);
    std::vector<harness::Owner> owners = OwnersAt(server, key);
    for (auto& [token, score] : server.SortedSet(key + ":readers")) {
      const auto expires_at_ms = static_cast<std::int64_t>(score);
      if (expires_at_ms >= server.NowMs())
        owners.push_back({token, expires_at_ms, true, harness::LastMs::kOwned});
    }
    return owners;
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
