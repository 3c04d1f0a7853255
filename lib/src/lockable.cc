// SPDX-License-Identifier: MIT
#include <interlock/lockable.h>

#include <utility>

#include <interlock/multi_mutex.h>

namespace interlock {

template <typename Source, typename Granted>
void BasicLockable<Source, Granted>::CheckUnlocked() const {
  if (!locked()) return;
  throw LockError(Status(StatusCode::kInvalidArgument, "this handle holds it already"));
}

template <typename Source, typename Granted>
bool BasicLockable<Source, Granted>::Take(Result<Granted> lease) {
  if (lease.code() == StatusCode::kNotAcquired || lease.code() == StatusCode::kTimeout) {
    return false;
  }
  if (!lease.ok()) throw LockError(lease.status());
  lease_.emplace(std::move(lease).value());
  return true;
}

template <typename Source, typename Granted>
void BasicLockable<Source, Granted>::lock() {
  CheckUnlocked();
  Result<Granted> lease = source_.Acquire();
  if (!lease.ok()) throw LockError(lease.status());
  lease_.emplace(std::move(lease).value());
}

template <typename Source, typename Granted>
bool BasicLockable<Source, Granted>::try_lock() {
  CheckUnlocked();
  return Take(source_.TryAcquire());
}

template <typename Source, typename Granted>
bool BasicLockable<Source, Granted>::try_lock_until(MonotonicTime deadline) {
  CheckUnlocked();
  return Take(source_.AcquireUntil(deadline));
}

template <typename Source, typename Granted>
void BasicLockable<Source, Granted>::unlock() noexcept {
  last_release_ = lease_->Release();
  lease_.reset();
}

template class BasicLockable<LeaseSource, Lease>;
template class BasicLockable<MultiMutex, MultiLease>;

}  // namespace interlock
