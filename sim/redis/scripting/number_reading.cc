// SPDX-License-Identifier: MIT
//
// Scripts calculate with texts: times, fencing tokens and TTLs are arguments and replies. Lua
// parses each with strtod, which takes some 400 instructions. The linker redirects Lua's own calls
// (its option --wrap, set by this library) to a version that parses decimal integers itself, and
// leaves all others to Lua's.
#include <cstdint>
#include <lua5.1/lua.hpp>

namespace interlock::sim::redis {

extern "C" {
// Weak: null if Lua is a shared library, whose own calls no linker redirects.
[[gnu::weak]] int ReadNumber(const char* text, lua_Number* number) __asm__("__real_luaO_str2d");
int ReadNumberQuickly(const char* text, lua_Number* number) __asm__("__wrap_luaO_str2d");

// Fits into 64 bits, and is rounded once, on conversion to lua_Number, like strtod does.
int ReadNumberQuickly(const char* text, lua_Number* number) {
  constexpr int kDigitsThatFit = 18;
  std::int64_t whole = 0;
  const char* next = text;
  for (; *next >= '0' && *next <= '9' && next - text < kDigitsThatFit; ++next) {
    whole = whole * 10 + (*next - '0');
  }
  if (*next != '\0' || next == text) return ReadNumber(text, number);
  *number = static_cast<lua_Number>(whole);
  return 1;
}
}

}  // namespace interlock::sim::redis
