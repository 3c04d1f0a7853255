// SPDX-License-Identifier: MIT
//
// An exploration that was interrupted, as a file: what was visited, what is left, what was found
// out. It belongs to one version of this program and one exploration; a file of another one, or a
// damaged one, is refused, never continued.
#pragma once

#include <optional>
#include <string>

#include "scenarios/search/explore/search.h"

namespace interlock::scenarios {

/// Names subject, scenario, class, bounds and what is looked for: files with another key are
/// refused.
std::string CheckpointKey(const ExploreOptions& options);

/// Before a search, which may take hours: throws std::runtime_error if none could be saved there.
void RequireWritable(const std::string& path);

/// nullopt: there is no such file. Throws std::runtime_error if it cannot be continued.
std::optional<Search::Saved> LoadCheckpoint(const std::string& path, const std::string& key);

/// Written beside it first, then moved there. Throws std::runtime_error if that fails.
void SaveCheckpoint(const std::string& path, const std::string& key, const Search::Saved& saved);

}  // namespace interlock::scenarios
