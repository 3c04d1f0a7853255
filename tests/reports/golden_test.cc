// SPDX-License-Identifier: MIT
//
// Pins every writer, byte by byte, to a reviewed file.
#include <gtest/gtest.h>

#include <string>

#include "golden.h"
#include "report_samples.h"
#include "reports/csv_writer.h"
#include "reports/github_writer.h"
#include "reports/json_writer.h"
#include "reports/junit_writer.h"
#include "reports/markdown_writer.h"
#include "reports/text_writer.h"

namespace interlock::reports {
namespace {

TEST(GoldenTest, JsonOfAMixedReport) {
  ExpectApproved("mixed.approved.json", ToJson(MixedReport()));
}

TEST(GoldenTest, JsonOfACounterexample) {
  ExpectApproved("foreign_release.approved.json", ToJson(ForeignRelease()));
}

TEST(GoldenTest, JUnitOfAMixedReport) {
  const std::string xml = ToJUnit(MixedReport(), {ForeignRelease()});
  ExpectApproved("mixed.approved.junit.xml", xml);
  EXPECT_EQ("", XmllintComplaint(xml));
}

TEST(GoldenTest, MarkdownOfAMixedReport) {
  ExpectApproved("mixed.approved.md", ToMarkdown(MixedReport(), {ForeignRelease()}));
}

TEST(GoldenTest, CsvOfAMixedReport) { ExpectApproved("mixed.approved.csv", ToCsv(MixedReport())); }

TEST(GoldenTest, AnnotationsOfAMixedReport) {
  ExpectApproved("mixed.approved.github.txt",
                 ToGitHubAnnotations(MixedReport(), {ForeignRelease()}));
}

TEST(GoldenTest, TextOfAMixedReport) {
  ExpectApproved("mixed.approved.txt", ToText(MixedReport(), {ForeignRelease()}, {}));
}

TEST(GoldenTest, TextOfAMixedReportInAscii) {
  const std::string text =
      ToText(MixedReport(), {ForeignRelease()}, TextOptions{.utf8 = false, .width = 80});
  ExpectApproved("mixed.approved.ascii.txt", text);
  for (const char c : text) ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~'));
}

TEST(GoldenTest, TextOfAPassingReportInColor) {
  ExpectApproved("passing.approved.color.txt",
                 ToText(PassingReport(), {}, TextOptions{.color = true}));
}

}  // namespace
}  // namespace interlock::reports
