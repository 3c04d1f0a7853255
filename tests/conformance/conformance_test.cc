// SPDX-License-Identifier: MIT
//
// What every lock of ours that is held does for its users, said once and run in virtual time on the
// fake Redis, and in real time on real redis-servers in each topology. What only some locks have is
// asked of those: see abilities_test.cc.
#include <atomic>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/conformance/backend.h"
#include "tests/conformance/conformance_fixture.h"

namespace interlock::conformance {
namespace {

class LockConformance : public ConformanceTest {};
class ExpiryConformance : public ConformanceTest {};

INSTANTIATE_TEST_SUITE_P(Ours, LockConformance, ::testing::ValuesIn(CasesOf(Held)), NameOf);
INSTANTIATE_TEST_SUITE_P(Ours, ExpiryConformance,
                         ::testing::ValuesIn(CasesOf([](const harness::Traits& has) {
                           return Held(has) && !has.renews;
                         })),
                         NameOf);

TEST_P(LockConformance, KeepsOthersOutUntilItIsReleased) {
  std::atomic<bool> held = false;
  std::atomic<bool> refused = false;
  std::atomic<bool> released = false;
  Run(kLong, {[&](Client& client) {
                Grant hold = client.lock().TryAcquire();
                ASSERT_TRUE(hold.ok()) << hold.status().ToString();
                EXPECT_GT((*hold)->valid_until(), client.Now());
                held = true;
                client.Await(refused);
                const Status status = (*hold)->Release();
                EXPECT_TRUE(status.ok()) << status.ToString();
                released = true;
              },
              [&](Client& client) {
                client.Await(held);
                const Grant no = client.lock().TryAcquire();
                EXPECT_TRUE(IsDefiniteNo(no)) << no.status().ToString();
                refused = true;
                client.Await(released);
                Grant yes = client.lock().AcquireUntil(client.In(kPatience));
                ASSERT_TRUE(yes.ok()) << yes.status().ToString();
                EXPECT_TRUE((*yes)->Release().ok());
              }});
}

TEST_P(LockConformance, AReleaseServesWhoWaitsLongBeforeTheLeaseWouldHaveEnded) {
  std::atomic<bool> held = false;
  Run(kLong, {[&](Client& client) {
                Grant hold = client.lock().TryAcquire();
                ASSERT_TRUE(hold.ok()) << hold.status().ToString();
                held = true;
                client.SleepFor(milliseconds(200));
                EXPECT_TRUE((*hold)->Release().ok());
              },
              [&](Client& client) {
                client.Await(held);
                const MonotonicTime begun = client.Now();
                Grant hold = client.lock().AcquireUntil(kNever);
                ASSERT_TRUE(hold.ok()) << hold.status().ToString();
                EXPECT_LT(client.Now() - begun, kLong / 2);
                EXPECT_TRUE((*hold)->Release().ok());
              }});
}

TEST_P(LockConformance, GivesUpAtTheDeadlineAndLeavesNothing) {
  std::atomic<bool> held = false;
  std::atomic<bool> gave_up = false;
  Run(kLong, {[&](Client& client) {
                Grant hold = client.lock().TryAcquire();
                ASSERT_TRUE(hold.ok()) << hold.status().ToString();
                held = true;
                client.Await(gave_up);
                EXPECT_TRUE((*hold)->Release().ok());
                Grant again = client.lock().TryAcquire();
                ASSERT_TRUE(again.ok()) << "nobody waits any more: " << again.status().ToString();
                EXPECT_TRUE((*again)->Release().ok());
              },
              [&](Client& client) {
                client.Await(held);
                const MonotonicTime deadline = client.In(milliseconds(300));
                const Grant no = client.lock().AcquireUntil(deadline);
                EXPECT_EQ(no.code(), StatusCode::kTimeout) << no.status().ToString();
                EXPECT_GE(client.Now(), deadline - milliseconds(1)) << "Redis counts in ms";
                gave_up = true;
              }});
}

// The holder dies with its objects: nobody releases, and the next one need not wait for ever.
TEST_P(LockConformance, WhatADeadHolderHeldEndsWithItsLease) {
  std::atomic<bool> dropped = false;
  Run(kShort, {[&](Client& client) {
                 Grant hold = client.lock().TryAcquire();
                 ASSERT_TRUE(hold.ok()) << hold.status().ToString();
                 (*hold).reset();
                 dropped = true;
               },
               [&](Client& client) {
                 client.Await(dropped);
                 Grant hold = client.lock().AcquireUntil(client.In(kPatience));
                 ASSERT_TRUE(hold.ok()) << hold.status().ToString();
                 EXPECT_TRUE((*hold)->Release().ok());
               }});
}

TEST_P(LockConformance, LeavesNoKeyThatLivesForEverOrStandsElsewhere) {
  Run(kLong, {[&](Client& client) {
        Grant hold = client.lock().TryAcquire();
        ASSERT_TRUE(hold.ok()) << hold.status().ToString();
        auto connection = client.environment().connector.Connect(client.In(kPatience));
        ASSERT_TRUE(connection.ok()) << connection.status().ToString();
        const std::vector<std::string_view> look = {
            "EVAL",
            "local all = redis.call('KEYS', '*') "
            "for _, key in ipairs(all) do "
            "if redis.call('PTTL', key) < 0 or key:sub(1, 12) ~= 'conformance:' then "
            "return key end end return #all > 0 and 'fine' or 'no key at all'",
            "1", "{r}"};  // where the lock's keys are
        const Result<Reply> seen = (*connection)->Call(look, client.In(kPatience));
        ASSERT_TRUE(seen.ok()) << seen.status().ToString();
        EXPECT_EQ(seen->text, "fine");
        EXPECT_TRUE((*hold)->Release().ok());
      }});
}

// A former owner's release must not affect the current owner.
TEST_P(ExpiryConformance, AReleaseAfterTheLeaseIsRefusedAndHarmsNobody) {
  std::atomic<bool> first_held = false;
  std::atomic<bool> second_held = false;
  std::atomic<bool> late = false;
  Run(kShort, {[&](Client& client) {
                 Grant hold = client.lock().TryAcquire();
                 ASSERT_TRUE(hold.ok()) << hold.status().ToString();
                 first_held = true;
                 client.Await(second_held);
                 EXPECT_LE((*hold)->valid_until(), client.Now());
                 const StatusCode code = (*hold)->Release().code();
                 EXPECT_TRUE(code == StatusCode::kNotOwner || code == StatusCode::kLeaseLost)
                     << ToString(code);
                 late = true;
               },
               [&](Client& client) {
                 client.Await(first_held);
                 Grant hold = client.lock().AcquireUntil(client.In(kPatience));
                 ASSERT_TRUE(hold.ok()) << hold.status().ToString();
                 const MonotonicTime until = (*hold)->valid_until();
                 second_held = true;
                 client.Await(late);
                 const Status released = (*hold)->Release();
                 // On a machine that stood still it may have ended by itself.
                 EXPECT_TRUE(released.ok() || client.Now() >= until) << released.ToString();
               }});
}

}  // namespace
}  // namespace interlock::conformance
