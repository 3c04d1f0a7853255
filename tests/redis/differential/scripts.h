// SPDX-License-Identifier: MIT
//
// Script bodies for the comparison: conversions both ways, errors of every origin, the sandbox.
// They get two keys and two arguments; the generic ones run the command that ARGV spells.
#pragma once

#include <span>
#include <string_view>

namespace interlock::testing {

std::span<const std::string_view> ScriptBodies();
std::span<const std::string_view> GenericScriptBodies();

}  // namespace interlock::testing
