// SPDX-License-Identifier: MIT
//
// Requests to a process that runs locks, and its answers, are read back as they were written.
#include "reports/work_request.h"

#include <gtest/gtest.h>

#include "reports/shard_report.h"

namespace interlock::reports {
namespace {

TEST(WorkRequestTest, IsReadBackEqual) {
  WorkRequest request;
  request.task = Task::kExplain;
  request.lock = "acme.lock";
  request.scenario = "chaos";
  request.synchrony = SynchronyClass::kBounded;
  request.seed = UINT64_MAX;
  request.strategy = "pct";
  request.first = 7;
  request.count = 100;
  request.property = "keys";
  request.candidates = {1, 2, 3};
  request.budget = 4000;
  request.token = "v2:...";
  request.original = "v2:\"\n";
  request.program = "./a b";
  request.thorough = true;
  request.keep_events = true;
  const std::string line = ToLine(request);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto read = ReadWorkRequest(line);
  ASSERT_TRUE(read.value.has_value()) << read.error;
  EXPECT_EQ(*read.value, request);
}

TEST(WorkRequestTest, WhatIsNoneIsRefusedWithAReason) {
  for (const char* line : {"", "{}", "[1]", R"({"task":"dance"})"}) {
    const auto read = ReadWorkRequest(line);
    EXPECT_FALSE(read.value.has_value()) << line;
    EXPECT_NE(read.error, "") << line;
  }
}

TEST(WorkRequestTest, ASmallCaseIsReadBackEqual) {
  const SmallCase answer{"v2:a", "v2:b", 16, 123};
  const auto read = ReadSmallCase(ToLine(answer));
  ASSERT_TRUE(read.value.has_value()) << read.error;
  EXPECT_EQ(*read.value, answer);
}

// What ended a block or an exploration goes with it; most have nothing of the kind.
TEST(WorkRequestTest, ACrashIsReadBackEqual) {
  ShardBlock block;
  block.lock = "acme.lock";
  block.scenario = "chaos";
  EXPECT_EQ(ToLine(block).find("crash"), std::string::npos);
  block.crash = ShardCrash{41, "crashed (SIGSEGV)", true, ""};
  const auto read = ReadBlock(ToLine(block));
  ASSERT_TRUE(read.value.has_value()) << read.error;
  EXPECT_EQ(*read.value, block);

  ShardExploration exploration;
  exploration.lock = "acme.lock";
  exploration.crash = ShardCrash{0, "aborted", false, "v2:..."};
  const auto explored = ReadExploration(ToLine(exploration));
  ASSERT_TRUE(explored.value.has_value()) << explored.error;
  EXPECT_EQ(*explored.value, exploration);
}

}  // namespace
}  // namespace interlock::reports
