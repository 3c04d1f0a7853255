// SPDX-License-Identifier: MIT
//
// The compression of longer texts in dumps (LZF): literal runs and back references.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace interlock::sim::redis {

/// nullopt: it does not expand to `size` bytes, or is not LZF.
std::optional<std::string> ExpandLzf(std::string_view compressed, std::size_t size);

}  // namespace interlock::sim::redis
