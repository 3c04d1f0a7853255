// SPDX-License-Identifier: MIT
//
// How a client's process ended, as far as its lock is concerned. Thread safety: pure function.
#pragma once

#include <cstdint>

namespace interlock::scenarios::drive {

class Sections;

enum class ClientExit : std::uint8_t {
  kKilled,  ///< by a fault
  kByItself,
  kUndisturbed,  ///< by itself and outside of all sections, and no fault had ever met it
};

/// REQUIRES: the sections do not know yet that it has ended.
ClientExit ExitOf(int client, const Sections& sections, bool killed, bool disturbed);

}  // namespace interlock::scenarios::drive
