// SPDX-License-Identifier: MIT
//
// Which sanitizer this build has. AddressSanitizer and UndefinedBehaviorSanitizer let others define
// functions that they intercept; ThreadSanitizer does not, so nothing is served with it.
// Internal to sim/posix.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define INTERLOCK_SIM_NO_INTERPOSERS 1
#elif defined(__SANITIZE_ADDRESS__)
#define INTERLOCK_SIM_WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define INTERLOCK_SIM_NO_INTERPOSERS 1
#elif __has_feature(address_sanitizer)
#define INTERLOCK_SIM_WITH_ASAN 1
#endif
#endif

namespace interlock::sim::posix {

/// It calls some of the functions itself, in tasks, too.
#ifdef INTERLOCK_SIM_WITH_ASAN
inline constexpr bool kWithAsan = true;
#else
inline constexpr bool kWithAsan = false;
#endif

}  // namespace interlock::sim::posix
