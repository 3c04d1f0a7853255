// SPDX-License-Identifier: MIT
//
// The stack on which signal handlers of one OS thread run (sigaltstack(2)), so that they can tell
// of an overflow of its own. Made and destroyed on that thread; a thread that has one keeps it.
#pragma once

#include <cstddef>
#include <memory>

namespace interlock::sim {

class HandlerStack {
 public:
  HandlerStack();
  ~HandlerStack();
  HandlerStack(const HandlerStack&) = delete;
  HandlerStack& operator=(const HandlerStack&) = delete;

 private:
  std::unique_ptr<std::byte[]> bytes_;  // null: the thread had one
};

}  // namespace interlock::sim
