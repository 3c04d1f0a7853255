// SPDX-License-Identifier: MIT
//
// Lockable: a handle with which std::unique_lock, std::scoped_lock and std::lock take any primitive
// that grants leases: any LeaseSource, which a side of a SharedMutex and an owner of a
// ReentrantMutex are, too. MultiLockable (multi_mutex.h) is the same for a MultiMutex.
//
//   interlock::Lockable invoice(mutex);                           // one for each thread
//   const std::unique_lock guard(invoice);                        // throws LockError
//   while (work_left && invoice.lease().valid()) Step(invoice.lease().fencing_token());
//
// Guarantee: as of the primitive; unlock() never throws. Not guaranteed: what std::mutex would
// give. A lease can be lost while a guard is held, and no guard says so: ask lease(). A release
// whose outcome is not known shows in last_release() alone.
//
// Cost: as the primitive's acquire and release; no more.
// Thread safety: one task at a time, like a Lease: ownership belongs to the handle, never to a
// thread. The source must outlive it.
#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
#include <utility>

#include <interlock/lease.h>
#include <interlock/lease_source.h>
#include <interlock/result.h>
#include <interlock/time.h>

namespace interlock {

/// What those forms of the library that throw do throw; all others answer with a Status.
class LockError : public std::runtime_error {
 public:
  explicit LockError(Status status)
      : std::runtime_error(status.ToString()), status_(std::move(status)) {}
  const Status& status() const { return status_; }

 private:
  Status status_;
};

/// `Source` is what is locked, `Granted` what it grants: LeaseSource and Lease, or MultiMutex and
/// MultiLease.
template <typename Source, typename Granted>
class BasicLockable {
 public:
  explicit BasicLockable(Source& source) : source_(source) {}
  /// Releases what is still locked.
  ~BasicLockable() = default;
  BasicLockable(const BasicLockable&) = delete;
  BasicLockable& operator=(const BasicLockable&) = delete;

  /// Waits for ever, as Acquire. Throws LockError with its status; kInvalidArgument: this handle
  /// has locked it already, and would wait for itself.
  void lock();

  /// As TryAcquire. False: somebody else holds it. Throws LockError if that could not be found out.
  bool try_lock();

  /// As AcquireFor and AcquireUntil. False: not acquired in time. Otherwise as lock().
  template <typename Rep, typename Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& timeout) {
    CheckUnlocked();
    return Take(source_.AcquireFor(ToDuration(timeout)));
  }
  bool try_lock_until(MonotonicTime deadline);
  /// A deadline on another clock is converted once, when the call begins.
  template <typename Clock, typename Span>
  bool try_lock_until(const std::chrono::time_point<Clock, Span>& deadline) {
    const auto now = Clock::now();
    if (deadline <= now) return try_lock_for(Duration::zero());
    return try_lock_for(deadline - now);
  }

  /// As Release, also if the lease is over. REQUIRES: locked.
  void unlock() noexcept;

  bool locked() const { return lease_.has_value(); }
  /// REQUIRES: locked().
  Granted& lease() { return *lease_; }
  /// The answer of the last unlock(); kOk before the first.
  const Status& last_release() const { return last_release_; }

 private:
  void CheckUnlocked() const;
  /// False: definitely not acquired, because somebody else holds it.
  bool Take(Result<Granted> lease);

  Source& source_;
  std::optional<Granted> lease_;
  Status last_release_;
};

using Lockable = BasicLockable<LeaseSource, Lease>;

}  // namespace interlock
