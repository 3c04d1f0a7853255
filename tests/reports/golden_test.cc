// SPDX-License-Identifier: MIT
//
// Pins every writer, byte by byte, to a reviewed file.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "golden.h"
#include "report_samples.h"
#include "reports/formats.h"
#include "reports/json_writer.h"
#include "reports/junit_writer.h"
#include "reports/text_writer.h"

namespace interlock::reports {
namespace {

TEST(GoldenTest, JsonOfAMixedReport) {
  ExpectApproved("mixed.approved.json", ToJson(MixedReport()));
}

TEST(GoldenTest, JsonOfACounterexample) {
  ExpectApproved("foreign_release.approved.json", ToJson(ForeignRelease()));
}

// A format of counterexamples has the one that shows messages.
TEST(GoldenTest, EachFormatOfAMixedReport) {
  std::set<std::string> approved = {"mixed.approved.ascii.txt", "mixed.approved.json",
                                    "mixed.approved.proof.html", "exchange.approved.pftrace.txt"};
  for (const Format& format : Formats()) {
    // What a reviewer can read of these is approved in the tests of their writers.
    if (format.name == "html" || format.name == "perfetto") continue;
    const bool of_cases = format.render_case != nullptr;
    const StoredRun run{MixedReport(), {of_cases ? Exchange() : ForeignRelease()}};
    const std::string name = std::string(of_cases ? "exchange" : "mixed") + ".approved.";
    for (const Rendered& file : Render(format, run)) {
      ExpectApproved(name + std::string(format.name), file.content);
      approved.insert(name + std::string(format.name));
    }
  }
  for (const auto& file : std::filesystem::directory_iterator(INTERLOCK_GOLDEN_DIR)) {
    const std::string name = file.path().filename().string();
    const bool of_formats =
        name.starts_with("mixed.approved.") || name.starts_with("exchange.approved.");
    EXPECT_TRUE(!of_formats || approved.contains(name)) << name << " is of no format";
  }
  EXPECT_EQ("", XmllintComplaint(ToJUnit(MixedReport(), {ForeignRelease()})));
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
