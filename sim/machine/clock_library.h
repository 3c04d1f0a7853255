// SPDX-License-Identifier: MIT
//
// The library that gives a foreign client its clock (see clock/sleeper.h), embedded in this
// program. Pure.
#pragma once

#include <string_view>

namespace interlock::sim::machine {

std::string_view ClockLibrary();

}  // namespace interlock::sim::machine
