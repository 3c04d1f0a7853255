// SPDX-License-Identifier: MIT
//
// LeaseProtocol: one lock of one client: tries, waiting, extend, release, and the clean-up after an
// unknown outcome. Mutex and SingleFile are this with different scripts.
//
// Guarantee: every try has a token of its own, and ends granted, refused, or with a failure after
// which nothing of it can take effect; kUnknownOutcome where that could not be confirmed. Thread
// safety: may be used from any task.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include <interlock/lease.h>
#include <interlock/options.h>
#include <interlock/result.h>
#include <interlock/time.h>

#include "src/client_core.h"
#include "src/scripts.h"

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

class LeaseProtocol final : public LeaseBackend {
 public:
  LeaseProtocol(ClientCore& client, ScriptContext context, int drift_per_mille,
                const RetryOptions& retry);

  Attempt TryOnce();

  /// See waiting.h. kNotAcquired (try), kTimeout (until) are definite.
  Result<Grant> Try();
  Result<Grant> AcquireUntil(MonotonicTime deadline);

  /// Undoes the try with `token` and bars it, in at most `attempts` rounds on fresh connections.
  /// kOk: confirmed. YIELDS.
  Status Abandon(const std::string& token, int attempts);

  MonotonicTime Now() override { return client_.runtime().Now(); }
  Duration default_lease() const override { return context_.lease; }
  Result<MonotonicTime> Extend(const Grant& grant, Duration lease) override;
  Status Release(Grant& grant) override;

  ClientCore& client() { return client_; }
  const RetryOptions& retry() const { return retry_; }
  const std::string& signal_key() const { return context_.keys.signal; }

 private:
  Attempt Granted(std::string token, const AcquireReply& reply, MonotonicTime sent);
  Attempt Undone(const std::string& token, const Status& cause);

  ClientCore& client_;
  const ScriptContext context_;
  const int drift_per_mille_;
  const RetryOptions retry_;
};

/// Wraps what was granted; a lease keeps its lock's protocol alive, not the lock object.
Result<Lease> ToLease(std::shared_ptr<LeaseProtocol> protocol, Result<Grant> grant);

}  // namespace interlock::internal
