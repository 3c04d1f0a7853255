// SPDX-License-Identifier: MIT
//
// LeaseProtocol: one lock of one client on one server: tries, waiting, extend, release, and the
// clean-up after an unknown outcome. What it says to the server are the LockScripts of its kind.
//
// Guarantee: every try has a token of its own, and ends granted, refused, or with a failure after
// which nothing of it can take effect; kUnknownOutcome where that could not be confirmed. Thread
// safety: may be used from any task.
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
  Status status;                          ///< kFailed
  std::string orphan;  ///< kFailed with kUnknownOutcome: the token that may still be granted
};

class LeaseProtocol final : public LeaseGranter {
 public:
  LeaseProtocol(ClientCore& client, std::shared_ptr<const LockScripts> scripts, int drift_per_mille,
                const RetryOptions& retry);

  Attempt TryOnce();

  /// See waiting.h. kNotAcquired (try), kTimeout (until) are definite.
  Result<Grant> Try() override;
  Result<Grant> AcquireUntil(MonotonicTime deadline) override;

  /// Undoes the try with `token` and bars it, in at most `attempts` rounds on fresh connections.
  /// kOk: confirmed. YIELDS.
  Status Abandon(const std::string& token, int attempts);

  MonotonicTime Now() { return client_.runtime().Now(); }
  Runtime& runtime() override { return client_.runtime(); }
  LeaseKeeper& keeper() override { return client_.keeper(); }
  Duration default_lease() const override { return scripts_->lease(); }
  Result<MonotonicTime> Extend(const Grant& grant, Duration lease) override;
  Status Release(Grant& grant) override;

  ClientCore& client() { return client_; }
  const RetryOptions& retry() const { return retry_; }
  const std::string& signal_key() const { return scripts_->signal(); }

 private:
  Attempt Granted(std::string token, const AcquireReply& reply, MonotonicTime sent);
  Attempt Undone(const std::string& token, const Status& cause);

  ClientCore& client_;
  const std::shared_ptr<const LockScripts> scripts_;
  const int drift_per_mille_;
  const RetryOptions retry_;
};

}  // namespace interlock::internal
