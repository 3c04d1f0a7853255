// SPDX-License-Identifier: MIT
//
// Tells from what a client's process publishes whether the client is still: it waits, and has
// noticed everything that it was given. See clock/wait_word.h for why that can be told.
//
// Guarantee: a client that is called still has found all that it was given before, and waits for
// more, which only the driver can give. REQUIRES: whatever a client is given is given between
// BeginGift() and EndGift(); Read(), then the reading of what the client may have sent, and then
// LookAt(). Thread safety: none.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>

#include <interlock/time.h>

#include "sim/machine/clock/wait_word.h"

namespace interlock::sim::machine {

class WaitWatch {
 public:
  explicit WaitWatch(WaitWord& word) : word_(word) {}

  void BeginGift();
  /// Without BeginGift(), the gift came unforeseen.
  void EndGift();

  enum class Look : std::uint8_t {
    kUnknown,     ///< the process publishes nothing
    kBusy,        ///< it runs, or has not noticed a gift yet
    kSeemsStill,  ///< if that lasts for a millisecond
    kStill,
    kEnds,  ///< it is about to exit
  };
  void Read();
  /// `sent`: it has sent something that it waits for an answer to.
  Look LookAt(pid_t process, bool sent);
  /// It is known from elsewhere that the client is still.
  void TakeAsStill();
  /// Waits until there is news, or something else has interrupted it, for at most that long.
  void Await(Duration at_most);

 private:
  WaitWord& word_;
  std::uint32_t read_ = 0;   // the word
  std::uint32_t floor_ = 0;  // a wait for the last gift has a larger number
  bool was_still_ = false;   // when the gift began
  bool piled_up_ = false;    // it got something while it was busy
  std::uint32_t seen_ = 0;   // the word of a wait that is to last
  std::chrono::steady_clock::time_point seen_at_;
};

}  // namespace interlock::sim::machine
