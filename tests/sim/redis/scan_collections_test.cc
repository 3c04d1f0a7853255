// SPDX-License-Identifier: MIT
//
// HSCAN, SSCAN and ZSCAN over large collections: whoever is there all the time is met.
#include <set>

#include "tests/sim/redis/fake_fixture.h"

namespace interlock::sim::redis {
namespace {

class ScanCollectionsTest : public FakeTest {
 protected:
  void OnReply(ClientId, Value& value) override { last_ = value; }

  // Runs a whole scan, with `between` after each page; `stride` is 2 where values come along.
  template <typename Between>
  std::set<std::string> Scan(const std::string& command, std::size_t stride, Between between) {
    std::set<std::string> met;
    std::string cursor = "0";
    do {
      server_.Execute(client_, {command, "k", cursor, "COUNT", "7"});
      const Value page = last_;
      cursor = page.elements[0].text;
      const std::vector<Value>& found = page.elements[1].elements;
      for (std::size_t i = 0; i < found.size(); i += stride) met.insert(found[i].text);
      between();
    } while (cursor != "0");
    return met;
  }

  Value last_;
};

TEST_F(ScanCollectionsTest, RemovalsAndAdditionsMeanwhileHideNobodyWhoStays) {
  for (int i = 0; i < 1000; ++i) {
    server_.Execute(client_, {"SADD", "k", std::string("m").append(std::to_string(i))});
  }
  int next = 0;
  const std::set<std::string> met = Scan("SSCAN", 1, [&] {
    // The multiples of three go one after the other, and strangers come.
    for (int i = 0; i < 2; ++i, next += 3) {
      server_.Execute(client_, {"SREM", "k", std::string("m").append(std::to_string(next))});
    }
    server_.Execute(client_, {"SADD", "k", std::string("x").append(std::to_string(next))});
  });
  for (int i = 0; i < 1000; ++i) {
    if (i % 3 == 0) continue;
    EXPECT_EQ(met.count(std::string("m").append(std::to_string(i))), 1U) << i;
  }
}

TEST_F(ScanCollectionsTest, ChangesOfScoresMeanwhileHideNobody) {
  for (int i = 0; i < 300; ++i) {
    server_.Execute(client_, {"ZADD", "k", std::to_string(i), std::to_string(i)});
  }
  int next = 0;
  const std::set<std::string> met = Scan("ZSCAN", 2, [&] {
    for (int i = 0; i < 5; ++i, ++next) {
      server_.Execute(client_, {"ZADD", "k", std::to_string(1000 - next), std::to_string(next)});
    }
  });
  EXPECT_EQ(met.size(), 300U);
}

TEST_F(ScanCollectionsTest, ACompactHashIsOnePageAndALargeOneIsNot) {
  for (int i = 0; i < 512; ++i) server_.Execute(client_, {"HSET", "k", std::to_string(i), "v"});
  server_.Execute(client_, {"HSCAN", "k", "0", "COUNT", "2"});
  EXPECT_EQ(last_.elements[0].text, "0");
  EXPECT_EQ(last_.elements[1].elements.size(), 1024U);
  server_.Execute(client_, {"HSET", "k", "one more", "v"});
  server_.Execute(client_, {"HSCAN", "k", "0", "COUNT", "2"});
  EXPECT_NE(last_.elements[0].text, "0");
  EXPECT_EQ(last_.elements[1].elements.size(), 4U);
  EXPECT_EQ(Scan("HSCAN", 2, [] {}).size(), 513U);
}

TEST_F(ScanCollectionsTest, ASmallSetOfANewerServerIsOnePage) {
  const auto pages = [this](const char* dialect) {
    server_.SetDialect(*FindDialect(dialect));
    server_.Execute(client_, {"DEL", "k"});
    server_.Execute(client_, {"SADD", "k", "a", "b", "c"});
    server_.Execute(client_, {"SSCAN", "k", "0", "COUNT", "2"});
    return last_.elements[1].elements.size();
  };
  EXPECT_EQ(pages("redis-7.0"), 2U);
  EXPECT_EQ(pages("redis-8.0"), 3U);
  EXPECT_EQ(pages("valkey-8.1"), 3U);
}

TEST_F(ScanCollectionsTest, NewerServersRefuseOtherCursors) {
  const auto answers = [this](const char* dialect) {
    server_.SetDialect(*FindDialect(dialect));
    std::string all;
    for (const char* cursor : {"", "-1", " 1", "-0"}) {
      server_.Execute(client_, {"SCAN", cursor});
      all.push_back(last_.type == Value::Type::kError ? 'x' : '.');
    }
    return all;
  };
  EXPECT_EQ(answers("redis-7.0"), "..x.");
  EXPECT_EQ(answers("redis-8.0"), "xx..");
  EXPECT_EQ(answers("valkey-9.1"), "xx..");
}

TEST_F(ScanCollectionsTest, NewerServersLeaveOutValuesAndScores) {
  server_.Execute(client_, {"HSET", "h", "f", "v"});
  server_.Execute(client_, {"ZADD", "z", "1", "m"});
  const auto scan = [this](const char* dialect, const Argv& argv) {
    server_.SetDialect(*FindDialect(dialect));
    server_.Execute(client_, argv);
    return ToText(last_);
  };
  const Argv hscan = {"HSCAN", "h", "0", "NOVALUES", "COUNT", "5"};
  const Argv zscan = {"ZSCAN", "z", "0", "noscores"};
  EXPECT_EQ(scan("redis-7.0", hscan), "(error) ERR syntax error");
  EXPECT_EQ(scan("redis-8.0", hscan), "[\"0\", [\"f\"]]");
  EXPECT_EQ(scan("redis-8.0", zscan), "(error) ERR syntax error");
  EXPECT_EQ(scan("valkey-8.1", zscan), "[\"0\", [\"m\"]]");
  EXPECT_EQ(scan("valkey-8.1", {"SCAN", "0", "NOVALUES"}),
            "(error) ERR NOVALUES option can only be used in HSCAN");
  EXPECT_EQ(scan("valkey-8.1", {"HSCAN", "h", "0", "NOSCORES"}),
            "(error) ERR NOSCORES option can only be used in ZSCAN");
}

}  // namespace
}  // namespace interlock::sim::redis
