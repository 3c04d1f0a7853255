// SPDX-License-Identifier: MIT
//
// Whether this process is a template, or a copy of one (see template.cc). Thread safety: any
// thread.
#pragma once

namespace interlock::sim::machine {

/// Reads from the environment whether it is one. REQUIRES: it has a clock.
void BecomeTemplate();
bool IsTemplate();
/// It stays one in the processes that the copy makes.
bool IsCopy();

}  // namespace interlock::sim::machine
