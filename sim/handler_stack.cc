// SPDX-License-Identifier: MIT
#include "sim/handler_stack.h"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaltstack

namespace interlock::sim {

namespace {

constexpr std::size_t kStackSize = 256 * 1024;

}  // namespace

HandlerStack::HandlerStack() {
  stack_t stack{};
  if (sigaltstack(nullptr, &stack) != 0 || (stack.ss_flags & SS_DISABLE) == 0) return;
  bytes_ = std::make_unique_for_overwrite<std::byte[]>(kStackSize);
  stack = {};
  stack.ss_sp = bytes_.get();
  stack.ss_size = kStackSize;
  sigaltstack(&stack, nullptr);
}

HandlerStack::~HandlerStack() {
  if (bytes_ == nullptr) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
}

}  // namespace interlock::sim
