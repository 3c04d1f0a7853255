// SPDX-License-Identifier: MIT
//
// A lease that goes from one process to another, and what its fencing token is for.
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include <interlock/fenced_register.h>

#include "tests/lib/lib_test.h"

namespace interlock {
namespace {

using namespace std::chrono_literals;

class HandOverTest : public LockTest {
 protected:
  std::string HandedOver() {
    Script(Grant(7));
    Lease lease = NewMutex().TryAcquire().value();
    token_ = lease.token();
    Result<std::string> text = lease.HandOver();
    EXPECT_TRUE(text.ok());
    EXPECT_FALSE(lease.valid());
    EXPECT_EQ(lease.Release().code(), StatusCode::kNotOwner);
    EXPECT_EQ(connector_.sent().size(), 1U);
    return *text;
  }

  std::string token_;
};

TEST_F(HandOverTest, TheLeaseGoesOnUnderItsTokensWithAFullLength) {
  const std::string text = HandedOver();
  runtime_.Advance(5s);
  const MonotonicTime sent = runtime_.Now();
  Script(Number(1));
  Result<Lease> adopted = NewMutex(10s).Adopt(text);
  ASSERT_TRUE(adopted.ok()) << adopted.status().ToString();
  EXPECT_EQ(adopted->token(), token_);
  EXPECT_EQ(adopted->fencing_token(), 7U);
  EXPECT_EQ(adopted->valid_until(), sent + 9900ms);
  EXPECT_EQ(Argument(1, 0), token_);
  Script(Number(1));
  EXPECT_TRUE(adopted->Release().ok());
  EXPECT_EQ(Argument(2, 1), "7");
}

TEST_F(HandOverTest, WhatIsOverIsNotAdopted) {
  const std::string text = HandedOver();
  Script(Number(0));
  EXPECT_EQ(NewMutex().Adopt(text).code(), StatusCode::kNotOwner);
}

TEST_F(HandOverTest, AnUnknownExtensionIsNoLeaseAndMayBeTriedAgain) {
  const std::string text = HandedOver();
  Script(testing::Answer::Lost());
  EXPECT_EQ(NewMutex().Adopt(text).code(), StatusCode::kUnknownOutcome);
  Script(Number(1));
  Result<Lease> adopted = NewMutex().Adopt(text);
  ASSERT_TRUE(adopted.ok());
  adopted->Forget();
}

TEST_F(HandOverTest, EveryDamageIsRefusedAndNothingIsSent) {
  const std::string text = HandedOver();
  EXPECT_LE(text.size(), kMaxHandedOverBytes);
  Mutex mutex = NewMutex();
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = changed[i] == '0' ? '1' : '0';
    EXPECT_EQ(mutex.Adopt(changed).code(), StatusCode::kInvalidArgument) << changed;
    EXPECT_EQ(mutex.Adopt(text.substr(0, i)).code(), StatusCode::kInvalidArgument) << i;
    std::string longer = text;
    longer.insert(i, "0");
    EXPECT_EQ(mutex.Adopt(longer).code(), StatusCode::kInvalidArgument) << longer;
  }
  EXPECT_EQ(mutex.Adopt(text + "0").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(mutex.Adopt(std::string(100'000, 'x')).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(connector_.sent().size(), 1U);
}

// The text is a contract between versions of the library.
TEST_F(HandOverTest, TheFormatIsOfVersionOne) {
  EXPECT_TRUE(HandedOver().starts_with("interlock-lease:1:" + token_ + ":7:"));
  const Status other = NewMutex().Adopt("interlock-lease:2:whatever").status();
  EXPECT_NE(other.message().find("another version"), std::string::npos) << other.message();
}

TEST_F(HandOverTest, WhatIsNotHeldIsNotHandedOver) {
  Script(Grant(7));
  Lease lease = NewMutex(10s).TryAcquire().value();
  runtime_.Advance(10s);
  EXPECT_EQ(lease.HandOver().code(), StatusCode::kLeaseLost);
  lease.Forget();
  EXPECT_EQ(lease.HandOver().code(), StatusCode::kNotOwner);
}

TEST(FencedRegisterTest, RefusesWhoeverIsOlderThanTheLastAccess) {
  FencedRegister<int> guarded(1);
  EXPECT_TRUE(guarded.Write(33, 2).ok());
  EXPECT_TRUE(guarded.Write(33, 3).ok());  // the same holder
  EXPECT_EQ(guarded.Read(34).value(), 3);
  EXPECT_EQ(guarded.Write(33, 4).code(), StatusCode::kNotOwner);
  EXPECT_EQ(guarded.Read(33).code(), StatusCode::kNotOwner);
  EXPECT_EQ(guarded.Read(34).value(), 3);
}

}  // namespace
}  // namespace interlock
