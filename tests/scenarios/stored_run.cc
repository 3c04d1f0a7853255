// SPDX-License-Identifier: MIT
#include "tests/scenarios/stored_run.h"

#include <gtest/gtest.h>

#include "reports/json_writer.h"
#include "tests/scenarios/child_process.h"

namespace interlock::scenarios::testing {

reports::RunReport ReadReport(const std::string& json) {
  const auto read = reports::ReadRunReport(json);
  EXPECT_TRUE(read.value.has_value()) << read.error << "\n" << json;
  return read.value.value_or(reports::RunReport{});
}

void LeaveFailingRun(const std::string& folder, const std::vector<std::string>& more) {
  std::vector<std::string> words = {INTERLOCK_MENDABLE, "check", "--lock",
                                    "test/mendable",    "--out", folder};
  words.insert(words.end(), more.begin(), more.end());
  const ChildResult run = RunChild(words);
  EXPECT_EQ(run.exit_code, 1) << run.err;
}

}  // namespace interlock::scenarios::testing
