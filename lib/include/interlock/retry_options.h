// SPDX-License-Identifier: MIT
//
// The options of waiters, which every lock has.
//
// Thread safety: plain data.
#pragma once

#include <chrono>

#include <interlock/time.h>

namespace interlock {

/// How a waiter looks again, and how it paces itself when the server does not answer.
struct RetryOptions {
  /// A waiter sleeps in the server until it is woken, or the holder's lease is over, or this long:
  /// whichever comes first. The cap bounds what a wrongly reported TTL can cost. [1 ms, 1 h]
  Duration max_wait = std::chrono::seconds(30);

  /// The pause after the first failed try (server away), doubled after each further one, up to
  /// `max_pause`. Each pause is shortened at random by up to a half, so that the waiters of a
  /// server that comes back do not arrive together. [1 ms, 1 h], first <= max.
  Duration first_pause = std::chrono::milliseconds(50);
  Duration max_pause = std::chrono::seconds(2);
};

}  // namespace interlock
