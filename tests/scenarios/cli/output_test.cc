// SPDX-License-Identifier: MIT
#include "scenarios/cli/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenarios/child_process.h"

namespace interlock::scenarios {
namespace {

using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ReadFile;
using testing::ScratchFolder;

/// What writes one piece of text, some of it, and what has a verdict. Sorted by exit code.
const std::vector<std::pair<int, std::vector<std::string>>>& SeveralCommands() {
  static const std::vector<std::pair<int, std::vector<std::string>>> commands = {
      {0, {"--help"}},
      {0, {"--version"}},
      {0, {"help"}},
      {0, {"list", "scenarios"}},
      {0, {"explain", "LK005"}},
      {0, {"check", "--lock", "mutex", "--scenario", "kleppmann.k1", "--runs", "1"}},
      {2, {"check", "--lock", "mutex", "--scenario", "chaos", "--runs", "1"}}};
  return commands;
}

ChildResult InterlockInto(int stdout_fd, std::vector<std::string> words) {
  words.insert(words.begin(), INTERLOCK_PROGRAM);
  return testing::RunChildInto(stdout_fd, words);
}

// `interlock list scenarios | head -1`, without the race about who is first: the pipe has no
// reader.
TEST(StandardOutputTest, AReaderThatIsGoneChangesNoExitCodeAndIsNotComplainedOf) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  close(ends[0]);
  const ScratchFolder folder;
  for (auto [code, words] : SeveralCommands()) {
    if (words.front() == "check") words.insert(words.end(), {"--out", folder.path()});
    const ChildResult child = InterlockInto(ends[1], words);
    EXPECT_EQ(child.exit_code, code) << words.front() << " ended by signal " << child.signal;
    EXPECT_THAT(child.err, Not(HasSubstr("standard output"))) << words.front();
  }
  EXPECT_FALSE(ReadFile(folder.path() + "/junit.xml").empty()) << "it is written all the same";
  const ChildResult server = InterlockInto(ends[1], {"serve", "--port", "0"});
  EXPECT_EQ(server.exit_code, 0) << "nobody knows its port";
  EXPECT_EQ(server.err, "");
  close(ends[1]);
}

TEST(StandardOutputTest, AFullDiskIsAnErrorThatIsSaid) {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  for (const auto& [code, words] : SeveralCommands()) {
    const ChildResult child = InterlockInto(full, words);
    EXPECT_EQ(child.exit_code, 70) << words.front();
    EXPECT_THAT(child.err,
                HasSubstr("interlock: cannot write to standard output: No space left on device"));
  }
  EXPECT_EQ(InterlockInto(full, {"serve", "--port", "0"}).exit_code, 70);
  close(full);
}

}  // namespace
}  // namespace interlock::scenarios
