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

#include "src/scripts/fair_scripts.h"
#include "src/scripts/mutex_scripts.h"
#include "src/scripts/permit_scripts.h"
#include "src/scripts/reentrant_scripts.h"
#include "src/scripts/shared_scripts.h"
#include "src/scripts/single_file_scripts.h"
#include "tests/redis/redis_test.h"
#include "tests/support/script_words.h"

namespace interlock::testing {
namespace {

using internal::LockScripts;
using internal::ScriptCall;

struct Kind {
  const char* name;
  const char* owners;  ///< the key that holds them, of the resource "r"
  std::unique_ptr<LockScripts> (*make)();
  const char* wakes;  ///< the list of hints that a release pushes to
};

class ScriptsOnRedisTest : public RedisTest, public ::testing::WithParamInterface<Kind> {
 protected:
  std::string Run(const ScriptCall& call) { return Ask(Eval(call)); }
  std::string Ask(const std::vector<std::string>& words) {
    const Result<std::string> answer = server_->Command(words);
    return answer.ok() ? answer.value() : answer.status().ToString();
  }
  bool Owned() { return Ask({"EXISTS", GetParam().owners}) == "1"; }

  const std::unique_ptr<LockScripts> scripts_ = GetParam().make();
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
  ASSERT_EQ(Ask({"SET", GetParam().wakes, "theirs"}), "OK");
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
  Ask({"DEL", GetParam().owners});  // as when its lease is over
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

template <typename Scripts, typename... Arguments>
std::unique_ptr<LockScripts> Make(Arguments... arguments) {
  return std::make_unique<Scripts>("", "r", std::chrono::seconds(60), arguments...);
}

std::unique_ptr<LockScripts> MakeMutex() { return Make<internal::MutexScripts>(); }
std::unique_ptr<LockScripts> MakePermits() { return Make<internal::PermitScripts>(1); }
std::unique_ptr<LockScripts> MakeReader() { return Make<internal::ReaderScripts>(); }
std::unique_ptr<LockScripts> MakeWriter() { return Make<internal::WriterScripts>(true); }
std::unique_ptr<LockScripts> MakeFair() {
  return Make<internal::FairScripts>(internal::LineRule{seconds(5), seconds(2)});
}
std::unique_ptr<LockScripts> MakeSingleFile() {
  return Make<internal::SingleFileScripts>(internal::LineRule{seconds(5), seconds(2)}, 1);
}

const auto kHinted =
    ::testing::Values(Kind{"Mutex", "{r}", MakeMutex, "{r}:signal"},
                      Kind{"Permits", "{r}", MakePermits, "{r}:signal"},
                      Kind{"Reader", "{r}:readers", MakeReader, "{r}:signal:writers"},
                      Kind{"Writer", "{r}", MakeWriter, "{r}:signal:readers"});
const auto kInLine = ::testing::Values(Kind{"Fair", "{r}", MakeFair, ""},
                                       Kind{"SingleFile", "{r}:holders", MakeSingleFile, ""});

std::string NameOf(const ::testing::TestParamInfo<Kind>& kind) { return kind.param.name; }

INSTANTIATE_TEST_SUITE_P(Kinds, ScriptsOnRedisTest, kHinted, NameOf);
INSTANTIATE_TEST_SUITE_P(Kinds, GrantedAgainOnRedisTest, kHinted, NameOf);
INSTANTIATE_TEST_SUITE_P(InLine, GrantedAgainOnRedisTest, kInLine, NameOf);

}  // namespace
}  // namespace interlock::testing
