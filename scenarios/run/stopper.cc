// SPDX-License-Identifier: MIT
#include "scenarios/run/stopper.h"

#include <utility>

namespace interlock::scenarios {

Stopper::Stopper(Runtime& runtime, Duration after, std::function<void()> on_stop)
    : on_stop_(std::move(on_stop)), over_(runtime.NewEvent()) {
  if (after.count() == 0) {
    Stop();
    return;
  }
  const MonotonicTime at = AddSaturating(runtime.Now(), after);
  task_ = runtime.Spawn("stopper", [this, at] {
    if (!over_->WaitUntil(at)) Stop();
  });
}

Stopper::~Stopper() { over_->Set(); }

void Stopper::Stop() {
  on_stop_();
  source_.request_stop();
}

}  // namespace interlock::scenarios
