// SPDX-License-Identifier: MIT
//
// All data of one database, of a simulated and of a real server, in one form.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <interlock/result.h>

#include "sim/machine/admin.h"
#include "sim/redis/server.h"

namespace interlock::scenarios::real {

struct DataEntry {
  /// For a string its one text; for a list all, in order; for a hash names and values, by name; for
  /// a sorted set members and scores, by member: scores that are equal in one server may be times
  /// that are a millisecond apart in the other.
  std::vector<std::string> words;
  std::optional<std::int64_t> left_ms;  ///< until it expires; nullopt: never
};

/// By key. Keys of other types have no words.
using Dataset = std::map<std::string, DataEntry>;

Dataset DataOf(const sim::redis::Server& server, int database, std::int64_t now_ms);

/// Reads the database that `admin` is in. Failures as Admin::Call.
Result<Dataset> DataOf(sim::machine::Admin& admin);

/// In one line, for people.
std::string ToText(const DataEntry& entry);

}  // namespace interlock::scenarios::real
