// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/drive_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

namespace interlock::scenarios::drive {
namespace {

DriveCase Example() {
  DriveCase one;
  one.options.command = {"python3", "a \"quoted\" name.py"};
  one.options.clients = 3;
  one.options.nodes = 5;
  one.options.pattern = "lock:*";
  one.options.lost_replies = 0;
  one.options.clocks = 2;
  one.options.clock_offset = std::chrono::milliseconds(1'500);
  one.options.clock_rate_percent = 3;
  one.options.bounds = {77, std::chrono::seconds(88), std::chrono::seconds(99)};
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
  EXPECT_EQ(read->options.clocks, 2);
  EXPECT_EQ(read->options.clock_offset, one.options.clock_offset);
  EXPECT_EQ(read->options.clock_rate_percent, 3);
  EXPECT_EQ(read->options.bounds.commands, 77U);
  EXPECT_EQ(read->options.bounds.virtual_time, std::chrono::seconds(88));
  EXPECT_EQ(read->options.bounds.real_time, std::chrono::seconds(99));
  EXPECT_EQ(read->options.patience, one.options.patience);
  EXPECT_EQ(read->tape, one.tape);
}

TEST(DriveCaseTest, ReadsWhichServersClientsDiscover) {
  DriveCase one = Example();
  one.options.topology = sim::Topology::kShards;
  one.options.failovers = 2;
  one.options.reshards = 3;
  one.options.slot_migrations = 4;
  one.options.late_claims = 5;
  one.options.replication_lag = std::chrono::milliseconds(20);
  const std::string json = ToJson(one);
  const auto read = ReadCase(json);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->options.topology, sim::Topology::kShards);
  EXPECT_EQ(read->options.nodes, 5);
  EXPECT_EQ(read->options.failovers, 2);
  EXPECT_EQ(read->options.reshards, 3);
  EXPECT_EQ(read->options.slot_migrations, 4);
  EXPECT_EQ(read->options.late_claims, 5);
  EXPECT_EQ(read->options.replication_lag, one.options.replication_lag);
  for (const auto& [from, to] : {std::pair{"\"cluster\"", "\"ring\""},
                                 std::pair{"\"cluster\"", "\"sentinel\""},  // of one master
                                 std::pair{"\"masters\": 5", "\"masters\": 9"},
                                 std::pair{"\"failovers\"", "\"failures\""}}) {
    std::string text = json;
    text.replace(text.find(from), std::string(from).size(), to);
    EXPECT_FALSE(ReadCase(text).ok()) << text;
  }
}

// No clock is set in it, or the choices would be others.
TEST(DriveCaseTest, ACaseOfBeforeThereWereClocksAndBoundsIsRead) {
  std::string json = ToJson(Example());
  const std::size_t begin = json.find("\"clocks\"");
  json.erase(begin, json.find("\"virtual_clock\"") - begin);
  const std::size_t bounds = json.find("\"clock_offset_ms\"");
  json.erase(bounds, json.find("\"locks\"") - bounds);
  const auto read = ReadCase(json);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->options.clocks, 0);
  EXPECT_EQ(read->options.bounds.commands, DriveBounds().commands);
  EXPECT_EQ(read->options.bounds.real_time, DriveBounds().real_time);
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
