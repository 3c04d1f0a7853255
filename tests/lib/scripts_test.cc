// SPDX-License-Identifier: MIT
#include "src/scripts/lock_scripts.h"

#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/scripts/mutex_scripts.h"
#include "src/sha1.h"
#include "tests/support/fake_connection.h"
#include "tests/support/script_kinds.h"

namespace interlock::internal {
namespace {

using namespace std::chrono_literals;
using ::testing::_;
using testing::Array;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Integer;
using ::testing::SizeIs;
using testing::Text;

std::string Hex(std::string_view text) {
  const auto hex = Sha1Hex(text);
  return std::string(hex.begin(), hex.end());
}

TEST(Sha1Test, AgreesWithThePublishedVectors) {
  EXPECT_EQ(Hex(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(Hex("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  EXPECT_EQ(Hex(std::string(1000, 'a')), "291e9a6c66994949b57ba5e650361e98fc36b1ba");
}

TEST(Sha1Test, PadsEveryLengthAroundABlock) {
  EXPECT_EQ(Hex("return 1"), "e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
  std::set<std::string> seen;
  for (std::size_t length = 50; length < 70; ++length) {
    EXPECT_TRUE(seen.insert(Hex(std::string(length, 'x'))).second);
  }
}

std::vector<std::string> TextsOf(const Words& words) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < words.size(); ++i) texts.emplace_back(words[i]);
  return texts;
}

std::vector<const Script*> AllScripts() {
  std::vector<const Script*> all;
  for (const testing::ScriptKind& kind : testing::ScriptKinds()) {
    all.insert(all.end(), kind.scripts.begin(), kind.scripts.end());
  }
  return all;
}

TEST(ScriptsTest, HaveDistinctNamesAndHashes) {
  std::set<std::string_view> names;
  std::set<std::string_view> hashes;
  for (const Script* script : AllScripts()) {
    EXPECT_TRUE(names.insert(script->name).second);
    EXPECT_TRUE(hashes.insert(script->sha()).second);
    EXPECT_EQ(script->sha(), Hex(script->source));
  }
}

// One slot of a cluster per resource: the hash tag is the first brace pair of every key.
TEST(ScriptsTest, AllKeysOfAResourceShareAHashTag) {
  for (const testing::ScriptKind& kind : testing::ScriptKinds()) {
    if (!kind.make) continue;
    const auto scripts = kind.make("app:", "res");
    EXPECT_THAT(scripts->signal(), ::testing::StartsWith("app:{res}"));
    for (const ScriptCall& call : {scripts->Acquire("t"), scripts->Extend("t", 5ms),
                                   scripts->Release("t", 7), scripts->Abandon("t")}) {
      EXPECT_THAT(TextsOf(call.keys), Each(::testing::StartsWith("app:{res}")))
          << call.script->name;
    }
  }
}

TEST(ScriptsTest, PassDurationsAsWholeMilliseconds) {
  const MutexScripts mutex("", "r", 1500ms);
  EXPECT_THAT(TextsOf(mutex.Acquire("t").arguments), ElementsAre("t", "1500", "604800000"));
  EXPECT_THAT(TextsOf(mutex.Abandon("t").arguments), ElementsAre("t", "1500", "300000"));
  EXPECT_THAT(TextsOf(mutex.Acquire("t").keys), ElementsAre(_, _, HasSubstr(":cancelled:t")));
}

TEST(ParseAcquireTest, ReadsEveryShapeOfTheScript) {
  const auto granted = ParseAcquire(Array({Integer(1), Text("1700000000000001")}));
  ASSERT_TRUE(granted.ok());
  EXPECT_EQ(granted->kind, AcquireReply::Kind::kGranted);
  EXPECT_EQ(granted->fencing_token, 1700000000000001U);

  const auto refused = ParseAcquire(Array({Integer(0), Integer(250)}));
  ASSERT_TRUE(refused.ok());
  EXPECT_EQ(refused->kind, AcquireReply::Kind::kRefused);
  EXPECT_EQ(refused->owner_ttl, 250ms);

  EXPECT_EQ(ParseAcquire(Array({Integer(-1)}))->kind, AcquireReply::Kind::kCancelled);
  EXPECT_EQ(ParseAcquire(Array({Integer(-2), Integer(3)}))->limit, 3);
}

TEST(ParseInspectionTest, ReadsHoldersAndWaiters) {
  const auto held = ParseInspection(
      Array({Integer(2), Text("a@1"), Integer(250), Text("7"), Text("2"), Integer(-1), Text("0")}));
  ASSERT_TRUE(held.ok());
  EXPECT_EQ(held->waiters, 2);
  ASSERT_THAT(held->holders, SizeIs(2));
  EXPECT_EQ(held->holders[0].token, "a@1");
  EXPECT_EQ(held->holders[0].label(), "a");
  EXPECT_EQ(held->holders[0].remaining, 250ms);
  EXPECT_EQ(held->holders[0].fencing_token, 7U);
  EXPECT_EQ(held->holders[1].label(), "");
  EXPECT_EQ(held->holders[1].remaining, 0ms);
  EXPECT_FALSE(ParseInspection(Array({Integer(-1)}))->waiters.has_value());
}

TEST(ParseInspectionTest, CallsEverythingElseAProtocolError) {
  for (const Reply& reply :
       {Integer(1), Array({}), Array({Text("1")}), Array({Integer(1), Text("t")}),
        Array({Integer(1), Text("t"), Integer(5), Integer(7)}),
        Array({Integer(1), Text("t"), Integer(5), Text("x")}),
        Array({Integer(1), Text("t"), Text("5"), Text("7")}), testing::Nil()}) {
    EXPECT_EQ(ParseInspection(reply).code(), StatusCode::kProtocolError);
  }
}

TEST(ParseAcquireTest, CallsEverythingElseAProtocolError) {
  for (const Reply& reply :
       {Integer(1), Array({}), Array({Text("1")}), Array({Integer(1)}),
        Array({Integer(1), Text("12x")}), Array({Integer(1), Text("")}),
        Array({Integer(1), Integer(5)}), Array({Integer(7), Integer(5)}), testing::Nil()}) {
    EXPECT_EQ(ParseAcquire(reply).code(), StatusCode::kProtocolError);
  }
  EXPECT_EQ(ParseRelease(Integer(4)).code(), StatusCode::kProtocolError);
  EXPECT_EQ(ParseRelease(Text("1")).code(), StatusCode::kProtocolError);
  EXPECT_EQ(ParseFlag(Integer(2)).code(), StatusCode::kProtocolError);
}

}  // namespace
}  // namespace interlock::internal
