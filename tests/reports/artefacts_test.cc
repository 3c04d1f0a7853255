// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "reports/artefacts.h"

namespace interlock::reports {
namespace {

namespace fs = std::filesystem;

class ArtefactsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "interlock-artefacts-XXXXXX").string();
    ASSERT_NE(nullptr, ::mkdtemp(pattern.data()));
    folder_ = pattern;
  }
  void TearDown() override {
    ::chmod(folder_.c_str(), 0755);
    fs::remove_all(folder_);
  }

  static std::string Content(const fs::path& path) {
    std::ostringstream content;
    content << std::ifstream(path, std::ios::binary).rdbuf();
    return content.str();
  }

  std::size_t FileCount() const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder_)) count += entry.exists() ? 1 : 0;
    return count;
  }

  fs::path folder_;
};

TEST_F(ArtefactsTest, WritesReplacesAndLeavesNothingElse) {
  const std::string large(3'000'000, 'x');
  EXPECT_FALSE(WriteArtefact(folder_, "run.json", large));
  EXPECT_EQ(large, Content(folder_ / "run.json"));
  EXPECT_FALSE(WriteArtefact(folder_, "run.json", "short"));
  EXPECT_EQ("short", Content(folder_ / "run.json"));
  EXPECT_FALSE(WriteArtefact(folder_, "run.json", ""));
  EXPECT_EQ("", Content(folder_ / "run.json"));
  EXPECT_EQ(1U, FileCount());
}

TEST_F(ArtefactsTest, MakesFoldersOnTheWay) {
  EXPECT_FALSE(WriteArtefact(folder_ / "out", "LK005-1/counterexample.json", "{}"));
  EXPECT_EQ("{}", Content(folder_ / "out/LK005-1/counterexample.json"));
}

TEST_F(ArtefactsTest, FileIsReadableByOthersAsTheUmaskAllows) {
  const mode_t old = ::umask(022);
  EXPECT_FALSE(WriteArtefact(folder_, "run.json", "{}"));
  ::umask(old);
  struct stat status {};
  ASSERT_EQ(0, ::stat((folder_ / "run.json").c_str(), &status));
  EXPECT_EQ(0644U, status.st_mode & 0777U);
}

TEST_F(ArtefactsTest, FullDiskIsAnErrorValue) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const auto error = WriteFileAtomically("/dev/full", "content");
  ASSERT_TRUE(error);
  EXPECT_EQ("write", error->step);
  EXPECT_EQ("cannot write /dev/full: No space left on device (write)", error->ToString());
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

// Root may write anywhere, so the test becomes nobody for a moment.
TEST_F(ArtefactsTest, ReadOnlyFolderIsAnErrorValueAndKeepsTheOldFile) {
  ASSERT_FALSE(WriteArtefact(folder_, "run.json", "old"));
  ASSERT_EQ(0, ::chmod(folder_.c_str(), 0555));
  const bool root = ::geteuid() == 0;
  if (root && ::seteuid(65534) != 0) GTEST_SKIP() << "cannot give up root";
  const auto error = WriteArtefact(folder_, "run.json", "new");
  const auto below = WriteArtefact(folder_, "new-folder/run.json", "new");
  if (root) {
    ASSERT_EQ(0, ::seteuid(0));
  }
  ASSERT_TRUE(error);
  EXPECT_EQ("create", error->step);
  EXPECT_EQ("Permission denied", error->reason);
  ASSERT_TRUE(below);
  EXPECT_EQ("create folder", below->step);
  EXPECT_EQ("old", Content(folder_ / "run.json"));
  EXPECT_EQ(1U, FileCount());
}

TEST_F(ArtefactsTest, TargetsThatCannotBeFilesAreErrorValues) {
  ASSERT_TRUE(fs::create_directory(folder_ / "taken"));
  EXPECT_TRUE(WriteArtefact(folder_, "taken", "x"));
  ASSERT_FALSE(WriteArtefact(folder_, "file", "x"));
  EXPECT_TRUE(WriteArtefact(folder_, "file/below", "x"));
  EXPECT_TRUE(WriteArtefact(folder_, std::string(300, 'n'), "x"));
  EXPECT_EQ(2U, FileCount());
}

TEST_F(ArtefactsTest, LongestNameIsWritten) {
  EXPECT_FALSE(WriteArtefact(folder_, std::string(255, 'n'), "x"));
}

TEST_F(ArtefactsTest, NamesThatLeaveTheFolderAreErrorValues) {
  for (const std::string& name :
       {std::string(""), std::string(".."), std::string("../x"), std::string("a/../../x"),
        std::string("/tmp/x"), std::string("a/"), std::string("."), std::string("a\0b", 3)}) {
    const auto error = WriteArtefact(folder_, name, "x");
    ASSERT_TRUE(error) << name;
    EXPECT_EQ("name", error->step);
  }
  EXPECT_EQ(0U, FileCount());
}

TEST_F(ArtefactsTest, ManyWritersOfOneFileLeaveOneWholeContent) {
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i) {
    writers.emplace_back([this, i] {
      for (int n = 0; n < 20; ++n) {
        EXPECT_FALSE(
            WriteArtefact(folder_, "run.json", std::string(10'000, static_cast<char>('a' + i))));
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  const std::string content = Content(folder_ / "run.json");
  EXPECT_EQ(std::string(10'000, content.empty() ? '?' : content[0]), content);
  EXPECT_EQ(1U, FileCount());
}

}  // namespace
}  // namespace interlock::reports
