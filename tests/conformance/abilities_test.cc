// SPDX-License-Identifier: MIT
//
// What only some locks of ours have, asked of those, in each place that conformance_test.cc runs
// them in: leases that can be extended, fencing tokens, permits, readers, and parties of a latch.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "tests/conformance/backend.h"
#include "tests/conformance/conformance_fixture.h"

namespace interlock::conformance {
namespace {

class SemaphoreConformance : public ConformanceTest {};
class ReadersConformance : public ConformanceTest {};
class ExtensionConformance : public ConformanceTest {};
class FencingConformance : public ConformanceTest {};
class LatchConformance : public ConformanceTest {};

INSTANTIATE_TEST_SUITE_P(Ours, SemaphoreConformance,
                         ::testing::ValuesIn(CasesOf([](const harness::Traits& has) {
                           return std::holds_alternative<harness::Permits>(has.kind);
                         })),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Ours, ReadersConformance,
                         ::testing::ValuesIn(CasesOf([](const harness::Traits& has) {
                           return std::holds_alternative<harness::Readers>(has.kind);
                         })),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Ours, ExtensionConformance,
                         ::testing::ValuesIn(CasesOf([](const harness::Traits& has) {
                           return has.can_extend && Held(has);
                         })),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(
    Ours, FencingConformance,
    ::testing::ValuesIn(CasesOf([](const harness::Traits& has) { return has.fencing; })), NameOf);
INSTANTIATE_TEST_SUITE_P(
    Ours, LatchConformance,
    ::testing::ValuesIn(CasesOf([](const harness::Traits& has) { return !Held(has); })), NameOf);

TEST_P(ExtensionConformance, AnExtendedLeaseKeepsOthersOutForAnotherOne) {
  constexpr milliseconds kLease(3000);
  std::atomic<bool> extended = false;
  std::atomic<bool> refused = false;
  Run(kLease, {[&](Client& client) {
                 Grant hold = client.lock().TryAcquire();
                 ASSERT_TRUE(hold.ok()) << hold.status().ToString();
                 const MonotonicTime first = (*hold)->valid_until();
                 client.SleepFor(kLease * 2 / 3);
                 const Status status = (*hold)->Extend();
                 ASSERT_TRUE(status.ok()) << status.ToString();
                 EXPECT_GT((*hold)->valid_until(), first);
                 client.SleepFor(first - client.Now());
                 extended = true;
                 client.Await(refused);
                 EXPECT_TRUE((*hold)->Release().ok());
               },
               [&](Client& client) {
                 client.Await(extended);
                 const Grant no = client.lock().TryAcquire();
                 EXPECT_TRUE(IsDefiniteNo(no)) << no.status().ToString();
                 refused = true;
               }});
}

TEST_P(FencingConformance, TokensGrowWithEveryGrantWhoeverHasIt) {
  std::vector<std::uint64_t> tokens;  // written by whose turn it is
  std::atomic<int> turn = 0;
  const auto program = [&](int own) {
    return [&, own](Client& client) {
      for (int round = 0; round < 3; ++round) {
        while (turn % 2 != own) client.SleepFor(milliseconds(1));
        Grant hold = client.lock().AcquireUntil(client.In(kPatience));
        EXPECT_TRUE(hold.ok()) << hold.status().ToString();
        if (hold.ok()) {
          tokens.push_back((*hold)->fencing_token().value_or(0));
          EXPECT_TRUE((*hold)->Release().ok());
        }
        ++turn;
      }
    };
  };
  Run(kLong, {program(0), program(1)});
  ASSERT_EQ(tokens.size(), 6U);
  EXPECT_TRUE(std::is_sorted(tokens.begin(), tokens.end(), std::less_equal<>()));
  EXPECT_EQ(std::set<std::uint64_t>(tokens.begin(), tokens.end()).size(), tokens.size());
}

TEST_P(SemaphoreConformance, GrantsAsManyAsThereArePermitsAndNoMore) {
  std::atomic<int> inside = 0;
  std::atomic<bool> refused = false;
  const Program holds = [&](Client& client) {
    Grant hold = client.lock().AcquireUntil(client.In(kPatience));
    ASSERT_TRUE(hold.ok()) << hold.status().ToString();
    ++inside;
    client.Await(refused);
    EXPECT_TRUE((*hold)->Release().ok());
  };
  Run(kLong,
      {holds, holds,
       [&](Client& client) {
         while (inside < 2) client.SleepFor(milliseconds(1));
         const Grant no = client.lock().TryAcquire();
         EXPECT_TRUE(IsDefiniteNo(no)) << no.status().ToString();
         refused = true;
         Grant yes = client.lock().AcquireUntil(client.In(kPatience));
         ASSERT_TRUE(yes.ok()) << yes.status().ToString();
         EXPECT_TRUE((*yes)->Release().ok());
       }},
      2);
}

TEST_P(ReadersConformance, ReadersReadTogetherAndAWriterIsAlone) {
  std::atomic<int> reading = 0;
  std::atomic<bool> refused = false;
  std::atomic<bool> writing = false;
  std::atomic<bool> reader_refused = false;
  const auto reads = [&](Client& client) {
    Grant hold = client.lock().TryAcquireShared();
    ASSERT_TRUE(hold.ok()) << hold.status().ToString();
    ++reading;
    client.Await(refused);
    EXPECT_TRUE((*hold)->Release().ok());
  };
  Run(kLong, {[&](Client& client) {
                reads(client);
                client.Await(writing);
                const Grant no = client.lock().TryAcquireShared();
                EXPECT_TRUE(IsDefiniteNo(no)) << no.status().ToString();
                reader_refused = true;
                Grant yes = client.lock().AcquireSharedUntil(client.In(kPatience));
                ASSERT_TRUE(yes.ok()) << yes.status().ToString();
                EXPECT_TRUE((*yes)->Release().ok());
              },
              reads,
              [&](Client& client) {
                while (reading < 2) client.SleepFor(milliseconds(1));
                const Grant no = client.lock().TryAcquire();
                EXPECT_TRUE(IsDefiniteNo(no)) << no.status().ToString();
                refused = true;
                Grant yes = client.lock().AcquireUntil(client.In(kPatience));
                ASSERT_TRUE(yes.ok()) << yes.status().ToString();
                writing = true;
                client.Await(reader_refused);
                EXPECT_TRUE((*yes)->Release().ok());
              }});
}

TEST_P(LatchConformance, LetsEverybodyThroughWhenTheLastPartyHasCounted) {
  std::atomic<bool> first_counted = false;
  std::atomic<bool> refused = false;
  std::atomic<bool> last_counts = false;
  Run(kLong, {[&](Client& client) {
                EXPECT_TRUE(client.lock().CountDown("one").ok());
                EXPECT_TRUE(client.lock().CountDown("one").ok()) << "it still counts once";
                first_counted = true;
                const Grant through = client.lock().AcquireUntil(client.In(kPatience));
                EXPECT_TRUE(through.ok()) << through.status().ToString();
                EXPECT_TRUE(last_counts);
              },
              [&](Client& client) {
                client.Await(first_counted);
                const Grant no = client.lock().TryAcquire();
                EXPECT_TRUE(IsDefiniteNo(no)) << no.status().ToString();
                refused = true;
                const Grant through = client.lock().AcquireUntil(client.In(kPatience));
                EXPECT_TRUE(through.ok()) << through.status().ToString();
                EXPECT_TRUE(last_counts);
              },
              [&](Client& client) {
                client.Await(refused);
                client.SleepFor(milliseconds(50));
                last_counts = true;
                EXPECT_TRUE(client.lock().CountDown("two").ok());
                EXPECT_TRUE(client.lock().TryAcquire().ok()) << "it stays open";
              }});
}

}  // namespace
}  // namespace interlock::conformance
