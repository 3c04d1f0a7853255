// SPDX-License-Identifier: MIT
//
// The allocator that is in use: the C library's, or one with an object of its own, such as
// tcmalloc. The heap is all tasks' and the simulator's, so what guards it is real, even in a task
// that is served: another OS thread may hold its lock, or wait for it. If malloc is the C library's
// or the program's own, nothing is told apart; and a call with which a function of the allocator
// ends (a tail call) is taken for one of its caller's. Thread safety: from any thread.
#pragma once

namespace interlock::sim::posix {

/// Where the object is loaded whose malloc is in use.
const void* HeapsModule();

/// Whether the code at this address is that of an allocator with an object of its own.
bool IsOfTheHeap(const void* code);

}  // namespace interlock::sim::posix
