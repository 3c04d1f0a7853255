// SPDX-License-Identifier: MIT
//
// Why real servers may acquit a specimen, where several have the same reason.
#pragma once

#include <string_view>

namespace interlock::scenarios::specimens {

inline constexpr std::string_view kChance =
    "it takes something at just the right moment, by chance";
inline constexpr std::string_view kInstant = "something has to happen between two of its commands";
inline constexpr std::string_view kNoTrace =
    "what it leaves ends with its lease, and leaves no trace";
inline constexpr std::string_view kNotAsked =
    "no client of a real run stops a wait, sets a limit, is an operator or is called of a loss";
inline constexpr std::string_view kLateness = "it is late by no more than a real machine may be";

}  // namespace interlock::scenarios::specimens
