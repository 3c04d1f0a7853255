// SPDX-License-Identifier: MIT
//
// What a server says while it refuses writes because its disk fails ("MISCONF ..."): of a command,
// and of a script whose flags let it write (scriptPrepareForRun in script.c).
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/redis/dialect.h"

namespace interlock::sim::redis {

enum class DiskFailure : std::uint8_t {
  kNone,
  kSave,    ///< of the last snapshot, where stop-writes-on-bgsave-error says that this matters
  kAppend,  ///< of the append only file, which is full
};

/// Empty for kNone.
std::string_view DiskErrorOfCommand(const Dialect& dialect, DiskFailure failure);
std::string_view DiskErrorOfScript(const Dialect& dialect, DiskFailure failure);

}  // namespace interlock::sim::redis
