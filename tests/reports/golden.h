// SPDX-License-Identifier: MIT
//
// Holds what a writer writes against a reviewed file. After an intended change run the tests once
// with INTERLOCK_APPROVE=1 and review the difference.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace interlock::reports {

inline void ExpectApproved(const std::string& name, const std::string& actual) {
  const std::string path = std::string(INTERLOCK_GOLDEN_DIR) + "/" + name;
  if (std::getenv("INTERLOCK_APPROVE") != nullptr) {
    std::ofstream(path, std::ios::binary) << actual;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " is missing";
  std::ostringstream approved;
  approved << file.rdbuf();
  EXPECT_EQ(approved.str(), actual) << "differs from " << path;
}

}  // namespace interlock::reports
