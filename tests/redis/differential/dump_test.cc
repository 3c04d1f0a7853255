// SPDX-License-Identifier: MIT
//
// What the one dumps the other restores: the fake and a real server.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/redis/engine.h"
#include "sim/redis/rdb/footer.h"
#include "sim/redis/rdb/library_payload.h"
#include "tests/redis/differential/tested_server.h"
#include "tests/redis/differential/wire_client.h"
#include "tests/support/redis_server.h"

namespace interlock::testing {
namespace {

using sim::redis::Argv;
using sim::redis::ToText;
using sim::redis::Value;

using Call = std::function<Value(const Argv&)>;

class DumpTest : public ::testing::Test, private sim::redis::Sink {
 protected:
  void SetUp() override {
    sim::machine::RedisServerOptions options;
    options.arguments = {"--save", "", "--set-max-intset-entries", "20"};
    Result<std::unique_ptr<sim::machine::RedisServer>> server =
        sim::machine::RedisServer::Start(std::move(options));
    ASSERT_TRUE(server.ok()) << server.status().ToString();
    server_ = std::move(server).value();
    real_ = std::make_unique<WireClient>(server_->port());
    engine_.SetDialect(TestedDialect());
    engine_.Reset(sim::redis::FreshConfig());
    engine_.sink = this;
    engine_.SetTime(1'700'000'000'000'000);
    client_ = engine_.Connect("");
    fake_call_ = [this](const Argv& argv) {
      engine_.Execute(client_, argv);
      return std::exchange(reply_, Value());
    };
    real_call_ = [this](const Argv& argv) { return real_->Call(argv); };
    fake_call_({"CONFIG", "SET", "set-max-intset-entries", "20"});
  }

  void OnReply(sim::redis::ClientId, Value& value) override { reply_ = value; }
  void OnClosed(sim::redis::ClientId) override {}

  // All of a value, in an order of its own where Redis has none.
  static std::string Content(const Call& call, const std::string& key) {
    const std::string type = call({"TYPE", key}).text;
    if (type == "string") return ToText(call({"GET", key}));
    if (type == "list") return ToText(call({"LRANGE", key, "0", "-1"}));
    if (type == "zset") return ToText(call({"ZRANGE", key, "0", "-1", "WITHSCORES"}));
    Value members = call({type == "hash" ? "HGETALL" : "SMEMBERS", key});
    std::vector<std::string> lines;
    const std::size_t step = type == "hash" ? 2 : 1;
    for (std::size_t i = 0; i < members.elements.size(); i += step) {
      std::string line = ToText(members.elements[i]);
      if (step == 2) line += "=" + ToText(members.elements[i + 1]);
      lines.push_back(std::move(line));
    }
    std::sort(lines.begin(), lines.end());
    std::string all = type;
    for (const std::string& line : lines) all += " " + line;
    return all;
  }

  // Makes a value in both, dumps each, restores each in the other. Returns whether the dumps are
  // the same bytes.
  bool Exchange(const std::vector<Argv>& commands) {
    for (const Argv& command : commands) {
      fake_call_(command);
      real_call_(command);
    }
    const Value fake_dump = fake_call_({"DUMP", "k"});
    const Value real_dump = real_call_({"DUMP", "k"});
    const std::string content = Content(real_call_, "k");
    EXPECT_EQ(Content(fake_call_, "k"), content);
    EXPECT_EQ(ToText(real_call_({"RESTORE", "copy", "0", fake_dump.text, "REPLACE"})), "OK");
    EXPECT_EQ(ToText(fake_call_({"RESTORE", "copy", "0", real_dump.text, "REPLACE"})), "OK");
    // Not that of the value dumped: a large member that is gone leaves no trace in it.
    const std::string encoding = ToText(real_call_({"OBJECT", "ENCODING", "copy"}));
    for (const Call& call : {real_call_, fake_call_}) {
      EXPECT_EQ(Content(call, "copy"), content);
      // Nobody follows how a list of a newer server came to its encoding.
      if (!TestedDialect().since_72 || call({"TYPE", "copy"}).text != "list") {
        EXPECT_EQ(ToText(call({"OBJECT", "ENCODING", "copy"})), encoding);
      }
      call({"DEL", "k", "copy"});
    }
    return fake_dump == real_dump;
  }

  std::unique_ptr<sim::machine::RedisServer> server_;
  std::unique_ptr<WireClient> real_;
  sim::redis::Engine engine_;
  sim::redis::ClientId client_ = 0;
  Value reply_;
  Call fake_call_;
  Call real_call_;
};

// Numbers around every limit of an encoding, and texts around every length.
std::vector<std::string> Texts() {
  std::vector<std::string> texts = {
      "", "a", "-0", "007", "1.5", "12345678901", "99999999999999999999"};
  for (const int bits : {6, 7, 8, 12, 13, 15, 16, 23, 24, 31, 32, 40, 62}) {
    const std::int64_t limit = std::int64_t{1} << bits;
    for (const std::int64_t number : {limit - 1, limit, limit + 1}) {
      texts.push_back(std::to_string(number));
      texts.push_back(std::to_string(-number));
    }
  }
  texts.insert(texts.end(), {"9223372036854775807", "-9223372036854775808", "9223372036854775808"});
  return texts;
}

std::string Mixed(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text.push_back(static_cast<char>('a' + i * i % 23));
  return text;
}

TEST_F(DumpTest, ShortStringsHaveTheSameBytes) {
  for (const std::string& text : Texts()) EXPECT_TRUE(Exchange({{"SET", "k", text}})) << text;
  EXPECT_TRUE(Exchange({{"SET", "k", std::string("\0\r\n\xff", 4)}}));
}

TEST_F(DumpTest, LongStringsAreReadByBoth) {
  for (const std::size_t size : {21U, 63U, 64U, 100U, 16383U, 16384U, 70000U}) {
    Exchange({{"SET", "k", std::string(size, 'x')}});
    Exchange({{"SET", "k", Mixed(size)}});
  }
}

TEST_F(DumpTest, ListsAreReadByBoth) {
  Argv push = {"RPUSH", "k"};
  EXPECT_TRUE(Exchange({{"RPUSH", "k", "a", "1", "-5"}}));
  for (const std::string& text : Texts()) push.push_back(text);
  Exchange({push});
  for (const std::size_t size : {63U, 64U, 4095U, 4096U, 8000U, 20000U, 70000U}) {
    push.push_back(Mixed(size));
  }
  Exchange({push});
  push = {"RPUSH", "k"};
  for (int i = 0; i < 5000; ++i) push.push_back("item" + std::to_string(i));
  Exchange({push});
}

TEST_F(DumpTest, HashesSetsAndSortedSetsAreReadByBoth) {
  EXPECT_TRUE(Exchange({{"HSET", "k", "f", "v", "g", "2"}}));
  EXPECT_TRUE(Exchange({{"SADD", "k", "1", "-7", "300"}}));
  EXPECT_TRUE(Exchange({{"SADD", "k", "100000", "-7"}}));
  EXPECT_TRUE(Exchange({{"ZADD", "k", "1", "a", "2.5", "b"}}));
  Exchange({{"SADD", "k", "9000000000", "-7"}});
  Exchange({{"SADD", "k", "1", "x"}, {"SREM", "k", "x"}});
  Exchange(
      {{"ZADD", "k", "inf", "a", "-inf", "b", "1e300", "c", "0.1", "d", "1e17", "e", "-0", "f"}});
  Argv hash = {"HSET", "k"};
  Argv set = {"SADD", "k"};
  Argv zset = {"ZADD", "k"};
  int score = 0;
  for (const std::string& text : Texts()) {
    hash.insert(hash.end(), {text, "v" + text});
    set.push_back(text);
    zset.insert(zset.end(), {std::to_string(++score) + ".5", text});
  }
  for (const Argv& argv : {hash, set, zset}) Exchange({argv});
  const std::string large(100, 'z');
  Exchange({{"HSET", "k", "f", "v", "large", large}, {"HDEL", "k", "large"}});
  Exchange({{"HSET", "k", "f", large}});
  Exchange({{"ZADD", "k", "1.25", large, "inf", "b"}});
}

TEST_F(DumpTest, DamagedPayloadsAreRefusedAlike) {
  const std::string payload =
      real_call_({"SET", "k", "v"}).text == "OK" ? real_call_({"DUMP", "k"}).text : std::string();
  for (std::size_t at = 0; at < payload.size(); ++at) {
    std::string damaged = payload;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    const Argv restore = {"RESTORE", "copy", "0", damaged};
    EXPECT_EQ(ToText(fake_call_(restore)), ToText(real_call_(restore))) << at;
  }
  for (const std::string& text :
       {std::string(), std::string("x"), payload.substr(0, payload.size() - 1)}) {
    const Argv restore = {"RESTORE", "copy", "0", text};
    EXPECT_EQ(ToText(fake_call_(restore)), ToText(real_call_(restore)));
  }
}

std::string LibraryNamed(const std::string& name, const std::string& function) {
  return "#!lua name=" + name + "\nlocal " + name + " = redis.register_function\n" + name + "('" +
         function + "', function() return '" + name + "' end)";
}

// Both have the libraries of the one alone; what the one has dumped the other restores by this
// policy.
TEST_F(DumpTest, LibrariesAreReadByBoth) {
  const std::vector<std::string> first = {LibraryNamed("a", "f"), LibraryNamed("b", "g")};
  for (const std::string& second : {LibraryNamed("a", "f"), LibraryNamed("a", "h"),
                                    LibraryNamed("c", "f"), LibraryNamed("c", "h")}) {
    for (const Argv& policy : {Argv{}, Argv{"APPEND"}, Argv{"REPLACE"}, Argv{"flush"}}) {
      std::vector<std::string> seen;
      for (const auto& [from, to] :
           {std::pair(fake_call_, real_call_), std::pair(real_call_, fake_call_)}) {
        for (const Call& call : {from, to}) call({"FUNCTION", "FLUSH"});
        for (const std::string& code : first) from({"FUNCTION", "LOAD", code});
        const std::string dump = from({"FUNCTION", "DUMP"}).text;
        to({"FUNCTION", "LOAD", second});
        Argv restore = {"FUNCTION", "RESTORE", dump};
        restore.insert(restore.end(), policy.begin(), policy.end());
        seen.push_back(ToText(to(restore)));
        for (const char* name : {"a", "b", "c"}) {
          seen.back() += ToText(to({"FUNCTION", "LIST", "LIBRARYNAME", name, "WITHCODE"}));
        }
      }
      EXPECT_EQ(seen[0], seen[1]) << second;
    }
  }
}

TEST_F(DumpTest, DamagedDumpsOfLibrariesAreRefusedAlike) {
  const auto restored_alike = [this](const Argv& restore) {
    EXPECT_EQ(ToText(fake_call_(restore)), ToText(real_call_(restore)));
  };
  const std::string dump =
      sim::redis::WriteLibraries(std::vector{LibraryNamed("a", "f")}, TestedDialect());
  for (std::size_t at = 0; at < dump.size(); ++at) {
    std::string damaged = dump;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    restored_alike({"FUNCTION", "RESTORE", damaged});
  }
  // The name "a", the engine "Lua", no description.
  const std::string early("\xf6\x01\x61\x03Lua\x00", 8);
  for (std::string content : {std::string("\x00", 1), std::string("\xf5"), std::string("\xf5\x05"),
                              std::string("\xf5\x03x=1"), early, early + "\x03x=1"}) {
    for (const int version : {0, 10, 11, 12, 79, 80, 81}) {
      std::string payload = content;
      sim::redis::AppendFooter(version, &payload);
      restored_alike({"FUNCTION", "RESTORE", payload});
    }
  }
  restored_alike({"FUNCTION", "RESTORE", dump, "FLUSH", "x"});
  restored_alike({"FUNCTION", "RESTORE", dump, "x"});
  restored_alike({"FUNCTION", "RESTORE", ""});
}

}  // namespace
}  // namespace interlock::testing
