// SPDX-License-Identifier: MIT
//
// Words in one line, with quotes and escapes: inline commands, and the first line of a library of
// functions. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace interlock::sim::redis {

enum class QuotesMay : std::uint8_t {
  kEndWords,
  kBeJoined,  ///< Valkey 9: more of the word may follow
};
/// Appends the argument that starts at `at` to `out`, and moves `at` past it. False: a quote is not
/// closed, or it should end the word and is not followed by a blank.
bool ReadInlineArgument(std::string_view line, QuotesMay quotes, std::size_t* at, std::string* out);

}  // namespace interlock::sim::redis
