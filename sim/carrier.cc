// SPDX-License-Identifier: MIT
#include "sim/carrier.h"

#include <pthread.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): pthread_kill

#include <system_error>

#include "sim/check.h"
#include "sim/handler_stack.h"
#include "sim/posix/sanitizers.h"
#include "sim/posix/thread_locals.h"
#include "sim/tripwire.h"

#ifdef INTERLOCK_SIM_WITH_ASAN
#include <sanitizer/lsan_interface.h>
#endif

namespace interlock::sim {

namespace {

/// Who runs in this OS thread's stead. It stays with its thread, so it is none of OfOsThread's.
struct InItsStead {
  bool any = false;
  pthread_t thread{};
};
constinit thread_local InItsStead in_my_stead;

}  // namespace

bool PassSignalOn(int signal) {
  return in_my_stead.any && pthread_kill(in_my_stead.thread, signal) == 0;
}

Carrier::Carrier() {
  const TripwireExemption real;
  try {
    thread_ = std::thread([this] { Serve(); });
  } catch (const std::system_error&) {
    Require(false, "the system has no OS thread for a simulated one");
  }
}

Carrier::~Carrier() {
  const TripwireExemption real;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Carrier::Call(void (*code)(void*), void* argument) {
  code_ = code;
  argument_ = argument;
  posix::OfOsThread::Save(baton_);
  {
    const TripwireExemption real;
    in_my_stead = {true, thread_.native_handle()};
    HandOver(/*to_carrier=*/true);
    Wait(/*for_call=*/false);
    in_my_stead = {};
  }
  posix::OfOsThread::Load(baton_);
}

void Carrier::Serve() {
  const HandlerStack stack;
#ifdef INTERLOCK_SIM_WITH_ASAN
  __lsan_disable();  // as Library::Enter does on the caller's thread
#endif
  std::vector<std::byte> idle;  // outside of tasks, so that waiting is real
  posix::OfOsThread::Save(idle);
  for (;;) {
    Wait(/*for_call=*/true);
    if (ends_) break;
    posix::OfOsThread::Load(baton_);
    code_(argument_);
    posix::OfOsThread::Save(baton_);
    posix::OfOsThread::Load(idle);
    HandOver(/*to_carrier=*/false);
  }
#ifdef INTERLOCK_SIM_WITH_ASAN
  __lsan_enable();
#endif
}

void Carrier::Wait(bool for_call) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return called_ == for_call || ends_; });
}

void Carrier::HandOver(bool to_carrier) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    called_ = to_carrier;
  }
  changed_.notify_all();
}

}  // namespace interlock::sim
