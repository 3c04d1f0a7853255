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

/// The mark of an object, which any thread may read and write. Abstract: where it stands differs.
class Mark {
 public:
  enum class State : std::uint8_t { kDone, kTaken, kMine };

  virtual ~Mark() = default;
  /// Takes it for the caller if nobody has: kMine.
  virtual State Take() const = 0;
  virtual void Leave(bool done) const = 0;
  /// Where others wait for it.
  virtual const void* at() const = 0;
};

/// The guard of a function static: Itanium C++ ABI, 3.3.3. The first byte says that it is done.
class GuardMark final : public Mark {
 public:
  explicit GuardMark(std::uint64_t* guard) : guard_(guard) {}
  State Take() const override;
  void Leave(bool done) const override;
  const void* at() const override { return guard_; }

 private:
  std::uint64_t* const guard_;
};

/// A pthread_once_t, as glibc marks it.
class OnceMark final : public Mark {
 public:
  explicit OnceMark(pthread_once_t* control) : control_(control) {}
  State Take() const override;
  void Leave(bool done) const override;
  const void* at() const override { return control_; }

 private:
  pthread_once_t* const control_;
};

class Initialisations {
 public:
  explicit Initialisations(Parking& parking) : parking_(parking) {}
  ~Initialisations() { Forget(); }
  Initialisations(const Initialisations&) = delete;
  Initialisations& operator=(const Initialisations&) = delete;

  /// Whether the caller is to initialise it, and to call End. YIELDS while another thread is at it.
  /// In teardown, in which nobody waits, it may be initialised twice.
  bool Begin(const Mark& mark);
  void End(const Mark& mark, bool done);
  /// What the process has begun nobody ends.
  void Forget();

  /// The same for a thread that is no task.
  static bool BeginOutside(const Mark& mark);

 private:
  Parking& parking_;
};

/// Calls it unless it has been called with success. One that throws is none. `process`: as above;
/// null: of a thread that is no task.
void CallOnce(Initialisations* process, pthread_once_t* control, void (*initialise)());

}  // namespace interlock::sim::posix
