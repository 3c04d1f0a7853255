// SPDX-License-Identifier: MIT
//
// A library of functions, as it is loaded. Thread safety: plain data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/redis/scripting/script_cache.h"

namespace interlock::sim::redis {

struct Function {
  Script script;
  std::optional<std::string> description;

  const std::string& name() const { return script.sha; }
};

struct Library {
  std::string code;
  std::vector<Function> functions;  ///< by name
};

}  // namespace interlock::sim::redis
