// SPDX-License-Identifier: MIT
//
// `interlock replay CASE… --redis URL|spawn`: cases on real servers; see
// run/forced/forced_replay.h.
//
// Safety: another one's server must have an empty database, is neither killed nor flushed, and is
// rid of the keys that were made there, after an interruption too. Thread safety: none.
#pragma once

#include <string>
#include <vector>

#include "reports/exit_code.h"
#include "scenarios/cli/registry.h"

namespace interlock::scenarios::cli {

struct ForcedSettings {
  std::vector<std::string> cases;  ///< tokens, or names of files
  std::string redis;               ///< URLs, separated by commas, or "spawn"
  bool allow_remote = false;
  int longest = 300;  ///< a case that lasts for more seconds is not forced
  bool json = false;
};

reports::ExitCode ReplayOnServers(const ForcedSettings& settings, const Registry& registry);

}  // namespace interlock::scenarios::cli
