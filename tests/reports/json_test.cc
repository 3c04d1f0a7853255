// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "report_samples.h"
#include "reports/json_writer.h"

namespace interlock::reports {
namespace {

using Json = nlohmann::ordered_json;

std::string ErrorOf(const std::string& json) {
  const ReadResult<RunReport> read = ReadRunReport(json);
  EXPECT_FALSE(read.value.has_value());
  return read.error;
}

// Changes one member of a good report by its JSON pointer, and returns what reading says then.
std::string ErrorAfter(const std::string& pointer, const Json& value) {
  Json json = Json::parse(ToJson(MixedReport()));
  json[Json::json_pointer(pointer)] = value;
  return ErrorOf(json.dump());
}

// Writing is a function of the data alone, so equal text after a round trip means equal data.
TEST(JsonTest, RunReportSurvivesARoundTrip) {
  RunReport report = MixedReport();
  report.status = RunStatus::kPartial;
  report.seed = UINT64_MAX;
  report.trace_hash = 0;
  report.totals.commands = UINT64_MAX;
  report.backend = "redis://127.0.0.1:6379";
  const std::string text = ToJson(report);
  const ReadResult<RunReport> read = ReadRunReport(text);
  ASSERT_TRUE(read.value.has_value()) << read.error;
  EXPECT_EQ(text, ToJson(*read.value));
  EXPECT_EQ(UINT64_MAX, read.value->seed);
  EXPECT_EQ(UINT64_MAX, read.value->totals.commands);
  EXPECT_EQ(report.totals.virtual_time, read.value->totals.virtual_time);
  EXPECT_EQ(RunStatus::kPartial, read.value->status);
  EXPECT_EQ(report.notes, read.value->notes);
  EXPECT_EQ(report.results[1].reason, read.value->results[1].reason);
}

TEST(JsonTest, CounterexampleSurvivesARoundTrip) {
  const std::string text = ToJson(ForeignRelease());
  const ReadResult<Counterexample> read = ReadCounterexample(text);
  ASSERT_TRUE(read.value.has_value()) << read.error;
  EXPECT_EQ(text, ToJson(*read.value));
  EXPECT_EQ(ForeignRelease().program, read.value->program);
  EXPECT_EQ(ForeignRelease().rows.size(), read.value->rows.size());
}

// The contract of interlock.run/1: exactly these members, in this order.
TEST(JsonTest, RunReportHasTheMembersOfTheSchema) {
  const Json json = Json::parse(ToJson(PassingReport()));
  std::string keys;
  for (const auto& item : json.items()) keys += item.key() + " ";
  EXPECT_EQ("schema tool seed backend totals results goals trace_hash ", keys);
  keys.clear();
  for (const auto& item : json["results"][0].items()) keys += item.key() + " ";
  EXPECT_EQ(
      "lock kind scenario class property code expected verdict pass runs exercised "
      "runs_to_first_violation replay counterexample rarer_than_one_in ",
      keys);
  keys.clear();
  for (const auto& item : json["totals"].items()) keys += item.key() + " ";
  EXPECT_EQ("runs runs_with_faults commands virtual_seconds wall_seconds double_runs divergences ",
            keys);
}

TEST(JsonTest, SecondsAlwaysHaveThreeDecimals) {
  RunReport report = PassingReport();
  report.totals.wall_time = std::chrono::milliseconds(5);
  report.totals.virtual_time = std::chrono::hours(1'000'000);
  const std::string text = ToJson(report);
  EXPECT_NE(std::string::npos, text.find("\"wall_seconds\": 0.005,"));
  EXPECT_NE(std::string::npos, text.find("\"virtual_seconds\": 3600000000.000,"));
  EXPECT_EQ(report.totals.virtual_time, ReadRunReport(text).value->totals.virtual_time);
}

TEST(JsonTest, ReadingSaysWhatIsWrongAndWhere) {
  EXPECT_NE(std::string::npos, ErrorOf("{\n \"schema\": oops").find("line 2"));
  EXPECT_EQ("expected an object, found an array", ErrorOf("[]"));
  EXPECT_EQ("schema: is missing", ErrorOf("{}"));
  EXPECT_EQ("schema: this program reads interlock.run/1, found \"interlock.run/2\"",
            ErrorAfter("/schema", "interlock.run/2"));
  EXPECT_EQ("results[3].verdict: expected one of holds, violated, inconclusive; found \"maybe\"",
            ErrorAfter("/results/3/verdict", "maybe"));
  EXPECT_EQ("totals.runs: expected a whole number, 0 or more, found -1",
            ErrorAfter("/totals/runs", -1));
  EXPECT_EQ("totals.runs: expected a whole number, 0 or more, found 1.5",
            ErrorAfter("/totals/runs", 1.5));
  EXPECT_EQ("totals.wall_seconds: expected seconds, 0 or more, found 1e+300",
            ErrorAfter("/totals/wall_seconds", 1e300));
  EXPECT_EQ("results[0]: expected an object, found 7", ErrorAfter("/results/0", 7));
  EXPECT_EQ("results: expected an array, found null", ErrorAfter("/results", nullptr));
  EXPECT_EQ("notes[0]: expected a string, found 1", ErrorAfter("/notes", {1}));
  EXPECT_EQ("results[2].replay: expected a string, found false",
            ErrorAfter("/results/2/replay", false));
  for (const char* seed : {"8f3a", "0x", "0x1g", "0x11111111111111111", ""}) {
    EXPECT_EQ(0U, ErrorAfter("/seed", seed).find("seed: expected \"0x\"")) << seed;
  }
}

TEST(JsonTest, ReadingNeedsEveryMemberOfTheSchema) {
  const Json good = Json::parse(ToJson(PassingReport()));
  for (const auto& item : good.items()) {
    Json broken = good;
    broken.erase(item.key());
    EXPECT_EQ(item.key() + ": is missing", ErrorOf(broken.dump()));
  }
  for (const auto& item : good["results"][0].items()) {
    if (item.key() == "rarer_than_one_in") continue;  // It follows from the others.
    Json broken = good;
    broken["results"][0].erase(item.key());
    EXPECT_EQ("results[0]." + item.key() + ": is missing", ErrorOf(broken.dump()));
  }
}

TEST(JsonTest, ReadingIgnoresMembersItDoesNotKnow) {
  Json json = Json::parse(ToJson(PassingReport()));
  json["metrics"] = {{"wait", {1, 2, 3}}};
  EXPECT_TRUE(ReadRunReport(json.dump()).value.has_value());
}

// Deep nesting would end the program by stack overflow wherever a value is printed or freed.
TEST(JsonTest, ReadingRefusesDeepNesting) {
  EXPECT_EQ("values are nested deeper than 200 levels", ErrorOf(std::string(1'000'000, '[')));
  Counterexample example = ForeignRelease();
  example.program = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_TRUE(ReadCounterexample(ToJson(example)).value.has_value());
}

TEST(JsonTest, EveryPrefixOfAFileIsRefusedWithoutHarm) {
  const std::string text = ToJson(ForeignRelease());
  for (std::size_t i = 0; i + 2 < text.size(); i += 7) {
    EXPECT_FALSE(ReadCounterexample(text.substr(0, i)).value.has_value());
  }
}

TEST(JsonTest, RowOfAnUnknownColumnIsRefused) {
  Counterexample example = ForeignRelease();
  example.rows[4].column = 3;
  EXPECT_EQ("rows[4].column: there is no such column", ReadCounterexample(ToJson(example)).error);
}

TEST(JsonTest, StretchOfAnUnknownColumnIsRefused) {
  Counterexample example = Exchange();
  example.stretches[1].column = 3;
  EXPECT_EQ("stretches[1].column: there is no such column",
            ReadCounterexample(ToJson(example)).error);
}

TEST(JsonTest, StretchesSurviveARoundTripAndMayBeMissing) {
  const std::string json = ToJson(Exchange());
  const ReadResult<Counterexample> read = ReadCounterexample(json);
  ASSERT_TRUE(read.value.has_value()) << read.error;
  EXPECT_EQ(json, ToJson(*read.value));
  ASSERT_EQ(read.value->stretches.size(), Exchange().stretches.size());
  EXPECT_EQ(read.value->stretches[3].to_ns, std::nullopt);
  EXPECT_EQ(read.value->stretches[4].kind, StretchKind::kOwner);
  EXPECT_EQ(read.value->stretches[4].end, "expired");
  EXPECT_TRUE(ReadCounterexample(ToJson(ForeignRelease())).value->stretches.empty());
}

TEST(JsonTest, BrokenProgramIsKeptAsText) {
  Counterexample example = ForeignRelease();
  example.program = "{\"tape\": [1,";
  const ReadResult<Counterexample> read = ReadCounterexample(ToJson(example));
  ASSERT_TRUE(read.value.has_value()) << read.error;
  EXPECT_EQ("\"{\\\"tape\\\": [1,\"", read.value->program);
}

TEST(JsonTest, EmptyProgramIsNull) {
  Counterexample example = ForeignRelease();
  example.program.clear();
  EXPECT_TRUE(Json::parse(ToJson(example))["program"].is_null());
  EXPECT_EQ("", ReadCounterexample(ToJson(example)).value->program);
}

// What a file says about its run is held against a run: edited, it must not pass for another run.
TEST(JsonTest, AnEditedRecordIsRefused) {
  const std::string text = ToJson(ForeignRelease());
  for (const auto& [from, to] : {std::pair("0x0123456789abcdef", "0x0123456789abcdee"),
                                 std::pair("\"steps\": 52", "\"steps\": 53"),
                                 std::pair("\"violating_step\": 48", "\"violating_step\": 47"),
                                 std::pair("\"stride\": 26", "\"stride\": 25"),
                                 std::pair("00c0ffee", "00c0ffef"), std::pair("kQb7", "kQb8")}) {
    std::string edited = text;
    const std::size_t at = edited.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    edited.replace(at, std::string_view(from).size(), to);
    EXPECT_EQ(0U, ReadCounterexample(edited).error.find("record.check: ")) << from;
  }
}

// A file of before the record was kept is still a case.
TEST(JsonTest, AFileWithoutARecordIsRead) {
  Counterexample example = ForeignRelease();
  example.record.reset();
  const ReadResult<Counterexample> read = ReadCounterexample(ToJson(example));
  ASSERT_TRUE(read.value.has_value()) << read.error;
  EXPECT_FALSE(read.value->record.has_value());
}

}  // namespace
}  // namespace interlock::reports
