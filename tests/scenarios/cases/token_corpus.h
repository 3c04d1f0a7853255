// SPDX-License-Identifier: MIT
//
// The pinned runs of cases/corpus/runs.txt, and how they are made again. Thread safety: pure
// functions, but for the file.
#pragma once

#include <string>
#include <vector>

#include "scenarios/locks/entry.h"
#include "scenarios/run/run.h"

namespace interlock::scenarios {

struct CorpusLine {
  std::string token;
  std::string expected;  ///< `hash violations`, in the order of their instants, in nanoseconds
};

/// Every lock that the project ships, then every specimen.
std::vector<Entry> AllLocks();

/// The lines after the first, which says how many there are.
std::vector<CorpusLine> ReadCorpus(const std::string& path);

/// What the token's run is now; or why there is none.
std::string Replayed(const std::string& token, const std::vector<Entry>& locks,
                     sim::Universe& universe);

}  // namespace interlock::scenarios
