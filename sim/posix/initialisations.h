// SPDX-License-Identifier: MIT
//
// What is to be initialised once, by whichever thread comes first: function statics, whose guards
// the C++ compiler asks for, and pthread_once(3p), beneath std::call_once.
//
// Such an object may belong to one process or to all of them, and to worlds on several OS threads:
// who initialises it is marked in the object itself, and a process that dies there gives its place
// up. Whoever finds another one there waits in virtual time; if that is on another OS thread, which
// virtual time cannot wait for, it lets the operating system run the others.
// Thread safety: none, but for the mark; one world, one OS thread. Internal to sim/posix.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "sim/posix/parking.h"

namespace interlock::sim::posix {

/// The mark of an object, which any thread may read and write.
class Mark {
 public:
  enum class State : std::uint8_t { kDone, kTaken, kMine };

  Mark() = default;  ///< none
  /// The guard of a function static: Itanium C++ ABI, 3.3.3. The first byte says that it is done.
  explicit Mark(std::uint64_t* guard) : guard_(guard) {}
  /// As glibc marks it.
  explicit Mark(pthread_once_t* control) : control_(control) {}

  /// Takes it for the caller if nobody has: kMine.
  State Take() const;
  void Leave(bool done) const;
  /// Where others wait for it.
  const void* at() const { return guard_ != nullptr ? static_cast<const void*>(guard_) : control_; }

 private:
  std::uint64_t* guard_ = nullptr;
  pthread_once_t* control_ = nullptr;  // if it is no guard
};

class Initialisations {
 public:
  explicit Initialisations(Parking& parking) : parking_(parking) {}
  ~Initialisations() { Forget(); }
  Initialisations(const Initialisations&) = delete;
  Initialisations& operator=(const Initialisations&) = delete;

  /// Whether the caller is to initialise it, and to call End. YIELDS while another thread is at it.
  /// In teardown, in which nobody waits, it may be initialised twice.
  bool Begin(Mark mark);
  void End(Mark mark, bool done);
  /// What the process has begun nobody ends.
  void Forget();

  /// The same for a thread that is no task.
  static bool BeginOutside(Mark mark);

 private:
  Parking& parking_;
};

/// Calls it unless it has been called with success. One that throws is none. `process`: as above;
/// null: of a thread that is no task.
void CallOnce(Initialisations* process, pthread_once_t* control, void (*initialise)());

}  // namespace interlock::sim::posix
