// SPDX-License-Identifier: MIT
//
// `interlock contend --redis spawn|URL -- COMMAND`: the same measurement for clients in any
// language; see run/foreign/real/foreign_load.h. Thread safety: none.
#pragma once

#include <string>
#include <vector>

#include "scenarios/run/foreign/real/foreign_load.h"

namespace interlock::scenarios::cli {

struct ForeignContendSettings {
  std::vector<std::string> command;  ///< empty: locks of this program are measured
  int masters = 1;
};

/// A point's name as that of a file.
std::string FileNameOf(const std::string& lock);

/// What of the other options does not go with a command; empty: nothing. `lock` and `redis`: as
/// given.
std::string WhyNotForeign(const ForeignContendSettings& settings, const contend::Load& load,
                          const std::string& lock, const std::string& redis, bool processes);

}  // namespace interlock::scenarios::cli
