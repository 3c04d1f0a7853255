// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/drive_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace interlock::scenarios::drive {
namespace {

DriveCase Example() {
  DriveCase one;
  one.options.command = {"python3", "a \"quoted\" name.py"};
  one.options.clients = 3;
  one.options.nodes = 5;
  one.options.pattern = "lock:*";
  one.options.lost_replies = 0;
  one.tape.lanes = {{{1, 0, 2}, {}, {4'000'000'000}}};
  return one;
}

TEST(DriveCaseTest, ReadsWhatItHasWritten) {
  const DriveCase one = Example();
  const auto read = ReadCase(ToJson(one));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->options.command, one.options.command);
  EXPECT_EQ(read->options.clients, 3);
  EXPECT_EQ(read->options.nodes, 5);
  EXPECT_EQ(read->options.pattern, "lock:*");
  EXPECT_EQ(read->options.lost_replies, 0);
  EXPECT_EQ(read->options.patience, one.options.patience);
  EXPECT_EQ(read->tape, one.tape);
}

TEST(DriveCaseTest, WhatIsDamagedIsRefused) {
  const std::string json = ToJson(Example());
  EXPECT_FALSE(ReadCase("").ok());
  EXPECT_FALSE(ReadCase("[]").ok());
  EXPECT_FALSE(ReadCase("{}").ok());
  const auto changed = [&json](const std::string& from, const std::string& to) {
    std::string text = json;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  for (const std::string& text :
       {changed("\"clients\": 3", "\"clients\": 0"), changed("\"clients\": 3", "\"clients\": 65"),
        changed("\"clients\": 3", "\"clients\": \"3\""), changed("4000000000", "5000000000"),
        changed("4000000000", "-1"), changed("\"locks\"", "\"lock\""),
        changed("\"python3\"", "7")}) {
    const auto read = ReadCase(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_THAT(read.status().message(), ::testing::HasSubstr("not a case of interlock drive"));
  }
}

}  // namespace
}  // namespace interlock::scenarios::drive
