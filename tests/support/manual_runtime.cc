// SPDX-License-Identifier: MIT
#include "tests/support/manual_runtime.h"

#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

namespace interlock::testing {

class ManualRuntime::ManualEvent final : public Event {
 public:
  explicit ManualEvent(ManualRuntime& runtime) : runtime_(runtime) {}

  void Set() override { set_ = true; }
  bool IsSet() const override { return set_; }
  bool WaitUntil(MonotonicTime deadline) override {
    if (set_) return true;
    const MonotonicTime begun = runtime_.now_;
    if (deadline == kNever && runtime_.actions_.empty()) {
      ADD_FAILURE() << "a wait for ever on an event that nobody can set";
      return false;
    }
    runtime_.AdvanceTo(deadline, [this] { return set_; });
    runtime_.waits_.push_back(runtime_.now_ - begun);
    return set_;
  }

 private:
  ManualRuntime& runtime_;
  bool set_ = false;
};

namespace {

class FinishedTask final : public Task {
 public:
  void Join() override {}
};

}  // namespace

std::unique_ptr<Event> ManualRuntime::NewEvent() { return std::make_unique<ManualEvent>(*this); }

std::unique_ptr<Task> ManualRuntime::Spawn(std::string_view /*name*/, std::function<void()> body) {
  body();
  return std::make_unique<FinishedTask>();
}

void ManualRuntime::FillRandom(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    ++counter_;
    const std::size_t size = std::min(bytes.size(), sizeof(counter_));
    std::memcpy(bytes.data(), &counter_, size);
    bytes = bytes.subspan(size);
  }
}

void ManualRuntime::AdvanceTo(MonotonicTime time) {
  AdvanceTo(time, [] { return false; });
}

bool ManualRuntime::AdvanceTo(MonotonicTime time, const std::function<bool()>& done) {
  while (!done()) {
    if (actions_.empty() || actions_.begin()->first > time) {
      now_ = std::max(now_, time);
      return done();
    }
    const auto next = actions_.extract(actions_.begin());
    now_ = std::max(now_, next.key());
    next.mapped()();
  }
  return true;
}

void ManualRuntime::At(Duration elapsed, std::function<void()> action) {
  actions_.emplace(kStart + elapsed, std::move(action));
}

}  // namespace interlock::testing
