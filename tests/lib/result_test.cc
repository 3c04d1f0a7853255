// SPDX-License-Identifier: MIT
#include <interlock/result.h>

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace interlock {
namespace {

Result<std::string> Failure() { return Status(StatusCode::kTimeout, "nobody let go"); }

TEST(ResultTest, HoldsAValueOrTheReasonForNone) {
  Result<std::unique_ptr<int>> value = std::make_unique<int>(7);
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(value.code(), StatusCode::kOk);
  EXPECT_EQ(**value, 7);
  EXPECT_EQ(*std::move(value).value(), 7);
  EXPECT_EQ(Failure().status().ToString(), "timeout: nobody let go");
}

// Whoever forgets to ask ok() is told what was wrong, in every form.
TEST(ResultDeathTest, AFailureUsedAsAValueEndsTheProgramWithItsReason) {
  Result<std::string> failure = Failure();
  const Result<std::string>& same = failure;
  const char* reason = "a Result was used as a value, but is a failure: timeout: nobody let go";
  EXPECT_DEATH((void)failure.value(), reason);
  EXPECT_DEATH((void)same.value(), reason);
  EXPECT_DEATH((void)Failure().value(), reason);
  EXPECT_DEATH((void)*failure, reason);
  EXPECT_DEATH((void)*same, reason);
  EXPECT_DEATH((void)failure->size(), reason);
  EXPECT_DEATH((void)same->size(), reason);
}

}  // namespace
}  // namespace interlock
