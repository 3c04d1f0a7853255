// SPDX-License-Identifier: MIT
//
// What specimens were convicted of, forced upon real servers of the version that is there.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "tests/scenarios/child_process.h"
#include "tests/scenarios/run/forced/of_this_machine.h"

namespace interlock::scenarios::real {
namespace {

using testing::ChildResult;
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

ChildResult Force(const std::vector<std::string>& files) {
  std::vector<std::string> words = {INTERLOCK_PROGRAM, "replay", "--redis", "spawn"};
  words.insert(words.end(), {"--longest", "3"});
  words.insert(words.end(), files.begin(), files.end());
  return RunChild(words);
}

/// The files of the lock that such a line is about: "broken/a" has "broken-a.chaos.none...".
std::vector<std::string> FilesOfItsLock(const std::string& line,
                                        const std::vector<std::string>& files) {
  const std::size_t begin = line.find("broken/");
  std::string name = line.substr(begin, line.find(' ', begin) - begin) + ".";
  name.replace(name.find('/'), 1, "-");
  std::vector<std::string> its;
  std::ranges::copy_if(files, std::back_inserter(its), [&name](const std::string& file) {
    return std::filesystem::path(file).filename().string().starts_with(name);
  });
  return its;
}

// Some 200 of 260; others last longer, or need what cannot be done to a real server.
TEST(ForcedSpecimensTest, EachCaseOfAtMostThreeSecondsIsReproduced) {
  const ScratchFolder folder;
  const ChildResult checked =
      RunChild({INTERLOCK_PROGRAM, "check", "--lock", "broken/*", "--server",
                std::string(OfThisMachine().name), "--explain", "first", "--out", folder.path()});
  ASSERT_EQ(checked.exit_code, 0) << checked.out << checked.err;
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(folder.path() + "/counterexamples")) {
    files.push_back(file.path());
  }
  const ChildResult forced = Force(files);
  EXPECT_GE(LinesThatBegin("REPRODUCED", forced.out).size(), 150U) << forced.out << forced.err;
  for (const std::string& line : LinesThatBegin("DIFFERS", forced.out)) {
    // A real server deletes fields that are over when it likes.
    if (line.find("broken/counts-dead-fields") != std::string::npos) continue;
    // Made small, a lease may end in the very millisecond of its grant, which no real clock hits.
    const bool ends_at_once = line.find("broken/pxat-in-the-past") != std::string::npos &&
                              line.find("LK014") != std::string::npos;
    if (ends_at_once) continue;
    // A busy machine is too late for a wait of one millisecond.
    const ChildResult again = Force(FilesOfItsLock(line, files));
    EXPECT_TRUE(LinesThatBegin("DIFFERS", again.out).empty()) << forced.out << again.out;
    EXPECT_FALSE(LinesThatBegin("REPRODUCED", again.out).empty()) << again.out << again.err;
  }
}

}  // namespace
}  // namespace interlock::scenarios::real
