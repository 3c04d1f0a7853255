// SPDX-License-Identifier: MIT
//
// Clients that say HELLO 3: what a server sends them arrives in the form that RESP3 has for it,
// byte for byte, and messages that nobody has asked for answer no command. A Connection of the
// library, whose replies are RESP2's, is refused by name.
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sim/redis/dialect.h"
#include "tests/sim/world_fixture.h"

namespace interlock::sim {
namespace {

/// A client of the primary that sends lines and keeps every byte that comes.
class LineClient {
 public:
  LineClient() : file_(::socket(AF_INET, SOCK_STREAM, 0)) {
    addrinfo* found = nullptr;
    EXPECT_EQ(::getaddrinfo("redis", "6379", nullptr, &found), 0);
    EXPECT_EQ(::connect(file_, found->ai_addr, found->ai_addrlen), 0);
    ::freeaddrinfo(found);
  }
  ~LineClient() { ::close(file_); }
  LineClient(const LineClient&) = delete;
  LineClient& operator=(const LineClient&) = delete;

  void Send(std::string_view line) {
    const std::string bytes = std::string(line) + "\r\n";
    EXPECT_EQ(::send(file_, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  }
  /// The next so many bytes.
  std::string Take(std::size_t size) {
    std::string got;
    while (got.size() < size) {
      char bytes[64];
      const ssize_t count = ::recv(file_, bytes, std::min(sizeof(bytes), size - got.size()), 0);
      if (count <= 0) return got + "(end)";
      got.append(bytes, static_cast<std::size_t>(count));
    }
    return got;
  }
  /// REQUIRES: RESP3 has been asked for.
  void Expect(std::string_view line, std::string_view reply) {
    Send(line);
    EXPECT_EQ(Take(reply.size()), reply) << line;
  }
  /// HELLO's reply ends with the modules, and theirs with their arguments.
  void SayHello(const redis::Dialect& dialect) {
    Send("HELLO 3");
    const std::string_view head = "%7\r\n$6\r\nserver\r\n";
    EXPECT_EQ(Take(head.size()), head);
    std::string rest;
    const std::string_view tail = dialect.module_name.empty() ? "*0\r\n" : "$4\r\nargs\r\n*0\r\n";
    while (!rest.ends_with(tail)) rest += Take(1);
  }

 private:
  const int file_;
};

void RunAll(Bench& bench) { EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished); }

WorldOptions Of(const redis::Dialect& dialect) {
  WorldOptions options = Bench::Exact();
  options.dialect = &dialect;
  return options;
}

TEST(PosixResp3Test, EachTypeArrivesInItsForm) {
  for (const redis::Dialect& dialect : redis::Dialects()) {
    SCOPED_TRACE(dialect.name);
    Bench bench(1, {}, Of(dialect));
    bench.ServePosix(0);
    bench.world->Start(0, [&dialect] {
      LineClient client;
      client.Expect("GET none", "$-1\r\n");
      client.SayHello(dialect);
      client.Expect("GET none", "_\r\n");
      client.Expect("HSET h f v", ":1\r\n");
      client.Expect("HGETALL h", "%1\r\n$1\r\nf\r\n$1\r\nv\r\n");
      client.Expect("SADD s a", ":1\r\n");
      client.Expect("SMEMBERS s", "~1\r\n$1\r\na\r\n");
      client.Expect("ZADD z 1.5 m", ":1\r\n");
      client.Expect("ZSCORE z m", ",1.5\r\n");
      client.Expect("ZRANGE z 0 -1 WITHSCORES", "*1\r\n*2\r\n$1\r\nm\r\n,1.5\r\n");
      client.Expect("CLIENT TRACKINGINFO",
                    "%3\r\n$5\r\nflags\r\n~1\r\n$3\r\noff\r\n"
                    "$8\r\nredirect\r\n:-1\r\n$8\r\nprefixes\r\n*0\r\n");
      client.Expect("SUBSCRIBE c", ">3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n");
      client.Expect("GET none", "_\r\n");  // RESP3: a subscriber may ask for anything.
      client.Expect("EVAL \"redis.setresp(3) return redis.call('HGETALL', 'h')\" 0",
                    "%1\r\n$1\r\nf\r\n$1\r\nv\r\n");
      client.Expect("HELLO 4", "-NOPROTO unsupported protocol version\r\n");
    });
    RunAll(bench);
  }
}

// The answer to its BLPOP is what was pushed, not the message that comes before.
TEST(PosixResp3Test, ABlockedClientIsToldOfTrackedKeysThatOthersChange) {
  for (const redis::Dialect& dialect : redis::Dialects()) {
    SCOPED_TRACE(dialect.name);
    Bench bench(2, {}, Of(dialect));
    bench.ServePosix(0);
    bench.world->Start(0, [&dialect] {
      LineClient client;
      client.SayHello(dialect);
      client.Expect("CLIENT TRACKING ON", "+OK\r\n");
      client.Expect("GET lock", "_\r\n");
      client.Send("BLPOP wake 0");
      const std::string_view told = ">2\r\n$10\r\ninvalidate\r\n*1\r\n$4\r\nlock\r\n";
      EXPECT_EQ(client.Take(told.size()), told);
      const std::string_view popped = "*2\r\n$4\r\nwake\r\n$1\r\nx\r\n";
      EXPECT_EQ(client.Take(popped.size()), popped);
      client.Expect("PING", "+PONG\r\n");
    });
    bench.world->Start(1, [&bench] {
      auto other = bench.Connect(1);
      bench.Sleep(1, milliseconds(50));
      EXPECT_TRUE(Call(*other, {"SET", "lock", "me", "PX", "1000"}).ok());
      EXPECT_TRUE(Call(*other, {"RPUSH", "wake", "x"}).ok());
    });
    RunAll(bench);
  }
}

// Redis 7.0 tells a client of its own message before it answers, the others afterwards.
TEST(PosixResp3Test, ThePublisherThatListensIsToldInTheServersOrder) {
  for (const redis::Dialect& dialect : redis::Dialects()) {
    SCOPED_TRACE(dialect.name);
    Bench bench(1, {}, Of(dialect));
    bench.ServePosix(0);
    bench.world->Start(0, [&dialect] {
      LineClient client;
      client.SayHello(dialect);
      client.Expect("SUBSCRIBE c", ">3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n");
      const std::string message = ">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nm\r\n";
      const std::string count = ":1\r\n";
      client.Expect("PUBLISH c m", dialect.since_72 ? count + message : message + count);
      client.Expect("PING", "+PONG\r\n");
    });
    RunAll(bench);
    EXPECT_NE(bench.observer.commands[2].find("PUBLISH c m -> (integer) 1"), std::string::npos)
        << bench.observer.commands[2];
  }
}

TEST(PosixResp3Test, AConnectionOfTheLibraryIsRefusedByName) {
  Bench bench(1);
  bench.world->Start(0, [&bench] {
    auto connection = bench.Connect(0);
    EXPECT_TRUE(Call(*connection, {"HELLO", "2"}).ok());
    EXPECT_FALSE(Call(*connection, {"HELLO", "3"}).ok());
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kUnmodelled);
  EXPECT_EQ(bench.world->unmodelled(), "HELLO 3");
}

}  // namespace
}  // namespace interlock::sim
