// SPDX-License-Identifier: MIT
//
// Spurious refusal (LK010): (a) a definite "no" although the resource was free, with nobody queued
// ahead, from the request to the answer; (b) a definite "no" although the server had granted and
// the grant was not undone, or had released or prolonged at this very call's command; (c) a wait
// that ended too early, or was told "stopped" before anybody had stopped it; (d) no answer, or a
// wrong one, when all faults had been over for long.
//
// In (a) to (c) "unknown" is no refusal, and neither is what a fault of the client's own
// connection, or a pause, made of the request in (a) and (c). But who has not asked the server
// cannot be excused by a fault that is older than a lease: after that time nothing is in doubt any
// more. Of release and extend only kNotOwner is judged: with kLeaseLost a lock may say that its own
// clock had told it so.
#pragma once

#include <chrono>
#include <vector>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// (c) a wait that ended in a definite "no" when so much of the caller's time was left that the
/// lock could have looked again by its own wake-up bound: it was to wait until the deadline, or
/// until it was stopped. For locks that wait. Appends one violation at most, the earliest.
void JudgePatience(const History& history, Duration wake_up_bound,
                   std::vector<Violation>& violations);

/// When all faults are over, a client's next requests may meet what they have left behind (broken
/// connections, forgotten scripts), so many of them, and a lock may rest for so long.
inline constexpr int kExcused = 2;
inline constexpr Duration kLongestRecovery = std::chrono::minutes(1);

/// Whether it came so late that nothing which the faults left behind excuses it.
bool IsPastRecovery(const History& history, const Attempt& attempt);

/// Whether what it was told may come of a fault of its client's own connection, or of a pause.
bool WasDisturbed(const History& history, const Attempt& attempt);

/// (d) a later request, or the release that belongs to it, that is told neither "yes" nor "no", or
/// a release that is told "not owner" and was: the lock object must be as good as new. Appends one
/// violation at most, the earliest.
void JudgeRecovery(const History& history, std::vector<Violation>& violations);

/// (a) and (b). Appends one violation at most for attempts and one for holds, the earliest.
/// `beside`: of the resource that each of these requests asks for as well, all or none; nullptr: of
/// none.
void JudgeRefusals(const History& history, std::vector<Violation>& violations,
                   const History* beside = nullptr);

struct Property;
extern const Property kSpuriousRefusalProperty;

}  // namespace interlock::scenarios
