// SPDX-License-Identifier: MIT
#include <interlock/count_down_latch.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/locks/subjects/lease_adapter.h"
#include "scenarios/locks/subjects/mutex_adapter.h"
#include "scenarios/locks/subjects/passage.h"
#include "scenarios/locks/subjects/subjects.h"

namespace interlock::scenarios::subjects {
namespace {

/// The first client closes the latch, as careful users do: each of them says how many parties there
/// are before it does anything else, and once more if the latch has been forgotten.
class LatchLock final : public harness::Lock {
 public:
  LatchLock(harness::Environment& environment, const harness::LockOptions& options)
      : parties_(options.parties),
        client_(environment.runtime, environment.connector),
        latch_(CountDownLatch::Create(client_, options.resource,
                                      {.key_prefix = options.key_prefix,
                                       .life = LifeOf(options),
                                       .retry = {.max_wait = options.lease}})) {}

  Status CountDown(const std::string& party) override {
    Status counted = Closed();
    if (counted.ok()) counted = latch_->CountDown(party);
    if (counted.code() != StatusCode::kInvalidArgument || !latch_.ok()) return counted;
    closed_ = false;
    if (Status closed = Closed(); !closed.ok()) return closed;
    return latch_->CountDown(party);
  }

  Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
    return AcquireUntil(client_.runtime().Now());
  }

  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    return AcquireUnlessStopped(deadline, {});
  }

  /// What is stopped before need not be closed first.
  Result<std::unique_ptr<harness::Hold>> AcquireUnlessStopped(
      MonotonicTime deadline, const std::stop_token& stop) override {
    if (!latch_.ok()) return latch_.status();
    if (!stop.stop_requested()) {
      if (Status closed = Closed(); !closed.ok()) return closed;
    }
    const Status passed = latch_->AwaitUntil(deadline, stop);
    if (passed.code() == StatusCode::kInvalidArgument) closed_ = false;
    return ToPassage(passed);
  }

 private:
  Status Closed() {
    if (!latch_.ok() || closed_) return latch_.status();
    Status closed = latch_->Close(parties_);
    closed_ = closed.ok();
    return closed;
  }

  const int parties_;
  Client client_;
  Result<CountDownLatch> latch_;
  bool closed_ = false;
};

class CountDownLatchAdapter final : public harness::Subject {
 public:
  std::string_view name() const override { return "count-down-latch"; }
  std::string_view summary() const override {
    return "interlock::CountDownLatch: opens when each of its parties has counted down";
  }
  harness::Traits traits() const override {
    return {.kind = harness::Latch{}, .cluster = true, .stops = true};
  }
  harness::ExploredBound explored() const override { return {.tasks_in_order = false}; }

  std::vector<harness::Promise> Promises() const override {
    constexpr std::string_view kAll = "LK001 LK009 LK010 LK011 LK015";
    return PromisesOf({.usual = kAll,
                       .crash = kAll,
                       .pause = kAll,
                       .clock = "LK001 LK011",
                       .server = "LK001 LK009 LK011 LK015",
                       .loss = "LK001 LK009 LK011 LK015"},
                      traits().cluster);
  }

  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<LatchLock>(environment, options);
  }

  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& /*server*/,
      const harness::LockOptions& /*options*/) const override {
    return std::nullopt;
  }

  std::vector<harness::AuxiliaryKey> AuxiliaryKeys(
      const harness::LockOptions& options) const override {
    const std::string key = KeyOf(options);
    const std::chrono::milliseconds life = LifeOf(options);
    return {{key, life}, {key + ":counted", life}, {key + ":open", life}};
  }

  std::optional<std::chrono::milliseconds> HandOverBound(
      const harness::LockOptions& options) const override {
    return HandOverOfWaiters(options);
  }

  /// It may have to be closed first.
  std::chrono::milliseconds OverrunBound(const harness::LockOptions& /*options*/) const override {
    return 2 * OverrunOfClients();
  }
};

}  // namespace

std::shared_ptr<const harness::Subject> CountDownLatchSubject() {
  return std::make_shared<const CountDownLatchAdapter>();
}

}  // namespace interlock::scenarios::subjects
