// SPDX-License-Identifier: MIT
#include <interlock/multi_mutex.h>

#include <algorithm>
#include <utility>

#include "src/client_core.h"
#include "src/held_lease.h"
#include "src/lost_event.h"
#include "src/retry.h"

namespace interlock {
namespace {

/// Releases what was had, for a request that fails with `why`. What cannot be given back may stay
/// taken, and that is not "none".
Status GiveBack(std::vector<Lease> held, const Status& why) {
  const Status released = MultiLease(std::move(held)).Release();
  const StatusCode code = released.code();
  if (why.code() == StatusCode::kCancelled || code == StatusCode::kCancelled) {
    return Status(StatusCode::kCancelled, why.message());
  }
  if (released.ok() || code == StatusCode::kNotOwner) return why;
  return Status(StatusCode::kUnknownOutcome,
                why.message() + "; giving back the others: " + released.ToString());
}

/// All at one instant: a look takes its time, so the lease that ends first is looked at last.
bool AllValid(const std::vector<Lease>& leases) {
  if (leases.empty()) return false;
  const auto valid = [](const Lease& lease) { return lease.valid(); };
  if (!std::all_of(leases.begin(), leases.end(), valid)) return false;
  return std::min_element(
             leases.begin(), leases.end(),
             [](const Lease& a, const Lease& b) { return a.valid_until() < b.valid_until(); })
      ->valid();
}

/// Makes whole again what has less than half of its life left. Not ok: one is over, or may be; also
/// one that was looked at before another took its time.
Status Refresh(std::vector<Lease>& held, Duration lease) {
  for (Lease& one : held) {
    if (one.remaining() >= lease / 2) continue;
    if (Status extended = one.Extend(); !extended.ok()) return extended;
  }
  return AllValid(held) ? Status()
                        : Status(StatusCode::kLeaseLost, "a lease was over before all were had");
}

}  // namespace

bool MultiLease::valid() const { return AllValid(leases_); }

MonotonicTime MultiLease::valid_until() const {
  MonotonicTime until = leases_.empty() ? MonotonicTime::min() : MonotonicTime::max();
  for (const Lease& lease : leases_) until = std::min(until, lease.valid_until());
  return until;
}

// The one that ends first goes first: an extension takes no longer than its own lease lasts, and
// must not outlast another one's.
Status MultiLease::Extend() {
  if (leases_.empty()) return Status(StatusCode::kNotOwner, "this handle holds nothing");
  std::vector<Lease*> by_end;
  for (Lease& lease : leases_) by_end.push_back(&lease);
  std::stable_sort(by_end.begin(), by_end.end(), [](const Lease* a, const Lease* b) {
    return a->valid_until() < b->valid_until();
  });
  for (Lease* lease : by_end) {
    if (Status extended = lease->Extend(); !extended.ok()) return extended;
  }
  return {};
}

Status MultiLease::KeepAlive(AnyDuration max_hold) {
  if (leases_.empty()) return Status(StatusCode::kNotOwner, "this handle holds nothing");
  Status first;
  for (Lease& lease : leases_) {
    Status kept = lease.KeepAlive(max_hold);
    if (first.ok()) first = std::move(kept);
  }
  // A pause may have fallen between the first of them and the last.
  if (first.ok() && !valid()) return Status(StatusCode::kLeaseLost, "one of them is over");
  return first;
}

Event& MultiLease::lost() {
  if (lost_ == nullptr) {
    std::vector<internal::HeldLease*> held;
    for (const Lease& lease : leases_) held.push_back(lease.held_.get());
    lost_ = std::make_shared<internal::LostEvent>(std::move(held));
  }
  return *lost_;
}

void MultiLease::OnLost(std::function<void()> callback) {
  const auto once = std::make_shared<std::function<void()>>(std::move(callback));
  for (Lease& lease : leases_) {
    // All of them run on one task.
    lease.OnLost([once] {
      if (const std::function<void()> first = std::exchange(*once, nullptr)) first();
    });
  }
}

Status MultiLease::Release() noexcept {
  if (leases_.empty()) return Status(StatusCode::kNotOwner, "this handle holds nothing");
  Status worst;
  for (auto lease = leases_.rbegin(); lease != leases_.rend(); ++lease) {
    Status released = lease->Release();
    const bool undone = !released.ok() && released.code() != StatusCode::kNotOwner;
    const bool definite = worst.ok() || worst.code() == StatusCode::kNotOwner;
    if (worst.ok() || (undone && definite)) worst = std::move(released);
  }
  return worst;
}

void MultiLease::Forget() noexcept {
  for (Lease& lease : leases_) lease.Forget();
}

Result<MultiMutex> MultiMutex::Create(Client& client, std::vector<std::string> names,
                                      MutexOptions options) {
  if (names.empty() || names.size() > kMostResourcesAtOnce) {
    return Status(StatusCode::kInvalidArgument, std::to_string(names.size()) +
                                                    " resources; allowed is 1 to " +
                                                    std::to_string(kMostResourcesAtOnce));
  }
  std::sort(names.begin(), names.end());
  if (const auto twin = std::adjacent_find(names.begin(), names.end()); twin != names.end()) {
    return Status(StatusCode::kInvalidArgument, "\"" + *twin + "\" is given twice");
  }
  std::vector<Mutex> mutexes;
  for (std::string& name : names) {
    Result<Mutex> mutex = Mutex::Create(client, std::move(name), options);
    if (!mutex.ok()) return mutex.status();
    mutexes.push_back(std::move(mutex).value());
  }
  return MultiMutex(client, std::move(mutexes), options.lease);
}

MultiMutex::MultiMutex(Client& client, std::vector<Mutex> mutexes, Duration lease)
    : runtime_(&client.runtime()), mutexes_(std::move(mutexes)), lease_(lease) {
  const ClientOptions& used = client.options();
  const Duration release = used.release_attempts * (used.connect_timeout + used.command_timeout) +
                           internal::ShortPauses(used.release_attempts);
  const auto resources = static_cast<Duration::rep>(mutexes_.size());
  overrun_bound_ = client.overrun_bound() + resources * (client.core().LongestGrant() + release);
}

Result<MultiLease> MultiMutex::TryAcquire() {
  std::vector<Lease> held;
  for (Mutex& mutex : mutexes_) {
    Result<Lease> lease = mutex.TryAcquire();
    if (!lease.ok()) return GiveBack(std::move(held), lease.status());
    held.push_back(std::move(lease).value());
  }
  if (Status alive = Refresh(held, lease_); !alive.ok()) return GiveBack(std::move(held), alive);
  return MultiLease(std::move(held));
}

Result<MultiLease> MultiMutex::AcquireFor(AnyDuration timeout, std::stop_token stop) {
  return AcquireUntil(AddSaturating(runtime_->Now(), timeout), std::move(stop));
}

Result<MultiLease> MultiMutex::AcquireUntil(MonotonicTime deadline, std::stop_token stop) {
  for (;;) {
    Result<MultiLease> all = AcquireAll(deadline, stop);
    if (all.code() != StatusCode::kLeaseLost) return all;
    if (runtime_->Now() >= deadline) return Status(StatusCode::kTimeout, all.status().message());
  }
}

Result<MultiLease> MultiMutex::Acquire(std::stop_token stop) {
  return AcquireUntil(kNever, std::move(stop));
}

Result<MultiLease> MultiMutex::AcquireAll(MonotonicTime deadline, const std::stop_token& stop) {
  std::vector<Lease> held;
  for (Mutex& mutex : mutexes_) {
    Result<Lease> lease = AcquireNext(mutex, held, deadline, stop);
    if (!lease.ok()) return GiveBack(std::move(held), lease.status());
    held.push_back(std::move(lease).value());
  }
  if (Status alive = Refresh(held, lease_); !alive.ok()) {
    return GiveBack(std::move(held), Status(StatusCode::kLeaseLost, alive.message()));
  }
  return MultiLease(std::move(held));
}

/// Waits in stretches, so that what is held does not run out meanwhile.
Result<Lease> MultiMutex::AcquireNext(Mutex& next, std::vector<Lease>& held, MonotonicTime deadline,
                                      const std::stop_token& stop) {
  for (;;) {
    const MonotonicTime stretch =
        held.empty() ? kNever : AddSaturating(runtime_->Now(), lease_ / 4);
    Result<Lease> lease = next.AcquireUntil(std::min(deadline, stretch), stop);
    if (lease.code() != StatusCode::kTimeout || stretch >= deadline) return lease;
    if (Status alive = Refresh(held, lease_); !alive.ok()) {
      return Status(StatusCode::kLeaseLost, alive.message());
    }
  }
}

}  // namespace interlock
