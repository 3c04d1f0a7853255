// SPDX-License-Identifier: MIT
//
// The first line of a script, "#!lua flags=...", and the arguments of EVAL.
#pragma once

#include <cstddef>
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

}  // namespace interlock::sim::redis
