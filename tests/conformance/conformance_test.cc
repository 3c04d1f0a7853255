// SPDX-License-Identifier: MIT
//
// What every lock of ours does for its users, said once and run in virtual time on the fake Redis,
// and in real time on real redis-servers in each topology. What only some locks have is asked of
// those.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "scenarios/locks/specimen.h"
#include "tests/conformance/backend.h"

namespace interlock::conformance {
namespace {

using harness::Hold;
using std::chrono::milliseconds;
using std::chrono::seconds;

using Grant = Result<std::unique_ptr<Hold>>;

/// Longer than anything here takes; where a lease is to end, it is kShort.
constexpr milliseconds kLong(30'000);
constexpr milliseconds kShort(1000);
constexpr milliseconds kPatience(20'000);

bool IsDefiniteNo(const Grant& grant) {
  return grant.code() == StatusCode::kNotAcquired || grant.code() == StatusCode::kTimeout;
}

struct Case {
  std::shared_ptr<const harness::Subject> subject;
  Where where;
};

const char* ToString(Where where) {
  switch (where) {
    case Where::kFake:
      return "Fake";
    case Where::kServer:
      return "Server";
    case Where::kMasters:
      return "Masters";
    case Where::kSentinels:
      return "Sentinels";
    case Where::kCluster:
      return "Cluster";
  }
  return "?";
}

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.subject->name() << " on " << ToString(one.where);
}

bool Held(const harness::Traits& traits) {
  return !std::holds_alternative<harness::Latch>(traits.kind);
}

std::vector<Case> CasesOf(bool (*chosen)(const harness::Traits&)) {
  std::vector<Case> cases;
  for (const auto& subject : scenarios::SoundSubjects()) {
    if (!chosen(subject->traits())) continue;
    cases.push_back({subject, Where::kFake});
    if (subject->traits().quorum) {
      cases.push_back({subject, Where::kMasters});
      continue;
    }
    for (const Where where : {Where::kServer, Where::kSentinels, Where::kCluster}) {
      cases.push_back({subject, where});
    }
  }
  return cases;
}

std::string NameOf(const ::testing::TestParamInfo<Case>& info) {
  std::string name(info.param.subject->name());
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name + "On" + ToString(info.param.where);
}

class ConformanceTest : public ::testing::TestWithParam<Case> {
 protected:
  const harness::Subject& subject() const { return *GetParam().subject; }

  void Run(milliseconds lease, const std::vector<Program>& programs, int permits = 1) {
    harness::LockOptions options;
    options.key_prefix = "conformance:";
    options.resource = "r";
    options.lease = lease;
    options.permits = permits;
    if (subject().traits().several) options.several = {"r", "r-beside"};
    if (!Held(subject().traits())) options.parties = 2;
    EXPECT_TRUE(NewBackend(GetParam().where)->Run(subject(), options, programs));
  }
};

/// All but latches.
class LockConformance : public ConformanceTest {};
class SemaphoreConformance : public ConformanceTest {};
class ReadersConformance : public ConformanceTest {};
class ExtensionConformance : public ConformanceTest {};
class FencingConformance : public ConformanceTest {};
class ExpiryConformance : public ConformanceTest {};
class LatchConformance : public ConformanceTest {};

#define CONFORM(suite, chosen) \
  INSTANTIATE_TEST_SUITE_P(    \
      Ours, suite,             \
      ::testing::ValuesIn(CasesOf([](const harness::Traits& has) { return chosen; })), NameOf)
CONFORM(LockConformance, Held(has));
CONFORM(SemaphoreConformance, std::holds_alternative<harness::Permits>(has.kind));
CONFORM(ReadersConformance, std::holds_alternative<harness::Readers>(has.kind));
CONFORM(ExtensionConformance, (has.can_extend && Held(has)));
CONFORM(FencingConformance, has.fencing);
CONFORM(ExpiryConformance, Held(has) && !has.renews);
CONFORM(LatchConformance, !Held(has));
#undef CONFORM

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
