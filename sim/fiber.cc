// SPDX-License-Identifier: MIT
//
// Every switch goes through Fiber::Control::Enter or Fiber::Suspend, neither of which may be
// inlined: the compiler must not keep the address of a thread-local, or a sanitizer's view of the
// stack, across a switch. Unwinding throws our own exception and not Boost's forced_unwind, because
// swallowing that one aborts the program, and code under test is free to be that bad.
#include "sim/fiber.h"

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <boost/context/detail/fcontext.hpp>
#include <cstdio>
#include <exception>
#include <utility>

#include "sim/carrier.h"
#include "sim/check.h"
#include "sim/pooled.h"
#include "sim/posix/thread_locals.h"

#if defined(__SANITIZE_ADDRESS__)
#define INTERLOCK_SIM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define INTERLOCK_SIM_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define INTERLOCK_SIM_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define INTERLOCK_SIM_TSAN 1
#endif
#endif

#ifdef INTERLOCK_SIM_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#endif
#ifdef INTERLOCK_SIM_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace interlock::sim {

namespace {

// The pools of this thread, for the signal handler, which cannot be given an argument.
thread_local StackPool* first_pool = nullptr;
const posix::OfOsThread first_pool_is(&first_pool, sizeof(first_pool));

std::size_t PageSize() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

// The exceptions in flight on a thread, as the Itanium C++ ABI (2.2.2) lays them out.
struct ExceptionState {
  void* caught = nullptr;
  unsigned int uncaught = 0;
};

ExceptionState* ThreadExceptions() {
  return reinterpret_cast<ExceptionState*>(abi::__cxa_get_globals());
}

}  // namespace

bool IsFiberGuardPage(const void* address) {
  const auto* at = static_cast<const char*>(address);
  for (const StackPool* pool = first_pool; pool != nullptr; pool = pool->next_pool_) {
    for (const char* stack : pool->stacks_) {
      if (at < stack && at >= stack - PageSize()) return true;
    }
  }
  return false;
}

StackPool::StackPool() : next_pool_(first_pool) { first_pool = this; }

StackPool::~StackPool() {
  StackPool** link = &first_pool;
  while (*link != nullptr && *link != this) link = &(*link)->next_pool_;
  if (*link == this) *link = next_pool_;
  // A stack that is not free belongs to an abandoned fiber and stays mapped.
  for (char* stack : free_) munmap(stack - PageSize(), stack_size() + PageSize());
}

std::size_t StackPool::stack_size() {
#ifdef INTERLOCK_SIM_ASAN
  return std::size_t{1} << 20;  // What it knows of a stack is cleared each time.
#else
  return std::size_t{8} << 20;
#endif
}

char* StackPool::Acquire() {
  if (!free_.empty()) {
    char* stack = free_.back();
    free_.pop_back();
    return stack;
  }
  const std::size_t guard = PageSize();
  void* memory = mmap(nullptr, stack_size() + guard, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
  Require(memory != MAP_FAILED, "no memory for a fiber stack");
  Require(mprotect(memory, guard, PROT_NONE) == 0, "no guard page for a fiber stack");
  // Few of its pages are ever used, and a huge one would be cleared for them.
  (void)madvise(memory, stack_size() + guard, MADV_NOHUGEPAGE);
  stacks_.push_back(static_cast<char*>(memory) + guard);
  free_.reserve(stacks_.size());
  return stacks_.back();
}

void StackPool::Release(char* stack) {
#ifdef INTERLOCK_SIM_ASAN
  __asan_unpoison_memory_region(stack, stack_size());
#endif
  free_.push_back(stack);
}

struct Fiber::Control final : Pooled {
  boost::context::detail::fcontext_t inside = nullptr;   // the fiber, while its resumer runs
  boost::context::detail::fcontext_t outside = nullptr;  // the resumer, while the fiber runs
  StackPool* pool = nullptr;
  void (*entry)(void*) = nullptr;
  void* argument = nullptr;
  ExceptionState exceptions;
  bool done = false;
  bool unwind = false;
  bool forsaken = false;
  char* bottom = nullptr;  // of the fiber's stack
  std::unique_ptr<Carrier> carrier;
#ifdef INTERLOCK_SIM_ASAN
  void* own_fake_stack = nullptr;
  const void* outside_bottom = nullptr;
  std::size_t outside_size = 0;
#endif
#ifdef INTERLOCK_SIM_TSAN
  void* tsan_fiber = nullptr;
  void* tsan_outside = nullptr;
#endif

  void Enter();

  void Arrived() {
#ifdef INTERLOCK_SIM_ASAN
    __sanitizer_finish_switch_fiber(own_fake_stack, &outside_bottom, &outside_size);
#endif
  }

  void Leave([[maybe_unused]] bool for_good) {
#ifdef INTERLOCK_SIM_ASAN
    __sanitizer_start_switch_fiber(for_good ? nullptr : &own_fake_stack, outside_bottom,
                                   outside_size);
#endif
  }

  void Body() {
    try {
      if (!unwind) entry(argument);
    } catch (const FiberUnwind&) {
      // Everything that the fiber owned is destroyed, which is all that was wanted.
    } catch (const std::exception& error) {
      std::fprintf(stderr, "interlock sim: an exception escaped a task: %s\n", error.what());
      std::terminate();
    } catch (...) {
      std::fprintf(stderr, "interlock sim: an exception of unknown type escaped a task\n");
      std::terminate();
    }
  }

  // The bottom frame of every fiber, which is left by a jump and never by a return.
  [[noreturn]] static void Trampoline(boost::context::detail::transfer_t from) {
    Control& control = *static_cast<Control*>(from.data);
    control.outside = from.fctx;
    control.Arrived();
    control.Body();
    control.done = true;
    control.LeaveForGood();
  }

  [[noreturn]] void LeaveForGood() {
    Leave(/*for_good=*/true);
#ifdef INTERLOCK_SIM_TSAN
    __tsan_switch_to_fiber(tsan_outside, 0);
#endif
    boost::context::detail::jump_fcontext(outside, nullptr);
    std::abort();
  }
};

Fiber::Fiber() = default;

Fiber::~Fiber() {
  if (!started() || done()) return;
  if (control_->forsaken) {
#ifdef INTERLOCK_SIM_TSAN
    __tsan_destroy_fiber(control_->tsan_fiber);
#endif
    control_->pool->Release(control_->bottom);
    return;
  }
  RequestUnwind();
  Resume();
  if (!done()) Abandon();
}

bool Fiber::done() const { return started() && control_->done; }

void Fiber::Start(StackPool& pool, void (*entry)(void*), void* argument, RunsOn runs_on) {
  control_.reset(new (pool.blocks()) Control());
  Control& control = *control_;
  control.entry = entry;
  control.argument = argument;
  control.pool = &pool;
  control.bottom = pool.Acquire();
  if (runs_on == RunsOn::kOwnThread) control.carrier = std::make_unique<Carrier>();
#ifdef INTERLOCK_SIM_TSAN
  control.tsan_fiber = __tsan_create_fiber(0);
#endif
  control.inside = boost::context::detail::make_fcontext(
      control.bottom + StackPool::stack_size(), StackPool::stack_size(), &Control::Trampoline);
}

[[gnu::noinline]] void Fiber::Control::Enter() {
  ExceptionState* state = ThreadExceptions();
  const ExceptionState own = std::exchange(*state, exceptions);
#ifdef INTERLOCK_SIM_ASAN
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, bottom, StackPool::stack_size());
#endif
#ifdef INTERLOCK_SIM_TSAN
  tsan_outside = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(tsan_fiber, 0);
#endif
  inside = boost::context::detail::jump_fcontext(inside, this).fctx;
#ifdef INTERLOCK_SIM_ASAN
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
  exceptions = std::exchange(*state, own);
}

void Fiber::Resume() {
  Control& control = *control_;
  if (control.carrier == nullptr) {
    control.Enter();
  } else {
    control.carrier->Call([](void* it) { static_cast<Control*>(it)->Enter(); }, &control);
  }
  if (!control.done) return;
  control.carrier.reset();
#ifdef INTERLOCK_SIM_TSAN
  __tsan_destroy_fiber(control.tsan_fiber);
#endif
  control.pool->Release(control.bottom);
}

[[gnu::noinline]] void Fiber::Suspend() {
  Control& control = *control_;
  control.Leave(/*for_good=*/false);
#ifdef INTERLOCK_SIM_TSAN
  __tsan_switch_to_fiber(control.tsan_outside, 0);
#endif
  control.outside = boost::context::detail::jump_fcontext(control.outside, nullptr).fctx;
  control.Arrived();
  if (std::exchange(control.unwind, false)) throw FiberUnwind{};
}

void Fiber::RequestUnwind() { control_->unwind = true; }

void Fiber::Forsake() { control_->forsaken = true; }

[[gnu::noinline]] void Fiber::Desert() {
  control_->forsaken = true;
  control_->LeaveForGood();
}

void Fiber::Abandon() {
  // Deliberately never deleted: its stack refers to it.
  [[maybe_unused]] Control* control = control_.release();
#ifdef INTERLOCK_SIM_ASAN
  __lsan_ignore_object(control);
  __lsan_register_root_region(control->bottom, StackPool::stack_size());
#endif
}

}  // namespace interlock::sim
