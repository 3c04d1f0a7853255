// SPDX-License-Identifier: MIT
//
// The first line of a script, "#!lua flags=...", and what its flags mean; functions have them, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sim/redis/dialect.h"

namespace interlock::sim::redis {

struct ScriptHeader {
  bool present = false;
  std::size_t length = 0;  ///< Bytes to skip; the line end stays, so that line numbers are right.
  bool no_writes = false;
  bool allow_oom = false;
  bool allow_stale = false;
  bool no_cluster = false;
  bool allow_cross_slot_keys = false;
  bool unknown_engine = false;  ///< in Valkey, where its flags count nevertheless
  std::string error;            ///< Not empty: the reply.
  bool unmodelled = false;      ///< It has quotes or escapes.
};

ScriptHeader ParseScriptHeader(const Dialect& dialect, std::string_view body);

struct ScriptFlag {
  std::string_view name;
  bool ScriptHeader::*member;
};
/// In the order in which FUNCTION LIST names them.
std::span<const ScriptFlag> ScriptFlags();
/// False: there is no such flag.
bool SetScriptFlag(std::string_view name, ScriptHeader* header);
/// A command's flags, as the flags of the script that it runs change them.
std::uint32_t CommandFlagsOf(const ScriptHeader& header, std::uint32_t flags);

}  // namespace interlock::sim::redis
