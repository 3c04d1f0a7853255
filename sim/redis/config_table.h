// SPDX-License-Identifier: MIT
//
// The table of parameters for config.h.
#pragma once

#include <span>
#include <string_view>

#include "sim/redis/config.h"

namespace interlock::sim::redis {

/// An old name of a parameter, which CONFIG GET also lists.
struct ParameterAlias {
  std::string_view alias;
  std::string_view name;
};

/// In byte order of their names.
std::span<const Parameter> Parameters();
std::span<const ParameterAlias> ParameterAliases();

}  // namespace interlock::sim::redis
