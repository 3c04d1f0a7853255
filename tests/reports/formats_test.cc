// SPDX-License-Identifier: MIT
//
// Formats for other people's readers: what a real reader makes of them, and what hostile texts do.
#include "reports/formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "pipe.h"
#include "report_samples.h"
#include "reports/csv_writer.h"
#include "reports/github_writer.h"
#include "reports/markdown_writer.h"

namespace interlock::reports {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// A folder of the test's own, gone when it ends.
class FolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "interlock-formats-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  void Write(const std::string& name, const std::string& content) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << content;
  }

  fs::path folder_;
};

using RunFilesTest = FolderTest;

TEST(MarkdownTest, AReaderOfGitHubsMarkdownSeesTablesAndCases) {
  const std::string html =
      Pipe(INTERLOCK_CMARK_GFM " -e table --unsafe", ToMarkdown(MixedReport(), {ForeignRelease()}));
  EXPECT_THAT(html, StartsWith("<h1>FAIL</h1>"));
  EXPECT_THAT(html, HasSubstr("<td>FAIL</td>"));
  EXPECT_THAT(html, HasSubstr("<td>acquitted</td>"));
  EXPECT_THAT(html, HasSubstr("<pre><code class=\"language-text\">"));
  EXPECT_THAT(html, HasSubstr("<th>lock</th>"));
}

TEST(MarkdownTest, ForeignTextHasNoMeaning) {
  const std::string hostile = "<script>x()</script> | **b** `c` [l](http://h) @you ```\n# h";
  std::string html = Pipe(INTERLOCK_CMARK_GFM " -e table -e autolink -e strikethrough --unsafe",
                          ToMarkdown(HostileReport(hostile), {HostileCounterexample(hostile)}));
  html = std::regex_replace(html, std::regex("<code[^]*?</code>"), "");  // nobody is called there
  for (const char* meaning : {"<script", "<strong", "<a ", "<h1>h", "@you", "<del"}) {
    EXPECT_THAT(html, Not(HasSubstr(meaning)));
  }
}

TEST(MarkdownTest, WhatIsTooLongIsCutAndSaysSo) {
  const std::string whole = ToMarkdown(MixedReport(), {ForeignRelease()});
  for (std::size_t most = 400; most < whole.size(); most += 97) {
    const std::string cut = ToMarkdown(MixedReport(), {ForeignRelease()}, most);
    EXPECT_LE(cut.size(), most);
    const std::string html = Pipe(INTERLOCK_CMARK_GFM " -e table --unsafe", cut);
    EXPECT_THAT(html, HasSubstr("<em>Cut here: the whole report is in run.json.</em>")) << most;
  }
}

TEST(CsvTest, PythonReadsTheFieldsBack) {
  RunReport report = MixedReport();
  report.results[0].lock = "=cmd|'/c calc'!A1";
  report.results[1].reason = "a \"quoted\", comma'd one";
  const std::string seen = Pipe(
      "python3 -c \"import csv,sys; rows=list(csv.DictReader(sys.stdin)); "
      "print(len(rows)); print(rows[0]['lock']); print(rows[1]['reason'])\"",
      ToCsv(report));
  const auto lines = LinesOf(seen);
  ASSERT_EQ(lines.size(), 3U) << seen;
  EXPECT_EQ(lines[0], std::to_string(report.results.size()));
  EXPECT_EQ(lines[1], "'=cmd|'/c calc'!A1") << "no formula";
  EXPECT_EQ(lines[2], report.results[1].reason);
}

TEST(CsvTest, EachRowIsOneRecordWhateverItHolds) {
  const RunReport report = HostileReport(HostileText());
  const std::string seen = Pipe(
      "python3 -c \"import csv,sys; "
      "print({len(r) for r in csv.reader(open(0, newline='', encoding='utf-8'))})\"",
      ToCsv(report));
  EXPECT_EQ(seen, "{16}\n");
}

TEST(GitHubTest, EachFailureIsAnAnnotationThatNamesCaseAndReplay) {
  const auto lines = LinesOf(ToGitHubAnnotations(MixedReport(), {ForeignRelease()}));
  ASSERT_FALSE(lines.empty());
  for (const std::string& line : lines) {
    EXPECT_THAT(line, testing::AnyOf(StartsWith("::error title="), StartsWith("::warning title=")));
  }
  EXPECT_THAT(lines, testing::Contains(HasSubstr(ForeignRelease().title)));
  EXPECT_EQ(ToGitHubAnnotations(PassingReport(), {}), "");
}

// Of more than ten GitHub shows ten, and nobody learns of the others.
TEST(GitHubTest, OfManyTheTenthSaysHowManyMoreThereAre) {
  RunReport report = MixedReport();
  const auto failing = std::find_if(report.results.begin(), report.results.end(),
                                    [](const ResultRow& row) { return !row.pass; });
  report.results.assign(25, *failing);
  const auto lines = LinesOf(ToGitHubAnnotations(report, {}));
  ASSERT_EQ(lines.size(), 10U);
  EXPECT_THAT(lines.back(), HasSubstr("and 16 more"));
}

TEST(GitHubTest, ForeignTextGivesNoCommand) {
  const std::string hostile = "a,b:c%0A\n::set-output name=x::y\r\n::error::owned";
  const auto lines =
      LinesOf(ToGitHubAnnotations(HostileReport(hostile), {HostileCounterexample(hostile)}));
  for (const std::string& line : lines) {
    const std::size_t title_ends = line.find("::", 2);
    ASSERT_NE(title_ends, std::string::npos);
    EXPECT_EQ(line.substr(0, title_ends).find(','), std::string::npos) << line;
    EXPECT_EQ(line.find("c%0A"), std::string::npos) << "it was escaped: " << line;
    EXPECT_NE(line.find("c%250A"), std::string::npos) << line;
  }
}

TEST_F(RunFilesTest, ARunIsReadWithTheCounterexamplesThatItNames) {
  RunReport report = MixedReport();
  for (ResultRow& row : report.results) row.counterexample.reset();
  report.results[0].counterexample = "counterexamples/a.json";
  report.results[1].counterexample = "counterexamples/gone.json";
  Write("run.json", ToJson(report));
  Write("counterexamples/a.json", ToJson(ForeignRelease()));
  for (const fs::path& path : {folder_, folder_ / "run.json"}) {
    const ReadResult<StoredRun> run = ReadRun(path);
    ASSERT_TRUE(run.value) << run.error;
    ASSERT_EQ(run.value->counterexamples.size(), 1U);
    EXPECT_EQ(run.value->counterexamples[0].sentence, ForeignRelease().sentence);
    EXPECT_THAT(run.value->report.notes.back(), HasSubstr("gone.json is not here"));
  }
}

TEST_F(RunFilesTest, WhatCannotBeReadIsNamed) {
  EXPECT_THAT(ReadRun(folder_ / "none").error, HasSubstr("none"));
  EXPECT_THAT(ReadRun(folder_).error, HasSubstr("run.json"));
  Write("run.json", "{");
  EXPECT_THAT(ReadRun(folder_).error, HasSubstr("run.json: not JSON"));
  RunReport report = MixedReport();
  report.results[0].counterexample = "bad.json";
  Write("run.json", ToJson(report));
  Write("bad.json", "[]");
  EXPECT_THAT(ReadRun(folder_).error, HasSubstr("bad.json"));
}

TEST_F(RunFilesTest, ACounterexampleElsewhereIsNotRead) {
  for (const char* name : {"../x.json", "/etc/passwd", "a/../../x.json"}) {
    RunReport report = MixedReport();
    report.results[0].counterexample = name;
    Write("run.json", ToJson(report));
    EXPECT_THAT(ReadRun(folder_).error, HasSubstr("not in the run's folder")) << name;
  }
}

TEST(FormatsTest, AFileOfACounterexampleStandsBesideIt) {
  StoredRun run{MixedReport(), {ForeignRelease(), Exchange()}};
  const Format& perfetto = *FindFormat("perfetto");
  const auto unnamed = Render(perfetto, run);
  ASSERT_EQ(unnamed.size(), 2U);
  EXPECT_EQ(unnamed[0].file_name, "1-acme.job-lock.foreign-release.pftrace");
  EXPECT_EQ(unnamed[1].file_name, "2-acme.job-lock.foreign-release.pftrace");
  run.files = {"counterexamples/a.b.json", "x"};
  EXPECT_EQ(Render(perfetto, run)[0].file_name, "counterexamples/a.b.pftrace");
  EXPECT_EQ(Render(perfetto, run)[1].file_name, "x.pftrace");
  EXPECT_EQ(Render(*FindFormat("shiviz"), run)[1].file_name, "x.shiviz.log");
  run.counterexamples.clear();
  EXPECT_TRUE(Render(perfetto, run).empty());
}

TEST(FormatsTest, EachHasANameAFileAndTheSameBytesTwice) {
  const StoredRun run{MixedReport(), {ForeignRelease()}};
  std::set<std::string_view> names;
  std::set<std::string_view> files;
  for (const Format& format : Formats()) {
    EXPECT_TRUE(names.insert(format.name).second);
    EXPECT_TRUE(files.insert(format.file_name).second);
    EXPECT_FALSE(format.render != nullptr && format.render_case != nullptr);
    EXPECT_EQ(FindFormat(format.name), &format);
    if (format.render == nullptr && format.render_case == nullptr) {
      EXPECT_NE(format.render_contention, nullptr) << "it is for nothing";
      EXPECT_TRUE(Render(format, run).empty());
      continue;
    }
    const std::vector<Rendered> once = Render(format, run);
    ASSERT_EQ(once.size(), 1U) << format.name;
    EXPECT_FALSE(once[0].content.empty()) << format.name;
    EXPECT_THAT(once[0].file_name, testing::EndsWith(std::string(format.file_name)));
    EXPECT_EQ(once[0].content, Render(format, run)[0].content);
  }
  EXPECT_EQ(FindFormat("html5"), nullptr);
}

}  // namespace
}  // namespace interlock::reports
