// SPDX-License-Identifier: MIT
//
// Whether clients and real servers do what they did in a case. What clients draw anew in each run
// (tokens, times) may be another word than in the case, as long as it is always the same one.
//
// Thread safety: none.
#pragma once

#include <map>
#include <string>

#include "sim/redis/server.h"

namespace interlock::scenarios::drive {

class CaseLikeness {
 public:
  /// Learns which words stand for which. False: it is another command.
  bool Commands(const sim::redis::Argv& in_case, const sim::redis::Argv& now);
  /// Both as text; `command`: what was answered.
  bool Replies(const sim::redis::Argv& command, const std::string& in_case,
               const std::string& now) const;

 private:
  std::map<std::string, std::string> words_;  // of the case: the present ones
};

}  // namespace interlock::scenarios::drive
