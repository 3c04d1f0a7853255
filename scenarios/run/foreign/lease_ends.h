// SPDX-License-Identifier: MIT
//
// When what a foreign client holds ends: with its key or, without a TTL, at the time in its value.
// If that is the time of the grant, its age limit is what clients purge by, where they do; else it
// is not known. Thread safety: none. Times are Unix times in ms.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "scenarios/run/foreign/held_data.h"
#include "sim/redis/server.h"

namespace interlock::scenarios::drive {

struct LeaseEnd {
  std::optional<std::int64_t> end_ms;  ///< nullopt: never
  bool by_value = false;               ///< it is what its owner wrote down
  bool stamped = false;                ///< the time written down is that of the grant
  bool passed = false;                 ///< and it is still there
};

class LeaseEnds {
 public:
  /// A command, which may remove entries of an age.
  void NotePurge(const sim::redis::Argv& argv, std::int64_t now_ms);
  LeaseEnd Of(const std::string& key, const HeldData& data, std::int64_t now_ms) const;

 private:
  std::map<std::string, std::int64_t> age_ms_;  // by key: the age limit of its members
};

}  // namespace interlock::scenarios::drive
