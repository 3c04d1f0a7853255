// SPDX-License-Identifier: MIT
//
// Pins what runs are: a token of each sound lock in each scenario and class that it runs in, runs
// of specimens, nearly all of which violate something, and the smallest cases of these, each with
// the hash of its trace and with what it violates. A change of the library, the simulated world,
// the generators or the judges that is meant to change nothing must leave this corpus as it is; and
// so must every compiler and sanitizer. After an intended change see search/corpus_units_test.cc.
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/scenarios/cases/token_corpus.h"

namespace interlock::scenarios {
namespace {

TEST(TokenCorpusTest, EveryRunIsWhatItWas) {
  const std::vector<Entry> locks = AllLocks();
  const std::vector<CorpusLine> lines = ReadCorpus(INTERLOCK_TOKEN_CORPUS);
  std::string title;
  std::getline(std::ifstream(INTERLOCK_TOKEN_CORPUS) >> std::ws, title);
  ASSERT_TRUE(title.starts_with("# " + std::to_string(lines.size()) + " tokens"))
      << INTERLOCK_TOKEN_CORPUS << " has " << lines.size() << " runs, and says: " << title;
  sim::Universe universe;
  for (const CorpusLine& line : lines) {
    EXPECT_EQ(Replayed(line.token, locks, universe), line.expected) << line.token;
  }
}

}  // namespace
}  // namespace interlock::scenarios
