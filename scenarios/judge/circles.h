// SPDX-License-Identifier: MIT
//
// Deadlock cycles (LK009): clients that hold something wait for each other, or one waits for
// itself, and only a lease expiry or a timeout can get them out.
//
// A lock cannot stop its users from acquiring in conflicting orders, so a cycle counts only if each
// client in it asks for a resource that comes later in the order than all it holds. With one global
// order, a lock that grants each resource independently cannot deadlock; one that lets two
// resources share a key, an entry or a place in a queue can.
//
// A client waits for the owners of the entries that fill the resource it asks for. Entries are
// identified by their tokens, which their holders know. Nobody waits for an entry whose owner is
// not yet known (a grant in flight), unless its client asks for several resources at once and waits
// for more. For a semaphore, waiting clients must hold all the permits.
//
// Non-guarantee: runs with a fault are not judged, because its aftermath may block its own client.
#pragma once

#include <span>
#include <vector>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// `histories`: one per resource of the run, in acquisition order. Appends at most one violation:
/// the cycle that closed first.
void JudgeCircles(std::span<const History* const> histories, std::vector<Violation>& violations);

}  // namespace interlock::scenarios
