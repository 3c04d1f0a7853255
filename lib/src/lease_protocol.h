// SPDX-License-Identifier: MIT
//
// LeaseProtocol: one lock of one client on one server: tries, waiting, extend, release, and the
// clean-up after an unknown outcome. What it says to the server are the LockScripts of its kind.
//
// Guarantee: every try has a token of its own, and ends granted, refused, or with a failure after
// which nothing of it can take effect; kUnknownOutcome where that could not be confirmed, as it
// never can where the scripts leave nothing but the owner. Thread safety: may be used from any
// task.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include <interlock/lease_source.h>
#include <interlock/options.h>
#include <interlock/result.h>
#include <interlock/time.h>

#include "src/client_core.h"
#include "src/scripts/lock_scripts.h"

namespace interlock::internal {

/// How one try ended.
struct Attempt {
  enum class Kind : std::uint8_t { kGranted, kRefused, kFailed };
  Kind kind = Kind::kFailed;
  Grant grant;                            ///< kGranted
  std::chrono::milliseconds owner_ttl{};  ///< kRefused: see LookAgainAt
  MonotonicTime sent{};                   ///< kRefused: when the command was sent
  Status status;                          ///< kFailed
  std::string orphan;                     ///< kFailed: the token that may still be granted
  bool unkept = false;   ///< kFailed: it was granted, but too few replicas have acknowledged that
  std::string standing;  ///< kRefused: the token that stands in the server for the wait, if any
  MonotonicTime stands_until{};  ///< ... at the longest
};

class LeaseProtocol final : public LeaseGranter {
 public:
  LeaseProtocol(ClientCore& client, std::shared_ptr<const LockScripts> scripts, int drift_per_mille,
                const RetryOptions& retry);

  /// The try of a caller that does not wait.
  Attempt TryOnce();
  /// Try `number` of a caller that waits until `deadline`; see Turn for the other parameters.
  Attempt TryOnce(const std::string& standing, bool again, MonotonicTime deadline, int number);

  /// Asks once with a command that acquires for `token`: try `number` of a call. Undoes nothing: if
  /// it fails and may be granted all the same, now or later, the token is an orphan.
  Attempt Ask(const ScriptCall& call, const std::string& token, int number);

  /// The grant that the server made to `token` at `sent` or later; not yet over.
  Grant GrantSince(MonotonicTime sent, std::string token, std::uint64_t fencing_token) const;

  /// See waiting.h. kNotAcquired (try), kTimeout and kStopped (until) are definite.
  Result<Grant> Try() override;
  Result<Grant> AcquireUntil(MonotonicTime deadline, const std::stop_token& stop) override;

  /// Undoes the try with `token` and bars it, in at most `attempts` rounds on fresh connections.
  /// Ok: confirmed; true: it had been granted. YIELDS.
  Result<bool> Abandon(const std::string& token, int attempts);

  /// See LockScripts::HandOn: once, because what is lost costs others no more than a lease. YIELDS.
  void HandOn();

  MonotonicTime Now() { return client_.runtime().Now(); }
  Runtime& runtime() override { return client_.runtime(); }
  LeaseKeeper& keeper() override { return client_.keeper(); }
  Duration default_lease() const override { return scripts_->lease(); }
  const std::string& resource() const override { return scripts_->resource(); }
  Result<MonotonicTime> Extend(const Grant& grant, Duration lease) override;
  Status Release(Grant& grant) override;
  Result<Inspection> Inspect() override;
  bool may_be_handed_over() const override { return !polls(); }

  ClientCore& client() { return client_; }
  const RetryOptions& retry() const { return retry_; }
  /// See ClientCore::PauseAfterFailures. YIELDS.
  void PauseAfter(int failures, const Status& why, MonotonicTime deadline,
                  const std::stop_token& stop) {
    client_.PauseAfterFailures({resource(), failures, why}, retry_, deadline, stop);
  }
  std::string signal_key() const { return scripts_->signal(); }
  /// Nobody wakes a waiter.
  bool polls() const { return scripts_->leaves_owner_alone(); }

 private:
  Attempt Answered(const Result<ScriptReply>& answer, const std::string& token);
  /// At most a lease; zero: it is over.
  Milliseconds PatienceUntil(MonotonicTime deadline);
  /// Leaves no orphan, if it can.
  Attempt Settled(const std::string& token, Attempt attempt);
  /// `answered`: the try was executed, and its grant is not wanted.
  Attempt Undone(const std::string& token, const Status& cause, bool answered);

  ClientCore& client_;
  const std::shared_ptr<const LockScripts> scripts_;
  const int drift_per_mille_;
  const RetryOptions retry_;
};

}  // namespace interlock::internal
