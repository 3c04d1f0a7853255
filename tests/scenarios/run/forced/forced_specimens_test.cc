// SPDX-License-Identifier: MIT
//
// What specimens were convicted of, forced upon real servers of the version that is there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/scenarios/child_process.h"
#include "tests/scenarios/run/forced/of_this_machine.h"

namespace interlock::scenarios::real {
namespace {

using testing::ChildResult;
using ::testing::HasSubstr;
using testing::RunChild;
using testing::ScratchFolder;

/// The lines that say how one case has ended, such as "REPRODUCED  broken/... LK001 ...".
std::vector<std::string> LinesThatBegin(const std::string& with, const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (text.compare(at, with.size(), with) == 0) lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// Some 200 of 260; others last longer, or need what cannot be done to a real server.
TEST(ForcedSpecimensTest, EachCaseOfAtMostThreeSecondsIsReproduced) {
  const ScratchFolder folder;
  const ChildResult checked =
      RunChild({INTERLOCK_PROGRAM, "check", "--lock", "broken/*", "--server",
                std::string(OfThisMachine().name), "--explain", "first", "--out", folder.path()});
  ASSERT_EQ(checked.exit_code, 0) << checked.out << checked.err;
  std::vector<std::string> words = {INTERLOCK_PROGRAM, "replay",    "--redis",
                                    "spawn",           "--longest", "3"};
  for (const auto& file : std::filesystem::directory_iterator(folder.path() + "/counterexamples")) {
    words.push_back(file.path());
  }
  const ChildResult forced = RunChild(words);
  EXPECT_GE(LinesThatBegin("REPRODUCED", forced.out).size(), 150U) << forced.out << forced.err;
  for (const std::string& line : LinesThatBegin("DIFFERS", forced.out)) {
    // A real server deletes fields that are over when it likes.
    EXPECT_THAT(line, HasSubstr("broken/counts-dead-fields")) << forced.out;
  }
}

}  // namespace
}  // namespace interlock::scenarios::real
