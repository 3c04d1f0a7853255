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
    if (deadline == kNever) {
      ADD_FAILURE() << "a wait for ever on an event that nobody can set";
      return false;
    }
    runtime_.waits_.push_back(std::max(deadline - runtime_.now_, Duration(0)));
    runtime_.AdvanceTo(deadline);
    return false;
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

void ManualRuntime::AdvanceTo(MonotonicTime time) { now_ = std::max(now_, time); }

}  // namespace interlock::testing
