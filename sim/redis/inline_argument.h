// SPDX-License-Identifier: MIT
//
// Words in one line, with quotes and escapes: inline commands, and the first line of a library of
// functions. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace interlock::sim::redis {

/// Appends the argument that starts at `at` to `out`, and moves `at` past it. False: a quote is not
/// closed, or not followed by a blank.
bool ReadInlineArgument(std::string_view line, std::size_t* at, std::string* out);

}  // namespace interlock::sim::redis
