// SPDX-License-Identifier: MIT
//
// Every request of the scenarios is answered with two holds of one new owner, the second inside the
// first, as the code of a user nests them: what is judged is the pair.
#include <chrono>
#include <stop_token>
#include <utility>
#include <vector>

#include <interlock/reentrant_mutex.h>

#include "scenarios/locks/subjects/mutex_adapter.h"
#include "scenarios/locks/subjects/subjects.h"

namespace interlock::scenarios::subjects {
namespace {

using std::chrono::milliseconds;

struct Parts {
  Parts(harness::Environment& environment, const harness::LockOptions& options)
      : client(environment.runtime, environment.connector),
        mutex(ReentrantMutex::Create(
            client, options.resource,
            {.key_prefix = options.key_prefix, .lease = options.lease, .retry = {}})) {}

  Client client;
  Result<ReentrantMutex> mutex;
};

class PairOfHolds final : public harness::Hold {
 public:
  PairOfHolds(std::shared_ptr<Parts> parts, std::string owner, Lease outer, Lease inner)
      : parts_(std::move(parts)),
        owner_(std::move(owner)),
        outer_(std::move(outer)),
        inner_(std::move(inner)) {}
  ~PairOfHolds() override {
    inner_.Forget();
    outer_.Forget();
  }
  PairOfHolds(const PairOfHolds&) = delete;
  PairOfHolds& operator=(const PairOfHolds&) = delete;

  std::string owner_token() const override { return owner_; }
  std::optional<std::uint64_t> fencing_token() const override { return outer_.fencing_token(); }
  std::optional<bool> valid() const override { return inner_.valid(); }
  MonotonicTime valid_until() const override { return inner_.valid_until(); }
  Status Extend() override { return inner_.Extend(); }

  /// The resource is free when both are given back, the inner one at the second try if need be.
  Status Release() override {
    Status inner = inner_.Release();
    if (inner.code() == StatusCode::kCancelled) return inner;
    Status outer = outer_.Release();
    if (!inner.ok() && inner.code() != StatusCode::kNotOwner && outer.ok()) {
      const bool maybe = inner.outcome() == Outcome::kUnknown;  // the first try did it
      inner = inner_.Release();
      if (!maybe || inner.code() != StatusCode::kNotOwner) return inner;
    }
    return outer;
  }

 private:
  std::shared_ptr<Parts> parts_;
  std::string owner_;
  Lease outer_;
  Lease inner_;
};

class NestingLock final : public harness::Lock {
 public:
  NestingLock(harness::Environment& environment, const harness::LockOptions& options)
      : parts_(std::make_shared<Parts>(environment, options)) {}

  Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
    return Nest([](ReentrantMutex::Owner& owner) { return owner.TryAcquire(); });
  }
  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    return AcquireUnlessStopped(deadline, {});
  }
  Result<std::unique_ptr<harness::Hold>> AcquireUnlessStopped(
      MonotonicTime deadline, const std::stop_token& stop) override {
    return Nest([&](ReentrantMutex::Owner& owner) { return owner.AcquireUntil(deadline, stop); });
  }

 private:
  template <typename Acquire>
  Result<std::unique_ptr<harness::Hold>> Nest(const Acquire& acquire) {
    if (!parts_->mutex.ok()) return parts_->mutex.status();
    ReentrantMutex::Owner owner = parts_->mutex->NewOwner();
    Result<Lease> outer = acquire(owner);
    if (!outer.ok()) return outer.status();
    Result<Lease> inner = owner.TryAcquire();
    if (!inner.ok()) return GiveUp(*outer, inner.status());
    if (inner->fencing_token() != outer->fencing_token()) {
      inner->Forget();
      return GiveUp(*outer, Status(StatusCode::kProtocolError, "a hold has another fencing token"));
    }
    return std::unique_ptr<harness::Hold>(std::make_unique<PairOfHolds>(
        parts_, owner.id(), std::move(outer).value(), std::move(inner).value()));
  }

  /// Half of what was asked for is nothing. What cannot be given back is unknown.
  static Status GiveUp(Lease& outer, const Status& why) {
    const Status released = outer.Release();
    if (why.code() == StatusCode::kCancelled || released.code() == StatusCode::kCancelled) {
      return Status(StatusCode::kCancelled, "the run is over");
    }
    if (released.ok() && why.outcome() != Outcome::kUnknown) {
      return Status(StatusCode::kUnavailable, why.message());
    }
    return Status(StatusCode::kUnknownOutcome, why.message());
  }

  std::shared_ptr<Parts> parts_;
};

class ReentrantMutexAdapter final : public MutexAdapter {
 public:
  std::string_view name() const override { return "reentrant-mutex"; }
  std::string_view summary() const override {
    return "interlock::ReentrantMutex: one owner at a time, which may nest";
  }
  harness::Traits traits() const override {
    return {.can_extend = true,
            .fencing = true,
            .nests = true,
            .cluster = true,
            .own_leases = true,
            .stops = true,
            .concurrent = true};
  }
  std::vector<harness::Promise> Promises() const override {
    std::vector<harness::Promise> promises = MutexAdapter::Promises();
    for (harness::Promise& promise : promises) {
      const bool loses =
          promise.fault_class == "data-loss" || promise.fault_class == "failover" ||
          promise.fault_class == "split-brain" || promise.fault_class.starts_with("power-loss") ||
          promise.fault_class == "shard-failover" || promise.fault_class == "late-claim";
      if (loses) promise.keeps = "LK006 LK009 LK014 LK015";
    }
    return promises;
  }
  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<NestingLock>(environment, options);
  }

  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    const std::string key = KeyOf(options);
    std::vector<harness::Owner> owners;
    for (auto& [field, value] : server.Hash(key)) {
      if (field == "owner")
        owners.push_back(
            {std::move(value), server.ExpiresAtMs(key), false, harness::LastMs::kOwned});
    }
    return owners;
  }

  milliseconds OverrunBound(const harness::LockOptions& options) const override {
    return 2 * MutexAdapter::OverrunBound(options);
  }
};

}  // namespace

std::shared_ptr<const harness::Subject> ReentrantMutexSubject() {
  return std::make_shared<const ReentrantMutexAdapter>();
}

}  // namespace interlock::scenarios::subjects
