// SPDX-License-Identifier: MIT
//
// What `interlock audit` reads, and what it says of a folder that is wrong; above all of each of
// the examples, which must be right.
#include "scenarios/cli/audit_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "scenarios/search/audit/audit.h"
#include "scenarios/search/audit/audit_page.h"
#include "tests/scenarios/child_process.h"

namespace interlock::scenarios {
namespace {

namespace fs = std::filesystem;
using audit::Audited;
using cli::ReadLibraries;
using cli::ReadLibrary;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::ScratchFolder;

const std::string kHead =
    "library = \"mine\"\nversion = \"1.0\"\nlanguage = \"Python\"\nclient = \"python3 a.py\"\n";

class AuditFileTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& toml, const std::string& name = "mine") {
    const std::string folder = folder_.path() + "/" + name;
    fs::create_directories(folder);
    std::ofstream(folder + "/audit.toml") << toml;
    return folder;
  }
  std::string Mistake(const std::string& toml) {
    const auto read = ReadLibrary(Write(toml));
    return read.ok() ? "none" : read.status().message();
  }

  ScratchFolder folder_;
};

TEST_F(AuditFileTest, ALibraryIsReadWithWhatIsExpectedOfIt) {
  const auto read = ReadLibrary(
      Write(kHead + "[drive]\nclients = 3\npermits = 2\nruns = 7\ncrashes = 0\n"
                    "[[breaks]]\nproperty = \"foreign-release\"\nwhy = \"it asks nobody\"\n"
                    "contradicts = \"only the owner can\"\nlimit = false\n"));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->folder, "mine");
  EXPECT_EQ(read->drive.command, (std::vector<std::string>{"python3", "a.py"}));
  EXPECT_EQ(read->drive.clients, 3);
  EXPECT_EQ(read->drive.permits, 2);
  EXPECT_EQ(read->drive.crashes, 0);
  EXPECT_EQ(read->runs, 7U);
  ASSERT_EQ(read->breaks.size(), 1U);
  EXPECT_EQ(read->breaks.front().contradicts, "only the owner can");
}

TEST_F(AuditFileTest, AMistakeIsNamedWithItsLineAndWhatWouldBeRight) {
  EXPECT_THAT(Mistake(kHead + "licence = \"MIT\"\n"),
              AllOf(HasSubstr("line 5"), HasSubstr("unknown field \"licence\"")));
  EXPECT_THAT(Mistake(kHead + "promises = \"all\"\n"), HasSubstr("did you mean \"promise\"?"));
  EXPECT_THAT(Mistake("library = \"mine\"\n"), HasSubstr("version is missing"));
  EXPECT_THAT(Mistake(kHead + "notes = \"one\"\n"), HasSubstr("notes must be a list of strings"));
  EXPECT_THAT(Mistake(kHead + "promise = \"all\"\n"), HasSubstr("promised_in go together"));
  EXPECT_THAT(Mistake(kHead + "[drive]\nclients = 1\n"),
              AllOf(HasSubstr("line 6"), HasSubstr("clients must be a whole number from 2 to 64")));
  EXPECT_THAT(Mistake(kHead + "[drive]\ncrash = 1\n"), HasSubstr("did you mean \"crashes\"?"));
  EXPECT_THAT(Mistake(kHead + "[[breaks]]\nproperty = \"foreign\"\nwhy = \"so\"\n"),
              AllOf(HasSubstr("unknown property \"foreign\""), HasSubstr("list properties")));
  EXPECT_THAT(Mistake(kHead + "[[breaks]]\nproperty = \"keys\"\n"), HasSubstr("needs property"));
  EXPECT_THAT(Mistake("library = "), HasSubstr("line 1"));
}

TEST_F(AuditFileTest, APackageOfNpmMustBeLockedInTheVersionThatIsAudited) {
  const std::string npm = kHead + "npm = \"mine\"\n";
  EXPECT_THAT(Mistake(npm), HasSubstr("package.json is missing"));
  const std::string folder = Write(npm);
  std::ofstream(folder + "/package.json") << "{}";
  EXPECT_THAT(Mistake(npm), HasSubstr("package-lock.json is missing"));
  const auto lock = [&folder](const std::string& packages) {
    std::ofstream(folder + "/package-lock.json") << R"({"packages": {)" << packages << "}}";
  };
  lock("");
  EXPECT_THAT(Mistake(npm), HasSubstr("package-lock.json has no mine"));
  lock(R"("node_modules/mine": {"version": "1.1"})");
  EXPECT_THAT(Mistake(npm), HasSubstr("package-lock.json has mine 1.1, and audit.toml 1.0"));
  lock(R"("node_modules/mine": {"version": "1.0"})");
  EXPECT_EQ(Mistake(npm), "none");
  EXPECT_THAT(Mistake(npm + "debian = [\"mine\"]\n"), HasSubstr("do not go together"));
}

TEST_F(AuditFileTest, AnUnknownNameIsAnsweredWithTheNearest) {
  Write(kHead, "redlock");
  Write(kHead, "bull");
  const auto all = ReadLibraries(folder_.path(), {});
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->size(), 2U);
  EXPECT_EQ(all->front().folder, "bull");
  const auto wrong = ReadLibraries(folder_.path(), {"redlok"});
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.status().message(),
              AllOf(HasSubstr("did you mean \"redlock\"?"), HasSubstr("there are bull, redlock")));
  const ScratchFolder empty;
  EXPECT_THAT(ReadLibraries(empty.path(), {}).status().message(), HasSubstr("no folder in it"));
}

TEST_F(AuditFileTest, TheExamplesAreRightAndAreFound) {
  const auto examples = ReadLibraries(INTERLOCK_AUDITS, {});
  ASSERT_TRUE(examples.ok()) << examples.status().message();
  EXPECT_GE(examples->size(), 20U);
  std::size_t elsewhere = 0;
  for (const audit::Library& one : *examples) {
    elsewhere += one.language != "Node" ? 1 : 0;
    EXPECT_NE(one.npm.empty(), one.debian.empty()) << one.folder;
  }
  EXPECT_GE(elsewhere, 8U);
}

Audited Seen(reports::Verdict verdict) {
  Audited one{.library = {}};
  reports::ResultRow& row = one.report.results.emplace_back();
  row.property = "foreign-release";
  row.code = "LK005";
  row.verdict = verdict;
  return one;
}

TEST(AuditTest, AViolationIsUnexpectedUnlessItIsKnown) {
  using reports::ExitCode;
  using reports::Verdict;
  EXPECT_EQ(ExitCodeOf(Seen(Verdict::kHolds)), ExitCode::kPass);
  EXPECT_EQ(ExitCodeOf(Seen(Verdict::kViolated)), ExitCode::kViolated);
  EXPECT_EQ(ExitCodeOf(Seen(Verdict::kInconclusive)), ExitCode::kInconclusive);
  Audited known = Seen(Verdict::kViolated);
  known.library.breaks.push_back({"foreign-release", "It asks nobody.", "", false});
  EXPECT_EQ(ExitCodeOf(known), ExitCode::kPass);
  known.report.results.front().verdict = Verdict::kHolds;
  EXPECT_EQ(ExitCodeOf(known), ExitCode::kInconclusive) << "a control that has not shown";
  known.not_audited = "not installed";
  EXPECT_EQ(ExitCodeOf(known), ExitCode::kInconclusive);
}

TEST(AuditTest, ACaseIsClaimedOnlyIfItIsSmallAndEachReplayRepeatsIt) {
  reports::Counterexample one;
  one.shrunk.now.operations = 30;
  one.violating_runs = one.total_runs = 5;
  const std::vector<audit::OnServer> shown = {{"Redis 7.0.15", 5, 5, ""}};
  EXPECT_EQ(audit::WhyNotClaimed(one, shown), "");
  EXPECT_EQ(audit::WhyNotClaimed(one, {}), "no real server has shown it");
  one.violating_runs = 4;
  EXPECT_EQ(audit::WhyNotClaimed(one, shown), "only 4 of 5 replays repeat it");
  one.total_runs = 4;
  EXPECT_EQ(audit::WhyNotClaimed(one, shown), "it was not replayed five times");
  one.shrunk.now.operations = 31;
  EXPECT_EQ(audit::WhyNotClaimed(one, shown), "its case has 31 commands, more than 30");
}

TEST(AuditTest, ThePageSaysWhatAFindingContradictsOrThatItIsALimit) {
  Audited one = Seen(reports::Verdict::kViolated);
  one.library.folder = one.library.name = "mine";
  one.library.breaks.push_back({"foreign-release", "It asks nobody.", "owners only", false});
  one.cases.emplace_back().property = "foreign-release";
  EXPECT_THAT(audit::ToMarkdown({{}, "2026-11-29", 1, {one}}),
              AllOf(HasSubstr("It asks nobody."), HasSubstr("contradicts: \"owners only\""),
                    HasSubstr("not replayed on a real server"), HasSubstr("not claimed: ")));
  one.library.breaks.front().contradicts = "";
  one.library.breaks.front().limit = true;
  one.on_servers = {{audit::OnServer{"Redis 7.0.15", 5, 4, "a reply came first"}}};
  EXPECT_THAT(audit::ToMarkdown({{}, "2026-11-29", 1, {one}}),
              AllOf(HasSubstr("a known limit of every lease lock; contradicts no sentence"),
                    HasSubstr("reproduced on Redis 7.0.15: 4 of 5 (a reply came first)")));
}

TEST(AuditTest, ThePageShortensTheScriptsThatSentencesQuote) {
  const std::string script(5'000, 'x');
  Audited one = Seen(reports::Verdict::kViolated);
  one.cases.emplace_back().sentence = "C2 removed stock by eval " + script;
  one.on_servers = {{audit::OnServer{"Redis 7.0.15", 5, 2, "C2 sends eval " + script}}};
  const std::string page = audit::ToMarkdown({{}, "2026-11-29", 1, {one}});
  EXPECT_THAT(page, AllOf(HasSubstr("C2 removed stock by eval xxx"),
                          HasSubstr("2 of 5 (C2 sends eval xxx")));
  EXPECT_LT(page.size(), 2'500U);
}

}  // namespace
}  // namespace interlock::scenarios
