// SPDX-License-Identifier: MIT
#include "sim/carrier.h"

#include <pthread.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): pthread_kill

#include <atomic>
#include <cstdio>
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

/// Who runs in this OS thread's stead; 0: nobody. It stays with its thread, so it is none of
/// OfOsThread's.
constinit thread_local std::atomic<pthread_t> in_my_stead{0};

/// As glibc has it behind FILE::_lock.
struct LockOfStream {
  int word;
  int count;
  void* owner;
};

/// Of code that was left where it stood, in the middle of a printf.
void UnlockStandardStreams() {
  for (FILE* const stream : {stdin, stdout, stderr}) {
    const auto* const lock = static_cast<const volatile LockOfStream*>(stream->_lock);
    while (lock->owner == __builtin_thread_pointer()) funlockfile(stream);
  }
}

}  // namespace

bool PassSignalOn(int signal) {
  const pthread_t thread = in_my_stead;
  return thread != 0 && pthread_kill(thread, signal) == 0;
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
    in_my_stead = thread_.native_handle();
    HandOver(/*to_carrier=*/true);
    Wait(/*for_call=*/false);
    in_my_stead = 0;
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
  UnlockStandardStreams();
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
