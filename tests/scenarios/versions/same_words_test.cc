// SPDX-License-Identifier: MIT
//
// What the library of a6ad68e and that of today say to the server, word by word. Whatever differs
// is listed here, and belongs into lib/README.md ("Upgrading").
#include <algorithm>
#include <cstddef>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenarios/versions/calls.h"
#include "tests/scenarios/versions/old_connector.h"

namespace interlock::scenarios::testing {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> CallsOfThen() {
  std::ifstream file(INTERLOCK_OLD_SCRIPTS "/calls.txt");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// A line of calls as a client of then would have said it: what OldConnector makes of keys.
std::string AsThen(const std::string& line) {
  std::istringstream words(line.substr(line.find(": ") + 2));
  std::string script;
  words >> script;
  std::string old = line.substr(0, line.find(": ") + 2) + script;
  bool key = false;
  for (std::string word; words >> word;) {
    if (word == "ARGV") key = false;
    old += ' ' + (key ? OldWords::KeyOf(script, word) : word);
    if (word == "KEYS") key = true;
  }
  return old;
}

/// What is said otherwise today: SingleFile keeps what is SET in the last millisecond of a lease,
/// so that a release has to look whether its permit is over.
struct Difference {
  std::string_view today;
  std::string_view then;
};
constexpr Difference kDifferences[] = {
    {"'%.0f', math.max(longest, now + 1)))", "'%.0f', longest))"},
    {"local now = others and milliseconds(redis.call('TIME'))\n"
     "if others and tonumber(until_ms) >= now then",
     "-- The value lives to the end of the only permit in it, so that one is not over.\n"
     "local now = others and (others ~= '' or line ~= '0') and milliseconds(redis.call('TIME'))\n"
     "if others and not (now and tonumber(until_ms) < now) then"},
    {"if others == '' and line == '0' then\n    redis.call('DEL', holders)",
     "if not now then\n    redis.call('DEL', holders)"},
    {"if others ~= '' or line ~= '0' then keep(", "if now then keep("},
};

TEST(SameWordsTest, EveryScriptIsWhatItWasButForTheEndOfWhatSingleFileKeeps) {
  std::map<std::string, std::string, std::less<>> today;
  for (const internal::Script* script : TodaysScripts()) {
    std::string text(script->source);
    for (const Difference& one : kDifferences) {
      const std::size_t at = text.find(one.today);
      if (at != std::string::npos) text.replace(at, one.today.size(), one.then);
    }
    today.emplace(script->name, text);
  }
  EXPECT_EQ(today, OldWords().scripts());
}

TEST(SameWordsTest, OnlyTheKeysOfASemaphoreDiffer) {
  const std::vector<std::string> then = CallsOfThen();
  const std::vector<std::string> today = CallsOfAllKinds();
  ASSERT_EQ(then.size(), today.size());
  std::set<std::string> kinds;
  for (std::size_t i = 0; i < then.size(); ++i) {
    if (then[i] != today[i]) kinds.insert(today[i].substr(0, today[i].find(':')));
  }
  EXPECT_THAT(kinds, ElementsAre("semaphore"));
}

TEST(SameWordsTest, AnOldClientOfTheCampaignSaysWhatWasSaidThen) {
  std::vector<std::string> today = CallsOfAllKinds();
  std::transform(today.begin(), today.end(), today.begin(), AsThen);
  EXPECT_EQ(today, CallsOfThen());
}

}  // namespace
}  // namespace interlock::scenarios::testing
