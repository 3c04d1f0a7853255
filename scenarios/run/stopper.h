// SPDX-License-Identifier: MIT
//
// Stops a client's wait at a given time, from a task beside the waiting one, as a user would.
//
// Guarantee: nothing of it remains after its destruction. Thread safety: belongs to the task that
// made it.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include <interlock/runtime.h>
#include <interlock/time.h>

namespace interlock::scenarios {

class Stopper {
 public:
  /// `after` counts from now; 0: at once. `on_stop` is called right before the stop.
  Stopper(Runtime& runtime, Duration after, std::function<void()> on_stop);
  /// YIELDS.
  ~Stopper();
  Stopper(const Stopper&) = delete;
  Stopper& operator=(const Stopper&) = delete;

  std::stop_token token() const { return source_.get_token(); }

 private:
  void Stop();

  const std::function<void()> on_stop_;
  std::stop_source source_;
  std::shared_ptr<Event> over_;  ///< nobody waits any longer
  std::unique_ptr<Task> task_;   ///< null: it was stopped at once
};

}  // namespace interlock::scenarios
