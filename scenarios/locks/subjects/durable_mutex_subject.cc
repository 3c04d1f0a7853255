// SPDX-License-Identifier: MIT
//
// interlock::Mutex whose grants count once the server has them on disk
// (ReplicaAcknowledgement::on_disk).
#include <interlock/mutex.h>

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

/// A disk that is synced every second is in time for the longer leases.
milliseconds PatienceWithTheDisk(const harness::LockOptions& options) {
  return options.lease * 3 / 8;
}

class DurableMutexAdapter final : public MutexAdapter {
 public:
  std::string_view name() const override { return "mutex.on-disk"; }
  std::string_view summary() const override {
    return "interlock::Mutex, each grant believed once the server has it on disk (WAITAOF)";
  }
  harness::Traits traits() const override {
    harness::Traits traits = MutexAdapter::traits();
    traits.own_leases = true;
    traits.on_disk = true;
    return traits;
  }
  /// A server that loses power before a grant is on disk has granted it all the same (LK001),
  /// though nobody was told. Where each grant waits for a disk that is synced every second, a short
  /// lease is over before it counts, so a free lock may go to nobody for long (LK009, LK015).
  std::vector<harness::Promise> Promises() const override {
    return {{"server-restart", "standalone",
             "LK001 LK002 LK003 LK004 LK005 LK006 LK007 LK009 LK011 LK014 LK015", ""},
            {"power-loss", "standalone", "LK002 LK003 LK004 LK005 LK006 LK007 LK011 LK014",
             "LK001 LK009 LK015"},
            {"power-loss-valkey", "standalone", "LK004 LK005 LK006 LK007 LK009 LK011 LK014 LK015",
             "LK001 LK002 LK003"}};
  }
  milliseconds OverrunBound(const harness::LockOptions& options) const override {
    const int rounds = 2 + ClientOptions().cleanup_attempts;
    return MutexAdapter::OverrunBound(options) + rounds * PatienceWithTheDisk(options);
  }

  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    const auto create = [&options](Client& client) {
      return Mutex::Create(client, options.resource,
                           {.key_prefix = options.key_prefix, .lease = options.lease});
    };
    ClientOptions durable;
    durable.acknowledged_by = {.on_disk = true, .timeout = PatienceWithTheDisk(options)};
    return std::make_unique<LeaseLock<Mutex>>(environment, create, Renewal(), std::move(durable));
  }
};

}  // namespace

std::shared_ptr<const harness::Subject> DurableMutexSubject() {
  return std::make_shared<const DurableMutexAdapter>();
}

}  // namespace interlock::scenarios::subjects
