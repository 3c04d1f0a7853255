// SPDX-License-Identifier: MIT
//
// What hostile scripts are made of: library functions and what they are called with.
#pragma once

#include <span>
#include <string_view>

namespace interlock::fuzz {

using Words = std::span<const std::string_view>;

/// A call and its arguments, each a letter: what is mostly there.
///   n number  s text  b boolean  v any value  t table  f function  c coroutine
///   p a text and a pattern  r what gsub puts in its place  F format  L Lua source
///   X format of struct  S packed structure  J JSON  M message pack
///   C command and its arguments, in which @ stands for a number or a text
///   * repeats the one before it, none or more times
struct Call {
  std::string_view name;
  std::string_view arguments;
};

std::span<const Call> Calls();
/// Those that a real server answers otherwise, or that show chance, addresses or the collector.
std::span<const Call> WildCalls();
/// Of a letter in upper case, or one of n s p r.
Words WordsFor(char letter);
/// So many of the commands may be compared with a real server.
inline constexpr std::size_t kComparableCommands = 38;
Words Metamethods();
Words Functions();
Words Tables();
Words PlainValues();
/// Without an end, beyond any memory, or fatal to a real server.
Words WildStatements();

}  // namespace interlock::fuzz
