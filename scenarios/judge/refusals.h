// SPDX-License-Identifier: MIT
//
// Spurious refusal (LK010): (a) a definite "no" although the resource was free, with nobody queued
// ahead, from the request to the answer; (b) a definite "no" although the server had granted and
// the grant was not undone, or had released or extended at this very call's command; (c) a wait
// that ended too early, or was told "stopped" before it was stopped; (d) no answer, or a wrong one,
// long after the last fault.
//
// In (a) to (c) "unknown" is no refusal; in (a) and (c) neither is the result of a fault on the
// client's own connection, or of a pause. But a client that did not ask the server cannot blame a
// fault older than a lease: by then nothing is in doubt. For release and extend only kNotOwner is
// judged: kLeaseLost may report what the lock's own clock had told it.
#pragma once

#include <chrono>
#include <vector>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// (c) A wait ended in a definite "no" with enough of the caller's time left for the lock to look
/// again within its own wake-up bound: it should have waited until the deadline or the stop. For
/// locks that wait. Appends at most one violation, the earliest.
void JudgePatience(const History& history, Duration wake_up_bound,
                   std::vector<Violation>& violations);

/// After the last fault, this many of a client's next requests may meet its aftermath (broken
/// connections, forgotten scripts), and a lock may back off for this long.
inline constexpr int kExcused = 2;
inline constexpr Duration kLongestRecovery = std::chrono::minutes(1);

/// Whether the attempt came too late for the faults' aftermath to excuse it.
bool IsPastRecovery(const History& history, const Attempt& attempt);

/// Whether its answer may result from a fault on its client's own connection, or from a pause.
bool WasDisturbed(const History& history, const Attempt& attempt);

/// (d) A later request, or its release, is told neither "yes" nor "no", or a release is told "not
/// owner" though it was: the lock object must be as good as new. Appends at most one violation, the
/// earliest.
void JudgeRecovery(const History& history, std::vector<Violation>& violations);

/// (a) and (b). Appends at most one violation for attempts and one for holds, the earliest.
/// `beside`: the history of the other resource that each of these requests asks for, all or none;
/// nullptr: there is none.
void JudgeRefusals(const History& history, std::vector<Violation>& violations,
                   const History* beside = nullptr);

}  // namespace interlock::scenarios
