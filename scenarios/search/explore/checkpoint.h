// SPDX-License-Identifier: MIT
//
// An interrupted exploration as a file: states visited, work left, results so far. It belongs to
// one version of this program and one exploration; a file from another one, or a damaged one, is
// refused.
#pragma once

#include <optional>
#include <string>

#include "scenarios/search/explore/search.h"

namespace interlock::scenarios {

/// Identifies subject, scenario, class, bounds and the properties searched for: files with another
/// key are refused.
std::string CheckpointKey(const ExploreOptions& options);

/// Called before a search, which may take hours: throws std::runtime_error if no file could be
/// saved at `path`.
void RequireWritable(const std::string& path);

/// nullopt: there is no such file. Throws std::runtime_error if it cannot be continued.
std::optional<Search::Saved> LoadCheckpoint(const std::string& path, const std::string& key);

/// Replaces the file atomically. Throws std::runtime_error on failure.
void SaveCheckpoint(const std::string& path, const std::string& key, const Search::Saved& saved);

}  // namespace interlock::scenarios
