// SPDX-License-Identifier: MIT
//
// An OS thread that runs what another one hands to it, which waits meanwhile: they pass a baton, so
// that only one of them ever runs. What is run there finds thread_local variables of that OS
// thread, the C library's included, and the simulator's own (posix::OfOsThread) as on the caller's.
//
// A call costs 10 to 30 microseconds. Non-guarantee: locks that the C library has of its own (of a
// FILE, of the loader) belong to an OS thread, so whoever is run to wait for one that another
// carrier's code holds waits for ever; those of the standard streams are given back when a carrier
// ends. Thread safety: none; used by one OS thread at a time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace interlock::sim {

class Carrier {
 public:
  /// Ends the program if the system has no thread for it.
  Carrier();
  /// Ends the thread. REQUIRES: nothing runs on it.
  ~Carrier();
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;

  /// Runs `code(argument)` on the thread, to its end. No exception may leave it.
  void Call(void (*code)(void*), void* argument);

 private:
  void Serve();
  void Wait(bool for_call);
  void HandOver(bool to_carrier);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool called_ = false;  // the carrier has the baton
  bool ends_ = false;
  void (*code_)(void*) = nullptr;
  void* argument_ = nullptr;
  std::vector<std::byte> baton_;  // the simulator's variables, on their way
  std::thread thread_;            // last: it uses all of the above
};

/// Sends the signal to the OS thread that runs in the caller's stead. False if none does. For
/// signal handlers.
bool PassSignalOn(int signal);

}  // namespace interlock::sim
