// SPDX-License-Identifier: MIT
//
// Logs for ShiViz: its regular expression finds every event and nothing else, and the vector clocks
// are what the messages make them.
#include "reports/shiviz_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "pipe.h"
#include "report_samples.h"

namespace interlock::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Clock = std::map<std::string, std::uint64_t>;

struct Event {
  std::string text;
  std::string host;
  Clock clock;
};

/// As ShiViz reads a log: the expression of its first line, again and again over the whole text.
/// Python is the reader: it calls a group ?P<event>, and is told that a line may end in other ways.
std::vector<Event> EventsOf(const std::string& log) {
  const std::string found = Pipe(
      "python3 -c \"\n"
      "import json, re, sys\n"
      "text = sys.stdin.buffer.read().decode('utf-8')\n"
      "assert not re.search('[\\r\\x0b\\x0c\\x85\\u2028\\u2029]', text)\n"
      "expression = text.split(chr(10))[0].replace('?<', '?P<')\n"
      "for m in re.finditer(expression, text):\n"
      "    print(json.dumps([m['event'], m['host'], json.loads(m['clock'])]))\n"
      "\"",
      log);
  std::vector<Event> events;
  std::istringstream lines(found);
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line);
    events.push_back({json[0], json[1], json[2].get<Clock>()});
  }
  return events;
}

/// The rules of vector clocks, from the rows alone: what each event must know.
void ExpectClocksOf(const Counterexample& example, const std::vector<Event>& events) {
  ASSERT_THAT(events, SizeIs(example.rows.size()));
  std::map<std::string, Clock> latest;
  std::map<std::uint64_t, Clock> sent;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const TableRow& row = example.rows[i];
    const Event& event = events[i];
    Clock expected = latest[event.host];
    const bool arrives = row.part == MessagePart::kExecute || row.part == MessagePart::kReceive;
    if (arrives) {
      for (const auto& [host, count] : sent[row.message]) {
        expected[host] = std::max(expected[host], count);
      }
    }
    ++expected[event.host];
    EXPECT_EQ(event.clock, expected) << event.text;
    latest[event.host] = event.clock;
    if (!arrives && row.part != MessagePart::kNone) sent[row.message] = event.clock;
  }
}

TEST(ShiVizTest, TheFirstLineIsTheExpressionAndReadsAllEvents) {
  const std::string log = ToShiViz(Exchange());
  EXPECT_THAT(log, StartsWith(std::string(kShiVizExpression) + "\n\n"));
  EXPECT_EQ(kShiVizExpression, "(?<event>.*)\\n(?<host>\\S*) (?<clock>{.*})");
  const std::vector<Event> events = EventsOf(log);
  ASSERT_THAT(events, SizeIs(Exchange().rows.size()));
  EXPECT_EQ(events[1].text, "0.000000 ms: SET k a ▸");
  EXPECT_EQ(events[1].host, "C1");
  EXPECT_EQ(events[20].text, "0.000500 ms: VIOLATION LK003 section-exclusion");
  EXPECT_EQ(events[21].text, "0.000600 ms: PING ▸ (lost)");
}

TEST(ShiVizTest, ClocksAreWhatTheMessagesMakeThem) {
  for (const Counterexample& example : {Exchange(), ForeignRelease()}) {
    ExpectClocksOf(example, EventsOf(ToShiViz(example)));
  }
}

TEST(ShiVizTest, WhatIsLostIsDeliveredNowhere) {
  Counterexample example = Exchange();
  example.rows = {{0, 0, "SET", RowKind::kEvent, SpanChange::kNone, MessagePart::kSend, 1, true},
                  {1, 2, "SET", RowKind::kEvent, SpanChange::kNone, MessagePart::kExecute, 1}};
  const std::vector<Event> events = EventsOf(ToShiViz(example));
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(events[1].clock, (Clock{{"redis", 1}}));
}

// Text that looks like the line of a host must not become one, nor join the line before it.
TEST(ShiVizTest, ForeignTextIsNoEvent) {
  const std::string huge(1'000'000, '{');
  for (const std::string& hostile :
       {HostileText(), std::string("evil {\"evil\":1}"), std::string("{\"C1\":9}"),
        std::string("a\nb {\"b\":1}"), std::string("=== x ==="), std::string(), huge}) {
    Counterexample example = HostileCounterexample(hostile);
    for (std::size_t i = 0; i < example.rows.size(); ++i) example.rows[i].column = i % 3;
    const std::string log = ToShiViz(example);
    EXPECT_LT(log.size(), 20'000U);
    EXPECT_EQ(log.find("##["), std::string::npos);
    EXPECT_EQ(log.find("\n::"), std::string::npos);
    const std::vector<Event> events = EventsOf(log);
    ASSERT_THAT(events, SizeIs(example.rows.size())) << hostile.substr(0, 99);
    std::set<std::string> hosts;
    for (const Event& event : events) {
      hosts.insert(event.host);
      EXPECT_TRUE(std::regex_match(event.host, std::regex("[A-Za-z0-9._-]+"))) << event.host;
      EXPECT_THAT(event.text, HasSubstr(" ms: "));
    }
    EXPECT_THAT(hosts, SizeIs(3)) << "columns of one name are hosts of their own";
    ExpectClocksOf(example, events);
  }
}

TEST(ShiVizTest, WhatAFileMayHoldThatNoRunGives) {
  Counterexample example = Exchange();
  example.columns.clear();
  example.rows.front().time_ns = INT64_MIN;
  example.rows.back().time_ns = INT64_MAX;
  EXPECT_THAT(EventsOf(ToShiViz(example)), SizeIs(example.rows.size()));
  EXPECT_THAT(EventsOf(ToShiViz(Counterexample{})), IsEmpty());
}

}  // namespace
}  // namespace interlock::reports
