// SPDX-License-Identifier: MIT
//
// How long the leases of those locks of ours last that keep theirs alive.
//
// Thread safety: plain functions.
#pragma once

#include <chrono>

#include <interlock/harness/lock.h>
#include <interlock/result.h>
#include <interlock/time.h>

namespace interlock::scenarios::subjects {

/// Whether each lease is kept alive, and for how long at most; 0: it is not.
struct Renewal {
  Duration longest_hold{};
  Duration extension{};  ///< what an extension makes of a lease that is kept alive
  bool wanted() const { return longest_hold > Duration(0); }
};

/// For how long a lease is kept alive, however long its holder stays.
inline std::chrono::milliseconds LongestRenewedHold(const harness::LockOptions& options) {
  return options.lease * 5 / 2;
}

/// What an extension makes of a lease that is renewed: more than a renewal does, and renewals have
/// to go on after it.
inline std::chrono::milliseconds ExtensionOfRenewed(const harness::LockOptions& options) {
  return options.lease * 3 / 2;
}

inline Renewal RenewalOf(const harness::Traits& traits, const harness::LockOptions& options) {
  if (!traits.renews) return {};
  return {LongestRenewedHold(options), ExtensionOfRenewed(options)};
}

/// Keeps what was granted alive, if that is wanted. Not ok: it has been given back instead, as far
/// as that is known.
template <typename Granted>
Status KeepAlive(Granted& granted, Renewal renewal) {
  if (!renewal.wanted()) return {};
  // It may be over by now; then nobody will use it.
  const Status kept = granted.KeepAlive(renewal.longest_hold);
  if (kept.ok()) return kept;
  const Status released = granted.Release();
  if (released.code() == StatusCode::kCancelled) return released;
  const bool undone = released.ok() || released.code() == StatusCode::kNotOwner;
  return Status(undone ? StatusCode::kUnavailable : StatusCode::kUnknownOutcome, kept.message());
}

}  // namespace interlock::scenarios::subjects
