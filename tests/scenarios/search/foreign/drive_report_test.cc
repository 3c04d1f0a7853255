// SPDX-License-Identifier: MIT
#include "scenarios/search/foreign/drive_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace interlock::scenarios::drive {
namespace {

using ::testing::ElementsAre;

/// What the report says of a client that ended with `last_words`.
std::vector<std::string> FailuresOf(const std::string& last_words) {
  DriveRun run;
  run.ends.push_back({.client = 0, .exit_code = 1, .last_words = last_words});
  DriveSum sum;
  Add(run, DriveOptions(), sum);
  return sum.failures;
}

TEST(DriveReportTest, AClientsFailureIsTheLineThatNamesTheErrorInEachLanguage) {
  EXPECT_THAT(FailuresOf("Traceback (most recent call last):\n  File \"c.py\", line 3\nOops: no\n"),
              ElementsAre("Oops: no"));
  EXPECT_THAT(FailuresOf("c.rb:13:in `take': no (Oops)\n\tfrom c.rb:20:in `<main>'\n"),
              ElementsAre("c.rb:13:in `take': no (Oops)"));
  EXPECT_THAT(FailuresOf("PHP Fatal error:  Uncaught Oops: no in c.php:7\nStack trace:\n#0 c.php(9)"
                         ": take()\n#1 {main}\n  thrown in c.php on line 7\n"),
              ElementsAre("PHP Fatal error:  Uncaught Oops: no in c.php:7"));
  EXPECT_THAT(FailuresOf("Oops: no\n    at take (c.js:3:1) {\n  code: 7\n}\n\nNode.js v20.20.2\n"),
              ElementsAre("Oops: no"));
}

TEST(DriveReportTest, WithoutALineThatNamesTheErrorItIsTheLastOneOrTheExitCode) {
  EXPECT_THAT(FailuresOf("\tfrom c.rb:20\n"), ElementsAre("\tfrom c.rb:20"));
  EXPECT_THAT(FailuresOf(""), ElementsAre("exit code 1"));
}

}  // namespace
}  // namespace interlock::scenarios::drive
