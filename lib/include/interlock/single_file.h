// SPDX-License-Identifier: MIT
//
// SingleFile: a named queue semaphore for whole pieces of work. By default one at a time, waiting
// in Redis for as long as it takes.
//
//   Result<SingleFile> file = SingleFile::Create(client, {.name = "nightly-import"});
//   if (!file.ok()) return file.status();
//   Result<int> rows = file->Synchronize(std::chrono::seconds(15), [&] { return Import(); });
//   if (rows.code() == StatusCode::kTimeout) ...                  // the body did not run
//
// Guarantee, on one stand-alone Redis that keeps what it acknowledged:
//   - at most `concurrency` valid permits per name at any moment, each with an owner token and a
//     lease of `expire_in` of its own; a client configured with another concurrency is refused;
//   - a crash loses no permit: it comes back when its lease is over. Giving up waiting changes
//     nothing for others;
//   - waiters block in Redis and are served first come, first served, by the order in which the
//     server executed the first command of each. A release hands its permit to the first in line in
//     the same instant, and wakes just that one; a try never overtakes anybody. A waiter that lost
//     its connection keeps its place, if it is back within `grace`, and its time budget;
//   - a waiter that has died is passed over, as by FairMutex.
// Not guaranteed:
//   - the place of a waiter that was paused or cut off for longer than `grace`;
//   - replicas, cluster failover, lost writes, pauses of the process: as for Mutex (see mutex.h).
//
// Cost: enter and leave one round trip each; one that has to wait, one BLPOP more, whose answer is
// the permit. Keys, all with a TTL, P = key_prefix: `P{name}:holders` (the permits that are out; at
// most the longest lease), `P{name}:fence` (the concurrency in force as well; kFenceTtl), and those
// of the line as for FairMutex (see fair_mutex.h).
//
// Thread safety: as LeaseSource. Each hold is a permit of its own, so nested use with concurrency 1
// waits for itself.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

#include <interlock/client.h>
#include <interlock/lease_source.h>
#include <interlock/lockable.h>
#include <interlock/options.h>
#include <interlock/result.h>
#include <interlock/time.h>

namespace interlock {

namespace internal {

/// What a body returns. It has no `type` if F is no body, so that an overload can be left out.
template <typename F, bool kTakesLease = std::is_invocable_v<F&, Lease&>>
struct BodyInvocation : std::invoke_result<F&> {};
template <typename F>
struct BodyInvocation<F, true> : std::invoke_result<F&, Lease&> {};

template <typename F>
typename BodyInvocation<F>::type InvokeBody(F& body, Lease& lease) {
  if constexpr (std::is_invocable_v<F&, Lease&>) {
    return std::invoke(body, lease);
  } else {
    return std::invoke(body);
  }
}

/// What Synchronize answers for a body that returns T: Status for void and Status, Result<T> as it
/// is.
template <typename T>
struct SynchronizedResult {
  using Type = Result<T>;
};
template <>
struct SynchronizedResult<void> {
  using Type = Status;
};
template <>
struct SynchronizedResult<Status> {
  using Type = Status;
};
template <typename T>
struct SynchronizedResult<Result<T>> {
  using Type = Result<T>;
};

template <typename F>
using BodyValue = std::remove_cvref_t<typename BodyInvocation<F>::type>;

}  // namespace internal

/// Every form of acquiring may also fail with kInvalidArgument: permits are out that were granted
/// under another concurrency.
class SingleFile : public LeaseSource {
 public:
  /// Sends nothing. kInvalidArgument: an option, or one of the client's, is out of its range. See
  /// SingleFiles for one configuration of host, port and the rest, given once for all.
  static Result<SingleFile> Create(Client& client, SingleFileOptions options = {});

  /// Runs `body()` or `body(Lease&)` with a permit and returns its value (Status for void; a Result
  /// or Status of the body is passed on). Waits for ever, or for `timeout`; kTimeout, like every
  /// other failure but one, means that the body did not run. kLeaseLost: it ran to its end, but its
  /// permit did not last as long, so others may have run beside it; its value is dropped. (A body
  /// may return any of these codes itself.) `stop` ends the waiting only, see lease_source.h; a
  /// body that is to stop must look at its token itself. An exception of the body passes through,
  /// after the permit has been released. The permit is not renewed by itself: a body that may
  /// outlast `expire_in` takes the Lease and extends it or keeps it alive, or checks valid().
  template <typename F>
  typename internal::SynchronizedResult<internal::BodyValue<F>>::Type Synchronize(
      F&& body, std::stop_token stop = {}) {
    return Run(Acquire(std::move(stop)), body);
  }
  template <typename F>
  typename internal::SynchronizedResult<internal::BodyValue<F>>::Type Synchronize(
      AnyDuration timeout, F&& body, std::stop_token stop = {}) {
    return Run(AcquireFor(timeout, std::move(stop)), body);
  }

  /// The same, but returns exactly what the body returns. Throws LockError with those failures.
  template <typename F>
  internal::BodyValue<F> SynchronizeOrThrow(F&& body, std::stop_token stop = {}) {
    return RunOrThrow(Acquire(std::move(stop)), body);
  }
  template <typename F>
  internal::BodyValue<F> SynchronizeOrThrow(AnyDuration timeout, F&& body,
                                            std::stop_token stop = {}) {
    return RunOrThrow(AcquireFor(timeout, std::move(stop)), body);
  }

 private:
  using LeaseSource::LeaseSource;

  template <typename F>
  static internal::BodyValue<F> RunOrThrow(Result<Lease> lease, F& body) {
    if (!lease.ok()) throw LockError(lease.status());
    if constexpr (std::is_void_v<internal::BodyValue<F>>) {
      internal::InvokeBody(body, lease.value());
      if (Status left = Leave(lease.value()); !left.ok()) throw LockError(std::move(left));
    } else {
      internal::BodyValue<F> value = internal::InvokeBody(body, lease.value());
      if (Status left = Leave(lease.value()); !left.ok()) throw LockError(std::move(left));
      return value;
    }
  }

  /// The lease is released by its destructor when `body` throws.
  template <typename F>
  static typename internal::SynchronizedResult<internal::BodyValue<F>>::Type Run(
      Result<Lease> lease, F& body) {
    if (!lease.ok()) return lease.status();
    if constexpr (std::is_void_v<internal::BodyValue<F>>) {
      internal::InvokeBody(body, lease.value());
      return Leave(lease.value());
    } else {
      internal::BodyValue<F> value = internal::InvokeBody(body, lease.value());
      if (Status left = Leave(lease.value()); !left.ok()) return left;
      return value;
    }
  }

  /// Releases, unless the body has done so or given its permit away. kLeaseLost: it was over
  /// before.
  static Status Leave(Lease& lease);
};

}  // namespace interlock
