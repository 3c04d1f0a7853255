// SPDX-License-Identifier: MIT
//
// Names and texts come from the code under test. Whatever they hold, each format must stay valid
// and nothing in them may act on a terminal or on a CI system.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "report_samples.h"
#include "reports/escape.h"
#include "reports/json_writer.h"
#include "reports/junit_writer.h"
#include "reports/text_layout.h"
#include "reports/text_writer.h"

namespace interlock::reports {
namespace {

std::vector<std::string> HostileTexts() {
  std::vector<std::string> texts = {HostileText(), "", "::error::owned", std::string(3, '\0')};
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  texts.push_back(bytes);
  return texts;
}

void ExpectHarmlessOnATerminal(const std::string& text) {
  EXPECT_EQ(text, ToValidUtf8(text));
  for (std::size_t i = 0; i < text.size();) {
    const char32_t c = NextCodePoint(text, &i);
    ASSERT_TRUE(c == '\n' || (c >= 0x20 && c != 0x7F && !(c >= 0x80 && c < 0xA0)));
    ASSERT_NE(0x202EU, c);
  }
  EXPECT_EQ(std::string::npos, text.find("##["));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t start = line.find_first_not_of(' ');
    EXPECT_FALSE(start != std::string::npos && line.compare(start, 2, "::") == 0) << line;
  }
}

TEST(HostileStringsTest, TextIsHarmlessAndKeepsItsWidth) {
  for (const std::string& hostile : HostileTexts()) {
    for (const bool utf8 : {true, false}) {
      RunReport report = HostileReport(hostile);
      for (ResultRow& row : report.results) row.replay.reset();
      Counterexample example = HostileCounterexample(hostile);
      example.replay.clear();
      const TextOptions options{.utf8 = utf8};
      const std::string text = ToText(report, {example}, options) + ToText(example, options);
      ExpectHarmlessOnATerminal(text);
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);)
        EXPECT_LE(DisplayWidth(line), 100U) << line;
    }
    ExpectHarmlessOnATerminal(ToText(HostileReport(hostile), {HostileCounterexample(hostile)}, {}));
  }
}

TEST(HostileStringsTest, JsonStaysValidAndReadable) {
  for (const std::string& hostile : HostileTexts()) {
    const std::string report = ToJson(HostileReport(hostile));
    EXPECT_TRUE(nlohmann::ordered_json::accept(report));
    const ReadResult<RunReport> read = ReadRunReport(report);
    ASSERT_TRUE(read.value.has_value()) << read.error;
    EXPECT_EQ(ToValidUtf8(hostile), read.value->results[0].lock);
    EXPECT_EQ(report, ToJson(*read.value));
    const ReadResult<Counterexample> example =
        ReadCounterexample(ToJson(HostileCounterexample(hostile)));
    ASSERT_TRUE(example.value.has_value()) << example.error;
    EXPECT_EQ(ToValidUtf8(hostile), example.value->title);
  }
}

TEST(HostileStringsTest, JUnitStaysWellFormed) {
  ASSERT_TRUE(HaveXmllint()) << "xmllint (libxml2-utils) was not found";
  for (const std::string& hostile : HostileTexts()) {
    EXPECT_EQ("",
              XmllintComplaint(ToJUnit(HostileReport(hostile), {HostileCounterexample(hostile)})));
  }
}

TEST(HostileStringsTest, WhatIsNoJUnitIsRefusedByItsSchema) {
  ASSERT_TRUE(HaveXmllint()) << "xmllint (libxml2-utils) was not found";
  const std::string xml = ToJUnit(MixedReport(), {ForeignRelease()});
  ASSERT_EQ("", XmllintComplaint(xml));
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string other = xml;
    const std::size_t at = other.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return other.replace(at, from.size(), to);
  };
  for (const auto& [from, to] : {std::pair("time=\"0.000\"", "time=\"0\""),
                                 {"time=\"0.000\"", ""},
                                 {"<testcase ", "<test "},
                                 {"tests=\"", "tests=\"-"},
                                 {"name=\"seed\"", "name=\"sead\""},
                                 {"<properties>", "<properties><x/>"},
                                 {"<failure type=", "<failure kind="},
                                 {"LK003 section-exclusion\"", "LK001 server-exclusion\""}}) {
    EXPECT_NE("", XmllintComplaint(changed(from, to))) << from << " as " << to;
  }
}

// A reader keeps only the first of two cases with one name: here all names are equal as given.
TEST(HostileStringsTest, JUnitNamesStayUnique) {
  const std::string xml = ToJUnit(HostileReport("same"), {});
  EXPECT_NE(std::string::npos, xml.find("name=\"same same\""));
  EXPECT_NE(std::string::npos, xml.find("name=\"same same #2\""));
  EXPECT_NE(std::string::npos, xml.find("name=\"same same #7\""));
}

TEST(HostileStringsTest, ErrorsOfTheReaderAreOneHarmlessLine) {
  for (const std::string& hostile : HostileTexts()) {
    const ReadResult<RunReport> read = ReadRunReport(hostile);
    EXPECT_FALSE(read.value.has_value());
    EXPECT_EQ(read.error, SafeForTerminal(read.error, true));
  }
}

// Names of a megabyte must neither fail nor make the formats for people long.
TEST(HostileStringsTest, HugeNamesAreCutWhereFormatsAreForReading) {
  for (const std::string& unit : {std::string("n"), std::string("é"), std::string("\xff")}) {
    std::string huge;
    while (huge.size() < 1'000'000) huge += unit;
    RunReport report = HostileReport(huge);
    for (ResultRow& row : report.results) row.replay.reset();
    Counterexample example = HostileCounterexample(huge);
    example.replay.clear();
    EXPECT_LT(ToText(report, {example}, {}).size(), 200'000U);
    const std::string xml = ToJUnit(report, {example});
    EXPECT_LT(xml.size(), 2'000'000U);
    EXPECT_EQ("", XmllintComplaint(xml));
    RunReport short_report = PassingReport();
    short_report.goals[0].name = huge;
    EXPECT_EQ(ToValidUtf8(huge), ReadRunReport(ToJson(short_report)).value->goals[0].name);
  }
}

}  // namespace
}  // namespace interlock::reports
