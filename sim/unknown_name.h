// SPDX-License-Identifier: MIT
//
// Error messages for unknown names. Thread safety: pure function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace interlock::sim {

/// `unknown lock "mutx"; did you mean "mutex"?`; without the question if no name is close.
std::string UnknownName(std::string_view kind, std::string_view given,
                        const std::vector<std::string_view>& known);

}  // namespace interlock::sim
