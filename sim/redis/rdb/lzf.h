// SPDX-License-Identifier: MIT
//
// The compression of longer texts in dumps (LZF): literal runs, and references to what came before.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace interlock::sim::redis {

/// nullopt: not `size` bytes, or not compressed in this way.
std::optional<std::string> ExpandLzf(std::string_view compressed, std::size_t size);

}  // namespace interlock::sim::redis
