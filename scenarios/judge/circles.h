// SPDX-License-Identifier: MIT
//
// Wait-for circles (LK009): clients that hold something wait for each other, or one for itself, and
// nothing but the end of a lease, or of somebody's patience, gets them out of it.
//
// A lock cannot keep its users from asking crosswise, so a circle counts only if each client in it
// asks for a resource that stands behind all those it holds: who takes several takes them in one
// order, and then no lock that grants each resource by itself can close a circle. One that lets two
// resources share something can: a key, an entry, a place in a queue.
//
// A client waits for those whose ownership entries fill the resource that it asks for. Entries are
// told apart by their tokens, which their holders know; one that nobody knows of yet (a grant on
// its way) is waited for by nobody, unless its client asks for several at once and waits for more.
// Of a semaphore all the permits must be with clients that wait.
//
// Non-guarantee: runs in which any fault struck are not judged, because what a fault left behind
// may hold up its own client.
#pragma once

#include <span>
#include <vector>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// `histories`: of each of the run's resources, in the order in which they are asked for. Appends
/// one violation at most, of the circle that closed first.
void JudgeCircles(std::span<const History* const> histories, std::vector<Violation>& violations);

}  // namespace interlock::scenarios
