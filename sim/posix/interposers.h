// SPDX-License-Identifier: MIT
//
// The functions of the C library that are replaced in the whole program, including for calls from
// shared libraries: a task of a process with a posix::Library is served by it, another task is
// stopped by the tripwire where that says so (tripwire.h), and everybody else gets the real one.
//
// Not with ThreadSanitizer, whose own interceptors need these names; see sanitizers.h.
#pragma once

namespace interlock::sim::posix {

/// Whether they are part of this build.
extern const bool kInterposed;

/// Names the sources with the others, so that each is linked with the first.
extern const char kThreadCalls[];
extern const char kLifetimeCalls[];
extern const char kWaitingCalls[];
extern const char kIdentityCalls[];
extern const char kRefusedCalls[];
extern const char kSignalCalls[];

}  // namespace interlock::sim::posix
