// SPDX-License-Identifier: MIT
//
// The types of values by themselves: against simple models, through long runs of changes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/redis/data.h"

namespace interlock::sim::redis {
namespace {

std::uint32_t Next(std::uint32_t* state) {
  *state = *state * 1664525U + 1013904223U;
  return *state >> 8;
}

TEST(DictionaryTest, AgreesWithAMapThroughAdditionsAndRemovals) {
  for (const bool keep_order : {false, true}) {
    Dictionary<std::uint32_t> dictionary;
    std::map<std::string, std::uint32_t> model;
    std::uint32_t state = 1;
    for (int i = 0; i < 20000; ++i) {
      const std::string key = std::to_string(Next(&state) % 500);
      if (Next(&state) % 2 == 0) {
        if (dictionary.Find(key) == nullptr) dictionary.Add(key, 0);
        const std::uint32_t value = Next(&state);
        *dictionary.Find(key) = value;
        model[key] = value;
      } else {
        EXPECT_EQ(dictionary.Remove(key, keep_order), model.erase(key) == 1);
      }
      ASSERT_EQ(dictionary.size(), model.size());
    }
    for (const auto& [key, value] : model) EXPECT_EQ(*dictionary.Find(key), value);
  }
}

TEST(DictionaryTest, RemovalKeepsTheOrderIfAsked) {
  Dictionary<int> dictionary;
  for (int i = 0; i < 100; ++i) dictionary.Add(std::to_string(i), i);
  for (int i = 0; i < 100; i += 3) EXPECT_TRUE(dictionary.Remove(std::to_string(i), true));
  int last = -1;
  for (const auto& [key, value] : dictionary.items()) {
    EXPECT_LT(last, value);
    last = value;
    EXPECT_EQ(dictionary.Find(key), &value);
  }
}

using Model = std::set<std::pair<double, std::string>>;

void ExpectEqual(const SortedSet& zset, const Model& model) {
  ASSERT_EQ(zset.size(), model.size());
  auto at = zset.items().begin();
  std::size_t rank = 0;
  for (const auto& [score, member] : model) {
    EXPECT_EQ(at->score, score);
    EXPECT_EQ(at->member, member);
    EXPECT_EQ(zset.items().At(rank)->member, member);
    EXPECT_EQ(zset.Rank(member), rank);
    ++at;
    ++rank;
  }
  EXPECT_EQ(at, zset.items().end());
  for (auto back = model.rbegin(); back != model.rend(); ++back) {
    --at;
    EXPECT_EQ(at->member, back->second);
  }
}

TEST(SortedSetTest, AgreesWithASetThroughChangesOfEveryKind) {
  SortedSet zset;
  Model model;
  std::uint32_t state = 7;
  for (int i = 0; i < 6000; ++i) {
    const std::string member = std::to_string(Next(&state) % 2000);
    const double score = Next(&state) % 100;
    if (const auto old = zset.Score(member)) model.erase({*old, member});
    if (Next(&state) % 4 == 0) {
      zset.Remove(member);
    } else {
      zset.Put(member, score);
      model.emplace(score, member);
    }
  }
  ExpectEqual(zset, model);
  zset.RemoveRange(100, 900);
  model.erase(std::next(model.begin(), 100), std::next(model.begin(), 900));
  ExpectEqual(zset, model);
}

TEST(DataCopyTest, ChangesOfACopyLeaveTheOriginalAlone) {
  Hash hash;
  SortedSet zset;
  Set set;
  for (int i = 0; i < 600; ++i) {
    const std::string text = std::to_string(i);
    hash.Set(text, text);
    zset.Put(text, i);
    set.Add("m" + text);
  }
  const std::map<std::string, Data> original = {{"h", hash}, {"z", zset}, {"s", set}};
  std::map<std::string, Data> copy = original;
  for (int i = 0; i < 599; ++i) {
    const std::string text = std::to_string(i);
    std::get<Hash>(copy["h"]).Remove(text);
    std::get<SortedSet>(copy["z"]).Put(text, -i);
    std::get<Set>(copy["s"]).Remove("m" + text);
  }
  EXPECT_EQ(*std::get<Hash>(original.at("h")).Find("7"), "7");
  EXPECT_EQ(std::get<Hash>(original.at("h")).size(), 600U);
  EXPECT_EQ(std::get<SortedSet>(original.at("z")).Rank("598"), 598U);
  EXPECT_EQ(std::get<SortedSet>(copy["z"]).Rank("598"), 0U);
  EXPECT_TRUE(std::get<Set>(original.at("s")).Contains("m7"));
  EXPECT_EQ(std::get<Set>(copy["s"]).Members(), std::vector<std::string>{"m599"});
}

TEST(EncodingTest, LengthOrNumberEndsTheCompactEncodingForGood) {
  Hash hash;
  for (int i = 0; i < 512; ++i) hash.Set(std::to_string(i), "");
  EXPECT_TRUE(hash.compact());
  hash.Set("one more", "");
  hash.Remove("one more");
  EXPECT_FALSE(hash.compact());
  Hash wide;
  wide.Set("f", std::string(65, 'v'));
  EXPECT_FALSE(wide.compact());

  SortedSet zset;
  for (int i = 0; i < 128; ++i) zset.Put(std::to_string(i), i);
  EXPECT_TRUE(zset.compact());
  zset.Put("one more", 0);
  EXPECT_FALSE(zset.compact());

  Set set;
  for (int i = 0; i < 512; ++i) set.Add(std::to_string(i));
  EXPECT_TRUE(set.compact());
  set.Add("512");
  EXPECT_FALSE(set.compact());
  EXPECT_TRUE(set.Contains("0"));
}

TEST(EncodingTest, MinusZeroSurvivesOnlyOutsideTheCompactEncoding) {
  SortedSet zset;
  zset.Put("a", -0.0);
  EXPECT_FALSE(std::signbit(*zset.Score("a")));
  zset.EndCompact();
  zset.Put("b", -0.0);
  EXPECT_TRUE(std::signbit(*zset.Score("b")));
}

}  // namespace
}  // namespace interlock::sim::redis
