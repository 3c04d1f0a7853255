// SPDX-License-Identifier: MIT
//
// Spurious refusal (LK010): (a) a definite "no" although the resource was free, with nobody queued
// ahead, from the request to the answer; (b) a definite "no" although the server had granted and
// the grant was not undone. "Unknown" is no refusal, and neither is what a fault of the client's
// own connection, or a pause, made of the request in case (a).
#pragma once

#include <vector>

#include "scenarios/history.h"

namespace interlock::scenarios {

/// Appends one violation at most, the earliest.
void JudgeRefusals(const History& history, std::vector<Violation>& violations);

}  // namespace interlock::scenarios
