// SPDX-License-Identifier: MIT
#include "scenarios/cli/serve_command.h"

#include <gtest/gtest.h>

namespace interlock::scenarios::cli {
namespace {

using reports::ExitCode;
using sim::serve::ServeEnd;

// A loop that has lost what it waited for cannot be had on demand: loop.h has a test of its own,
// and here is what the program makes of it.
TEST(ServeExitCodeTest, OnlyWhatWasAskedForIsSuccess) {
  struct Row {
    ServeEnd end;
    Printed printed;
    ExitCode code;
  };
  constexpr Row kRows[] = {
      {ServeEnd::kStopped, Printed::kAll, ExitCode::kPass},
      {ServeEnd::kRefused, Printed::kAll, ExitCode::kUsage},
      {ServeEnd::kNoAddress, Printed::kAll, ExitCode::kRedisUnreachable},
      {ServeEnd::kNoOutput, Printed::kReaderGone, ExitCode::kPass},
      {ServeEnd::kNoOutput, Printed::kFailed, ExitCode::kInternal},
      {ServeEnd::kFailed, Printed::kAll, ExitCode::kInternal},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(ServeExitCode(row.end, row.printed), row.code) << static_cast<int>(row.end);
  }
}

}  // namespace
}  // namespace interlock::scenarios::cli
