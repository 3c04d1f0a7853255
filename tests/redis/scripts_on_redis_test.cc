// SPDX-License-Identifier: MIT
//
// The scripts of every kind of lock on a real server: all or nothing if it cannot do what it is
// asked, and a fencing counter that outlives leases.
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <interlock/options.h>

#include "tests/redis/redis_test.h"
#include "tests/support/script_kinds.h"
#include "tests/support/script_words.h"

namespace interlock::testing {
namespace {

using internal::LockScripts;
using internal::ScriptCall;

class ScriptsOnRedisTest : public RedisTest, public ::testing::WithParamInterface<ScriptKind> {
 protected:
  std::string Run(const ScriptCall& call) { return Ask(Eval(call)); }
  std::string Ask(const std::vector<std::string>& words) {
    const Result<std::string> answer = server_->Command(words);
    return answer.ok() ? answer.value() : answer.status().ToString();
  }
  bool Owned() { return Ask({"EXISTS", "{r}" + GetParam().owners}) == "1"; }

  const std::unique_ptr<LockScripts> scripts_ = GetParam().make("", "r");
};

// Redis refuses a script for want of memory at its first write only, so that one must free some.
TEST_P(ScriptsOnRedisTest, AbandonUndoesAndBarsAnAcquireOnAServerOutOfMemory) {
  Run(scripts_->Acquire("mine"));
  ASSERT_TRUE(Owned());
  ASSERT_EQ(Ask({"CONFIG", "SET", "maxmemory", "1"}), "OK");
  EXPECT_EQ(Run(scripts_->Abandon("mine")), "1");
  EXPECT_FALSE(Owned());
  EXPECT_EQ(Ask({"EXISTS", "{r}:cancelled:mine"}), "1");
  EXPECT_EQ(Ask({"LLEN", scripts_->signal()}), "1");
}

// All or nothing: an error reply means that the owner is still there.
TEST_P(ScriptsOnRedisTest, ASignalKeyOfAnotherTypeFailsBeforeTheFirstWrite) {
  Run(scripts_->Acquire("mine"));
  const std::string fence = Ask({"GET", "{r}:fence"});
  ASSERT_EQ(Ask({"SET", "{r}" + GetParam().wakes, "theirs"}), "OK");
  EXPECT_EQ(Run(scripts_->Release("mine", 1)).substr(0, 10), "-WRONGTYPE");
  EXPECT_EQ(Run(scripts_->Abandon("mine")).substr(0, 10), "-WRONGTYPE");
  EXPECT_TRUE(Owned());
  EXPECT_EQ(Ask({"GET", "{r}:fence"}), fence);
  EXPECT_EQ(Ask({"EXISTS", "{r}:cancelled:mine"}), "0");
}

// If it did not, a server whose clock is set back would give out the same fencing tokens again.
TEST_P(ScriptsOnRedisTest, TheFencingCounterOutlivesTheLeaseByFar) {
  Run(scripts_->Acquire("mine"));
  const auto left = milliseconds(std::stoll(Ask({"PTTL", "{r}:fence"})));
  EXPECT_GT(left, interlock::kFenceTtl - std::chrono::minutes(1));
}

class GrantedAgainOnRedisTest : public ScriptsOnRedisTest {};

// The reply to its grant was lost, an operator has released that, and the resend is granted anew.
TEST_P(GrantedAgainOnRedisTest, AReleaseOfTheFirstGrantIsNoReleaseOfTheNext) {
  const auto fence = [this] { return std::stoull(Ask({"GET", "{r}:fence"})); };
  Run(scripts_->Acquire("mine"));
  ASSERT_TRUE(Owned());
  EXPECT_EQ(Run(scripts_->Release("mine", fence())), "1");
  EXPECT_EQ(Run(scripts_->Release("mine", fence())), "2") << "sent again";
  Run(scripts_->Acquire("mine"));
  ASSERT_TRUE(Owned());
  Ask({"DEL", "{r}" + GetParam().owners});  // as when its lease is over
  EXPECT_NE(Run(scripts_->Release("mine", fence())), "2");
}

class OneOfSeveralOnRedisTest : public RedisTest {
 protected:
  /// The key of all lives as long as the longest of their leases.
  void ExpectNoExtensionOfWhatIsOver(const LockScripts& brief, const LockScripts& lasting) {
    ASSERT_TRUE(server_->Command(Eval(lasting.Acquire("lasting"))).ok());
    ASSERT_TRUE(server_->Command(Eval(brief.Acquire("brief"))).ok());
    SleepFor(2 * brief.lease());
    EXPECT_EQ(server_->Command(Eval(brief.Extend("brief", seconds(60)))).value(), "0");
    EXPECT_EQ(server_->Command(Eval(lasting.Extend("lasting", seconds(60)))).value(), "1");
  }
  static constexpr milliseconds kBrief{20};
};

TEST_F(OneOfSeveralOnRedisTest, APermitThatIsOverIsNotExtendedBesideAnother) {
  using internal::PermitScripts;
  ExpectNoExtensionOfWhatIsOver(PermitScripts("", "r", kBrief, 2),
                                PermitScripts("", "r", seconds(60), 2));
}

TEST_F(OneOfSeveralOnRedisTest, AReaderThatIsOverIsNotExtendedBesideAnother) {
  using internal::ReaderScripts;
  ExpectNoExtensionOfWhatIsOver(ReaderScripts("", "r", kBrief),
                                ReaderScripts("", "r", seconds(60)));
}

TEST_F(OneOfSeveralOnRedisTest, APlaceInAFileThatIsOverIsNotExtendedBesideAnother) {
  using internal::SingleFileScripts;
  const internal::LineRule rule{seconds(5), seconds(2)};
  ExpectNoExtensionOfWhatIsOver(SingleFileScripts("", "r", kBrief, rule, 2),
                                SingleFileScripts("", "r", seconds(60), rule, 2));
}

/// Of LockScripts; `hinted`: only those that push hints.
std::vector<ScriptKind> Kinds(bool hinted) {
  std::vector<ScriptKind> kinds = ScriptKinds();
  std::erase_if(
      kinds, [&](const ScriptKind& kind) { return !kind.make || (hinted && kind.wakes.empty()); });
  return kinds;
}

std::string NameOf(const ::testing::TestParamInfo<ScriptKind>& kind) { return kind.param.name; }

INSTANTIATE_TEST_SUITE_P(Kinds, ScriptsOnRedisTest, ::testing::ValuesIn(Kinds(true)), NameOf);
INSTANTIATE_TEST_SUITE_P(Kinds, GrantedAgainOnRedisTest, ::testing::ValuesIn(Kinds(false)), NameOf);

}  // namespace
}  // namespace interlock::testing
