// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/client_exit.h"

#include "scenarios/run/foreign/sections.h"

namespace interlock::scenarios::drive {

ClientExit ExitOf(int client, const Sections& sections, bool killed, bool disturbed) {
  if (killed) return ClientExit::kKilled;
  const bool outside = sections.any() && !sections.Inside(client);
  return !disturbed && outside ? ClientExit::kUndisturbed : ClientExit::kByItself;
}

}  // namespace interlock::scenarios::drive
