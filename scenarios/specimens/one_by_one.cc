// SPDX-License-Identifier: MIT
#include "scenarios/specimens/one_by_one.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <interlock/client.h>
#include <interlock/mutex.h>

#include "scenarios/subjects/multi_adapter.h"

namespace interlock::scenarios::specimens {
namespace {

class OneByOneLock final : public harness::Lock {
 public:
  OneByOneLock(harness::Environment& environment, const harness::LockOptions& options,
               const OneByOne& habits)
      : parts_(std::make_shared<Parts>(environment)), gives_back_(habits.gives_back) {
    std::vector<std::string> names = options.several;
    if (habits.in_order) std::sort(names.begin(), names.end());
    for (std::string& name : names) {
      parts_->mutexes.push_back(
          Mutex::Create(parts_->client, std::move(name),
                        {.key_prefix = options.key_prefix, .lease = options.lease}));
    }
    reversed_ = parts_->mutexes.front().ok() && parts_->mutexes.front()->name() != options.resource;
  }

  Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
    return TakeEach([](Mutex& mutex) { return mutex.TryAcquire(); });
  }
  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    return TakeEach([deadline](Mutex& mutex) { return mutex.AcquireUntil(deadline); });
  }

 private:
  struct Parts {
    explicit Parts(harness::Environment& environment)
        : client(environment.runtime, environment.connector) {}

    Client client;
    std::vector<Result<Mutex>> mutexes;
  };

  template <typename Acquire>
  Result<std::unique_ptr<harness::Hold>> TakeEach(const Acquire& acquire) {
    std::vector<Lease> taken;
    for (Result<Mutex>& mutex : parts_->mutexes) {
      if (!mutex.ok()) return mutex.status();
      Result<Lease> lease = acquire(*mutex);
      if (!lease.ok()) return GiveUp(std::move(taken), lease.status());
      taken.push_back(std::move(lease).value());
    }
    // What was taken first may be over by now.
    for (Lease& lease : taken) {
      if (const Status alive = lease.Extend(); !alive.ok()) return GiveUp(std::move(taken), alive);
    }
    if (reversed_) std::reverse(taken.begin(), taken.end());
    return subjects::MultiHold(parts_, MultiLease(std::move(taken)));
  }

  Status GiveUp(std::vector<Lease> taken, const Status& why) const {
    Status released;
    for (Lease& lease : taken) {
      if (!gives_back_) {
        lease.Forget();
      } else if (Status one = lease.Release(); !one.ok() && one.code() != StatusCode::kNotOwner) {
        released = std::move(one);
      }
    }
    if (released.ok() || why.code() == StatusCode::kCancelled) return why;
    if (released.code() == StatusCode::kCancelled) return released;
    return Status(StatusCode::kUnknownOutcome, released.message());
  }

  std::shared_ptr<Parts> parts_;
  const bool gives_back_;
  bool reversed_ = false;
};

class Adapter final : public subjects::MultiAdapter {
 public:
  explicit Adapter(const OneByOne& habits) : habits_(habits) {}

  std::string_view name() const override { return habits_.name; }
  std::string_view summary() const override { return habits_.summary; }
  std::vector<harness::Promise> Promises() const override { return {}; }
  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<OneByOneLock>(environment, options, habits_);
  }

 private:
  const OneByOne habits_;
};

}  // namespace

std::shared_ptr<const harness::Subject> MakeOneByOne(const OneByOne& habits) {
  return std::make_shared<const Adapter>(habits);
}

}  // namespace interlock::scenarios::specimens
