// SPDX-License-Identifier: MIT
//
// `interlock replay CASE… --redis URL|spawn`: replays cases on real servers; see
// run/forced/forced_replay.h.
//
// Safety: a server that was not spawned here must have an empty database; it is neither killed nor
// flushed, and the keys made there are removed, even after an interruption. Thread safety: none.
#pragma once

#include <string>
#include <vector>

#include "reports/exit_code.h"
#include "scenarios/cli/registry.h"

namespace interlock::scenarios::cli {

struct ForcedSettings {
  std::vector<std::string> cases;  ///< tokens or file names
  std::string redis;               ///< URLs, separated by commas, or "spawn"
  bool allow_remote = false;
  int longest = 300;  ///< a case that lasts more seconds than this is not forced
  bool json = false;
};

reports::ExitCode ReplayOnServers(const ForcedSettings& settings, const Registry& registry);

}  // namespace interlock::scenarios::cli
