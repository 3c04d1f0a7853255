// SPDX-License-Identifier: MIT
//
// The commands that the matrix of arguments compares, in each of their forms, and the data that
// they find.
#pragma once

#include <span>

namespace interlock::testing {

/// The words of a command each, whose data are those of DataOfForms.
std::span<const char* const> CommandForms();

/// Names of the modelled commands that have no form, because tests of their own compare them.
std::span<const char* const> CommandsElsewhere();

/// The commands that make the data.
std::span<const char* const> DataOfForms();

}  // namespace interlock::testing
