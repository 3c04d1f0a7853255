// SPDX-License-Identifier: MIT
//
// Sequences on which the fake and the real server once disagreed, and others that say in a few
// lines what both must do alike.
#pragma once

#include <span>
#include <string_view>

namespace interlock::testing {

struct Regression {
  std::string_view name;
  std::string_view sequence;  ///< as case.h says
};

std::span<const Regression> Regressions();

}  // namespace interlock::testing
