// SPDX-License-Identifier: MIT
#include <interlock/lockable.h>

#include <utility>

namespace interlock {

void Lockable::CheckUnlocked() const {
  if (!locked()) return;
  throw LockError(Status(StatusCode::kInvalidArgument, "this handle holds it already"));
}

bool Lockable::Take(Result<Lease> lease) {
  if (lease.code() == StatusCode::kNotAcquired || lease.code() == StatusCode::kTimeout) {
    return false;
  }
  if (!lease.ok()) throw LockError(lease.status());
  lease_.emplace(std::move(lease).value());
  return true;
}

void Lockable::lock() {
  CheckUnlocked();
  Result<Lease> lease = source_.Acquire();
  if (!lease.ok()) throw LockError(lease.status());
  lease_.emplace(std::move(lease).value());
}

bool Lockable::try_lock() {
  CheckUnlocked();
  return Take(source_.TryAcquire());
}

bool Lockable::try_lock_until(MonotonicTime deadline) {
  CheckUnlocked();
  return Take(source_.AcquireUntil(deadline));
}

void Lockable::unlock() noexcept {
  last_release_ = lease_->Release();
  lease_.reset();
}

}  // namespace interlock
