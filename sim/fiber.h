// SPDX-License-Identifier: MIT
//
// Stackful fibers on pooled stacks, so that blocking production code runs unchanged. The only place
// that knows Boost.Context and the sanitizers' fiber interfaces.
//
// A fiber stays on the OS thread that first resumed it, or on one of its own (carrier.h). In-flight
// exceptions are saved with each switch, so a fiber may be suspended inside a catch block or a
// destructor that runs while unwinding. Thread safety: a pool and its fibers belong to one OS
// thread.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "sim/redis/small_blocks.h"

namespace interlock::sim {

/// Whether `address` is on the guard page of a fiber stack in the calling thread's pools: a SIGSEGV
/// there is a stack overflow of the code under test. Safe in a signal handler.
bool IsFiberGuardPage(const void* address);

/// Thrown in a fiber that will not end by itself. Code under test must not swallow it.
struct FiberUnwind {};

/// Stacks of one size, each with a guard page below it, and memory for per-fiber objects; reused,
/// newest first.
class StackPool {
 public:
  StackPool();
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  /// The lowest usable byte of a stack of stack_size() bytes.
  char* Acquire();
  void Release(char* stack);

  redis::SmallBlocks& blocks() { return blocks_; }

  /// Enough for code that was written for the stacks of threads; pages that are not used cost
  /// nothing.
  static std::size_t stack_size();
  std::size_t created() const { return stacks_.size(); }
  std::size_t available() const { return free_.size(); }

 private:
  friend bool IsFiberGuardPage(const void* address);
  redis::SmallBlocks blocks_;
  std::vector<char*> stacks_;
  std::vector<char*> free_;
  StackPool* next_pool_ = nullptr;  // of this thread
};

class Fiber {
 public:
  Fiber();
  /// Unwinds a suspended fiber by throwing FiberUnwind in it; one that swallows it is abandoned.
  /// One that was forsaken is not resumed.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Which OS thread runs it. One of its own lasts until it is done, or destroyed.
  enum class RunsOn { kResumer, kOwnThread };

  /// Prepares `entry(argument)` to run on a stack of `pool`, which outlives the fiber. It starts
  /// with the first Resume. An exception other than FiberUnwind that escapes `entry` ends the
  /// program.
  void Start(StackPool& pool, void (*entry)(void*), void* argument,
             RunsOn runs_on = RunsOn::kResumer);

  /// Runs it until it suspends or ends. REQUIRES: called outside the fiber; started() and not
  /// done().
  void Resume();

  /// Returns to the caller of Resume. REQUIRES: called on the fiber itself. Throws FiberUnwind if
  /// requested.
  void Suspend();

  /// The next return from Suspend throws FiberUnwind instead.
  void RequestUnwind();

  /// Gives up the suspended fiber: it is never resumed, and its stack and objects stay allocated.
  void Abandon();

  /// Gives up the suspended fiber: it is never resumed. Until this is destroyed its stack keeps its
  /// place; then others use it, and nothing of what is on it is ever destroyed.
  void Forsake();

  /// Gives up the running fiber where it stands, as Forsake does, and returns to the caller of
  /// Resume. REQUIRES: called on the fiber itself, or by a signal handler that interrupted it.
  [[noreturn]] void Desert();

  bool started() const { return control_ != nullptr; }
  bool done() const;

 private:
  struct Control;
  std::unique_ptr<Control> control_;
};

}  // namespace interlock::sim
