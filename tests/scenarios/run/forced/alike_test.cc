// SPDX-License-Identifier: MIT
#include "scenarios/run/forced/alike.h"

#include <gtest/gtest.h>

#include <string>

#include "scenarios/run/forced/absolute_times.h"

namespace interlock::scenarios::real {
namespace {

constexpr std::int64_t kSimulated = 1'700'000'000'000'000;
constexpr std::int64_t kReal = 1'800'000'000'123'456;

class AlikeTest : public ::testing::Test {
 protected:
  void SetUp() override { alike_.SetClocks({kSimulated, kReal}); }
  static std::string Us(std::int64_t us) { return std::to_string(us); }
  Alike alike_;
};

TEST_F(AlikeTest, WordsMustBeEqual) {
  EXPECT_TRUE(alike_.Texts("owner-a7", "owner-a7"));
  EXPECT_FALSE(alike_.Texts("owner-a7", "owner-b7"));
  EXPECT_FALSE(alike_.Texts("owner", "owner "));
  EXPECT_FALSE(alike_.Texts("", "0"));
  EXPECT_TRUE(alike_.Texts("", ""));
}

TEST_F(AlikeTest, TimesMayBeAsFarApartAsTheClocks) {
  EXPECT_TRUE(alike_.Texts(Us(kSimulated + 5), Us(kReal + 2'000)));
  EXPECT_TRUE(alike_.Texts(Us(kSimulated / 1'000), Us(kReal / 1'000 + 3)));
  EXPECT_TRUE(alike_.Texts(Us(kSimulated / 1'000'000), Us(kReal / 1'000'000)));
  EXPECT_FALSE(
      alike_.Texts(Us(kSimulated), Us(kReal + Alike::kToleranceUs + Alike::kMoreLeftUs + 2)));
  EXPECT_FALSE(alike_.Texts(Us(kSimulated), Us(kReal - Alike::kToleranceUs - 2)));
  EXPECT_FALSE(alike_.Texts(Us(kSimulated), Us(kSimulated + 1))) << "by the wrong clock";
}

TEST_F(AlikeTest, ATimeOfBeforeTheRealServersWereLateIsNoDifference) {
  alike_.SetClocks({kSimulated + 1'000'000, kReal + 9'000'000});
  EXPECT_TRUE(alike_.Texts(Us(kSimulated + 3), Us(kReal + 3)));
  EXPECT_TRUE(alike_.Texts(Us(kSimulated + 1'000'000), Us(kReal + 9'000'000)));
  EXPECT_FALSE(alike_.Texts(Us(kSimulated + 1'000'000), Us(kReal + 9'900'000)));
}

TEST_F(AlikeTest, TheTwoWordsOfTimeAreOne) {
  const auto two = [](std::int64_t us) {
    sim::redis::Value value;
    value.type = sim::redis::Value::Type::kArray;
    value.elements.resize(2);
    for (auto& element : value.elements) element.type = sim::redis::Value::Type::kString;
    value.elements[0].text = std::to_string(us / 1'000'000);
    value.elements[1].text = std::to_string(us % 1'000'000);
    return value;
  };
  const auto real = [&two](std::int64_t us) {
    Reply reply;
    reply.type = Reply::Type::kArray;
    for (const auto& element : two(us).elements) {
      reply.elements.emplace_back();
      reply.elements.back().type = Reply::Type::kString;
      reply.elements.back().text = element.text;
    }
    return reply;
  };
  EXPECT_TRUE(alike_.TimeReplies(two(kSimulated + 5), real(kReal + 900)));
  EXPECT_FALSE(alike_.TimeReplies(two(kSimulated), real(kReal - 300'000)));
  EXPECT_EQ(alike_.Translated(Us(kSimulated / 1'000'000)), Us(kReal / 1'000'000));
}

TEST_F(AlikeTest, WhatIsLeftOfALeaseMayBeALittleLess) {
  EXPECT_TRUE(alike_.Texts("740", "738"));
  EXPECT_FALSE(alike_.Texts("740", "640"));
  EXPECT_FALSE(alike_.Texts("740", "840"));
  EXPECT_TRUE(alike_.Texts("9999000", "9988000"));
  alike_.SetClocks({kSimulated, kReal}, 100'000);
  EXPECT_TRUE(alike_.Texts("740", "640")) << "the real server is late by so much";
}

TEST_F(AlikeTest, WhatIsLeftOfAKeyMayHaveBeenProlonged) {
  alike_.SetLeft({5, 741});
  EXPECT_TRUE(alike_.Texts("740", "1240"));
  EXPECT_FALSE(alike_.Texts("740", "1340"));
  EXPECT_TRUE(alike_.Texts("4", "504"));
  EXPECT_FALSE(alike_.Texts("750", "1250")) << "no key has so much left";
}

TEST_F(AlikeTest, SmallCountsMustBeEqual) {
  EXPECT_FALSE(alike_.Texts("0", "1"));
  EXPECT_FALSE(alike_.Texts("3", "2"));
  EXPECT_FALSE(alike_.Texts("-2", "-1"));
  EXPECT_FALSE(alike_.Texts("10", "12"));
  EXPECT_FALSE(alike_.Texts("9", "10"));
}

TEST_F(AlikeTest, ATimeThatComesBackIsTheRealOne) {
  EXPECT_TRUE(alike_.Texts("t:" + Us(kSimulated), "t:" + Us(kReal + 7)));
  EXPECT_EQ(alike_.Translated("x" + Us(kSimulated) + "y"), "x" + Us(kReal + 7) + "y");
  EXPECT_EQ(alike_.Translated(Us(kSimulated + 1)), Us(kSimulated + 1));
}

TEST_F(AlikeTest, EachServersOwnTimeIsSentToItAndToOthersTheLatest) {
  Alike second;
  Alike third;
  second.SetClocks({kSimulated, kReal});
  alike_.SetOthers({&second, &third});
  third.SetOthers({&alike_, &second});
  EXPECT_TRUE(alike_.Texts(Us(kSimulated), Us(kReal + 9)));
  EXPECT_TRUE(second.Texts(Us(kSimulated), Us(kReal + 4)));
  EXPECT_EQ(alike_.Translated(Us(kSimulated)), Us(kReal + 9));
  EXPECT_EQ(second.Translated(Us(kSimulated)), Us(kReal + 4));
  EXPECT_EQ(third.Translated(Us(kSimulated)), Us(kReal + 9));
}

TEST_F(AlikeTest, RepliesMustBeOfOneType) {
  sim::redis::Value value;
  value.type = sim::redis::Value::Type::kString;
  value.text = "1";
  Reply reply;
  reply.type = Reply::Type::kInteger;
  reply.integer = 1;
  EXPECT_FALSE(alike_.Replies(value, reply));
  reply.type = Reply::Type::kString;
  reply.text = "1";
  EXPECT_TRUE(alike_.Replies(value, reply));
  value.type = sim::redis::Value::Type::kNilArray;
  reply.type = Reply::Type::kNil;
  EXPECT_TRUE(alike_.Replies(value, reply));
}

TEST_F(AlikeTest, ArraysMustHaveTheSameElements) {
  sim::redis::Value value;
  value.type = sim::redis::Value::Type::kArray;
  value.elements.resize(2);
  Reply reply;
  reply.type = Reply::Type::kArray;
  reply.elements.resize(1);
  EXPECT_FALSE(alike_.Replies(value, reply));
  reply.elements.resize(2);
  EXPECT_TRUE(alike_.Replies(value, reply));
}

TEST_F(AlikeTest, ATimeThatAClientHasMadeIsAsFarFromEitherClock) {
  EXPECT_EQ(alike_.Shifted(std::to_string(kSimulated / 1'000 + 500), 1'000),
            std::to_string(kReal / 1'000 + 500));
  EXPECT_EQ(alike_.Shifted(std::to_string(kSimulated / 1'000'000 - 5), 1'000'000),
            std::to_string(kReal / 1'000'000 - 5));
  EXPECT_EQ(alike_.Shifted("soon", 1'000), "soon");
}

TEST(AbsoluteTimesTest, AreFoundInTheCommandsThatHaveThem) {
  const auto at = [](const sim::redis::Argv& argv) {
    const auto time = AbsoluteTimeIn(argv);
    return time ? argv[time->word] + " " + std::to_string(time->unit_us) : "";
  };
  EXPECT_EQ(at({"SET", "k", "pxat", "NX", "PXAT", "17"}), "17 1000");
  EXPECT_EQ(at({"set", "k", "v", "exat", "17"}), "17 1000000");
  EXPECT_EQ(at({"GETEX", "k", "EXAT", "17"}), "17 1000000");
  EXPECT_EQ(at({"HSETEX", "k", "PXAT", "17", "FIELDS", "1", "f", "v"}), "17 1000");
  EXPECT_EQ(at({"PEXPIREAT", "k", "17", "NX"}), "17 1000");
  EXPECT_EQ(at({"EXPIREAT", "k", "17"}), "17 1000000");
  EXPECT_EQ(at({"SET", "k", "v", "PX", "17"}), "");
  EXPECT_EQ(at({"GET", "k"}), "");
}

}  // namespace
}  // namespace interlock::scenarios::real
