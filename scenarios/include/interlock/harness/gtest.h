// SPDX-License-Identifier: MIT
//
// A lock's verdicts as cases of GoogleTest, one for each scenario that applies to it:
//
//   const bool kCases = interlock::harness::RegisterLockTests(std::make_shared<MySubject>());
//
// at namespace scope of a test program, which needs no main of its own (GTest::gtest_main). The
// cases are called "acme.job-lock.crash" and so on. You bring GoogleTest along; nothing of
// interlock links it. Non-guarantee: as for Check (interlock/harness/check.h), no isolation: a lock
// that crashes or hangs takes the test program with it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <interlock/harness/check.h>

namespace interlock::harness {

class LockTest : public testing::Test {
 public:
  LockTest(std::shared_ptr<const Subject> subject, CheckOptions options)
      : subject_(std::move(subject)), options_(std::move(options)) {}

  void TestBody() override {
    const CheckVerdict verdict = Check(subject_, options_);
    EXPECT_TRUE(verdict.passed) << verdict.text;
  }

 private:
  std::shared_ptr<const Subject> subject_;
  CheckOptions options_;
};

/// Must be called before RUN_ALL_TESTS. `options.scenario` chooses which cases there are; if none
/// matches, there is one of that name, which fails and says so. Always returns true, so that a
/// constant can be initialised by it.
inline bool RegisterLockTests(const std::shared_ptr<const Subject>& subject,
                              const CheckOptions& options = {}) {
  std::vector<std::string> scenarios = ScenariosFor(*subject, options.scenario);
  if (scenarios.empty()) scenarios.push_back(options.scenario);
  for (const std::string& scenario : scenarios) {
    CheckOptions one = options;
    one.scenario = scenario;
    testing::RegisterTest(std::string(subject->name()).c_str(), scenario.c_str(), nullptr, nullptr,
                          __FILE__, __LINE__,
                          [subject, one]() -> LockTest* { return new LockTest(subject, one); });
  }
  return true;
}

}  // namespace interlock::harness
