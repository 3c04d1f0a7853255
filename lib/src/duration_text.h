// SPDX-License-Identifier: MIT
//
// Durations in messages: in the largest unit of which they are a whole number, "24 h", "1500 ms".
#pragma once

#include <chrono>
#include <string>

#include <interlock/time.h>

namespace interlock::internal {

inline std::string DurationText(Duration value) {
  struct Unit {
    Duration length;
    const char* name;
  };
  constexpr Unit kUnits[] = {{std::chrono::hours(1), " h"},
                             {std::chrono::seconds(1), " s"},
                             {std::chrono::milliseconds(1), " ms"}};
  if (value == Duration{}) return "0 ms";
  for (const Unit& unit : kUnits) {
    if (value % unit.length != Duration{}) continue;
    return std::to_string(value / unit.length) + unit.name;
  }
  return std::to_string(value.count()) + " ns";
}

}  // namespace interlock::internal
