// SPDX-License-Identifier: MIT
//
// A limit on foreign JSON: values are printed and freed by recursion, so depth must be bounded
// before parsing. Thread safety: pure function.
#pragma once

#include <string_view>

namespace interlock::reports {

inline constexpr int kMaxJsonDepth = 200;

/// Whether brackets outside strings nest deeper than kMaxJsonDepth.
inline bool NestsTooDeep(std::string_view json) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxJsonDepth) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace interlock::reports
