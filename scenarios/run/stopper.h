// SPDX-License-Identifier: MIT
//
// Stops a wait of a client when its time has come: a task beside the one that waits, as a user's
// own would be.
//
// Guarantee: nothing of it is left when it is destroyed. Thread safety: belongs to the task that
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
  /// `after` is counted from now; 0: at once. `on_stop` is called right before it stops.
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
