// SPDX-License-Identifier: MIT
//
// `interlock audit` over small libraries that need not be fetched: one that holds, one that breaks,
// and one that cannot be installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/scenarios/child_process.h"

namespace interlock::scenarios {
namespace {

using ::testing::AllOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ReadFile;
using testing::RunChild;
using testing::ScratchFolder;

using Words = std::vector<std::string>;

const std::string kHead =
    "library = \"mine\"\nversion = \"1.0\"\nlanguage = \"Python\"\n"
    "client = \"/usr/bin/python3 client.py\"\n";
const std::string kExpiriesOnly =
    "[drive]\nruns = 6\ncrashes = 0\npauses = 0\nlost_replies = 0\ndelays = 0\nclocks = 0\n";

/// A lock in a module of the folder, as a library would be, and a client that uses it.
class AuditTest : public ::testing::Test {
 protected:
  void Write(const std::string& name, const std::string& release, const std::string& toml) {
    const std::string folder = folder_.path() + "/from/" + name;
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/lock.py") << R"(
import os, time, redis, uuid
server = redis.Redis.from_url(os.environ["REDIS_URL"])
me = str(uuid.uuid4())
def acquire():
    while not server.set("lock:stock", me, nx=True, px=500): time.sleep(0.01)
def release():
    )" << release << "\n";
    std::ofstream(folder + "/client.py") << R"(
import lock
for _ in range(2):
    lock.acquire()
    lock.server.execute_command("INTERLOCK.ENTER", "stock")
    lock.server.execute_command("INTERLOCK.LEAVE", "stock")
    lock.release()
)";
    std::ofstream(folder + "/audit.toml") << toml;
  }
  ChildResult Audit(Words names) {
    Words words = {INTERLOCK_PROGRAM, "audit", "--from", folder_.path() + "/from", "--out", out_};
    words.insert(words.end(), names.begin(), names.end());
    return RunChild(words);
  }

  const std::string compare_ = R"(server.eval(
        "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end",
        1, "lock:stock", me))";
  const std::string delete_ = R"(server.delete("lock:stock"))";
  ScratchFolder folder_;
  const std::string out_ = folder_.path() + "/out";
};

TEST_F(AuditTest, ALibraryThatHoldsPasses) {
  Write("sound", compare_, kHead + kExpiriesOnly);
  const ChildResult passed = Audit({"sound"});
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.err;
  EXPECT_THAT(passed.out, HasSubstr("holds (6 runs"));
  EXPECT_THAT(ReadFile(out_ + "/audit.md"),
              AllOf(HasSubstr("| mine | 1.0 | Python | holds | 6 runs"),
                    HasSubstr("- promises: none found"), HasSubstr("LK003 section-exclusion")));
}

TEST_F(AuditTest, AViolationIsShownWithItsCase) {
  Write("naive", delete_, kHead + kExpiriesOnly);
  const ChildResult broken = Audit({"naive", "--seed", "1"});
  EXPECT_EQ(broken.exit_code, 1) << broken.out << broken.err;
  EXPECT_THAT(broken.out, HasSubstr("unexpected: LK005 foreign-release"));
  const std::string page = ReadFile(out_ + "/audit.md");
  EXPECT_THAT(page, AllOf(HasSubstr("replays on the fake: 5 of 5"),
                          HasSubstr("reproduced on Redis"), Not(HasSubstr("not claimed")),
                          HasSubstr("naive/counterexamples/drive.foreign-release.json")));
  const std::string found = out_ + "/naive/counterexamples/drive.foreign-release.json";
  for (const std::string strictly : {"", "--mutate"}) {
    for (const auto& [schema, file] : {std::pair("/audit.schema.json", out_ + "/audit.json"),
                                       std::pair("/counterexample.schema.json", found)}) {
      Words words = {"/usr/bin/python3", INTERLOCK_CHECK_SCHEMA};
      if (!strictly.empty()) words.push_back(strictly);
      words.insert(words.end(), {std::string(INTERLOCK_SCHEMAS) + schema, file});
      const ChildResult judged = RunChild(words);
      EXPECT_THAT(judged.out, HasSubstr(" checked, 0 complaints")) << judged.err;
    }
  }
}

TEST_F(AuditTest, WhatCannotBeInstalledOrDrivenIsNoPass) {
  Write("missing", compare_, kHead + "npm = \"mine\"\n");
  const std::string folder = folder_.path() + "/from/missing";
  std::ofstream(folder + "/package.json") << R"({"dependencies": {"mine": "file:nowhere.tgz"}})";
  std::ofstream(folder + "/package-lock.json")
      << R"({"lockfileVersion": 3, "packages": {"": {"dependencies": {"mine": "file:nowhere.tgz"}},
             "node_modules/mine": {"version": "1.0", "resolved": "file:nowhere.tgz"}}})";
  Write("silent", compare_, kHead);
  std::ofstream(folder_.path() + "/from/silent/client.py") << "pass\n";
  const ChildResult missing = Audit({});
  EXPECT_EQ(missing.exit_code, 2) << missing.out << missing.err;
  EXPECT_THAT(ReadFile(out_ + "/audit.md"),
              AllOf(HasSubstr("not installed: npm"), HasSubstr("no client has connected"),
                    HasSubstr("| mine | 1.0 | Python | not audited | nothing |")));
}

TEST_F(AuditTest, AnUnusableFolderIsRefused) {
  const ChildResult nothing = Audit({});
  EXPECT_EQ(nothing.exit_code, 65) << nothing.out << nothing.err;
  Write("sound", compare_, kHead + "runs = 3\n");
  const ChildResult wrong = Audit({});
  EXPECT_EQ(wrong.exit_code, 65);
  EXPECT_THAT(wrong.err, HasSubstr("unknown field \"runs\""));
}

TEST_F(AuditTest, WhatIsNoServerOfThisMachineIsRefused) {
  Write("sound", compare_, kHead);
  for (const std::string server : {"sound", "spawn,redis://192.0.2.1:6379"}) {
    const ChildResult wrong = Audit({"--redis", server});
    EXPECT_EQ(wrong.exit_code, 64) << wrong.out;
    EXPECT_THAT(wrong.err, HasSubstr("--redis: "));
  }
}

}  // namespace
}  // namespace interlock::scenarios
