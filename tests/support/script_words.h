// SPDX-License-Identifier: MIT
//
// The words of a command that runs one of the library's scripts, for tests that send it themselves.
//
// Thread safety: without state. The including target has lib/ among its include directories.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/scripts/script.h"

namespace interlock::testing {

inline std::vector<std::string> CommandOf(const internal::ScriptCall& call, std::string_view name,
                                          std::string_view script) {
  std::vector<std::string> words = {std::string(name), std::string(script),
                                    std::to_string(call.keys.size())};
  for (std::size_t i = 0; i < call.keys.size(); ++i) words.emplace_back(call.keys[i]);
  for (std::size_t i = 0; i < call.arguments.size(); ++i) words.emplace_back(call.arguments[i]);
  return words;
}

/// EVAL, with the whole text.
inline std::vector<std::string> Eval(const internal::ScriptCall& call) {
  return CommandOf(call, "EVAL", call.script->source);
}

/// EVALSHA, of a script that the server knows.
inline std::vector<std::string> EvalSha(const internal::ScriptCall& call) {
  return CommandOf(call, "EVALSHA", call.script->sha());
}

}  // namespace interlock::testing
