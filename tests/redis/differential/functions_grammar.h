// SPDX-License-Identifier: MIT
//
// Libraries of functions for the comparison, good and bad ones, and the commands about them. What
// is never here: what ends a real server (functions whose names differ only in case; in Valkey 9
// redis.log while a library is being loaded), or lasts (settings of cjson).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tests/redis/differential/grammar.h"

namespace interlock::testing {

/// A library with a function of each kind, which FunctionPatterns call.
std::string_view GoodLibrary();
/// Whole libraries; most are refused.
std::span<const std::string_view> LibraryCodes();
/// A library whose function body_of has the body of a script, with KEYS and ARGV as arguments.
std::string LibraryOf(std::string_view body);
/// FUNCTION and FCALL, but for FUNCTION LOAD of those libraries.
Patterns FunctionPatterns();

}  // namespace interlock::testing
