// SPDX-License-Identifier: MIT
//
// Malformed and unusual bytes to a real redis-server 7.0 and to the fake behind RequestParser and
// AppendReply: the same bytes must come back, and the connection must be closed at the same moment.
// Every input is tried with and without a password that the client has not given.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/reply.h"
#include "sim/redis/resp.h"
#include "sim/redis/server.h"
#include "tests/redis/differential/tested_server.h"
#include "tests/support/redis_server.h"

namespace interlock::testing {
namespace {

using namespace std::string_literals;
using sim::redis::RequestParser;
using sim::redis::Value;

using Pieces = std::vector<std::string>;

// What one side answered so far.
struct Answer {
  std::string bytes;
  bool closed = false;
  bool operator==(const Answer&) const = default;
};

class Socket {
 public:
  explicit Socket(int port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    (void)::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    EXPECT_EQ(::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  ~Socket() { ::close(fd_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  void Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;  // The server has hung up: Receive sees that.
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  // What has arrived; waits for something if `wait`.
  void Receive(bool wait, Answer* answer) {
    std::array<char, 65536> chunk;
    for (;;) {
      const ssize_t got = ::recv(fd_, chunk.data(), chunk.size(), wait ? 0 : MSG_DONTWAIT);
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
      answer->closed = answer->closed || got <= 0;
      if (got <= 0) return;
      answer->bytes.append(chunk.data(), static_cast<std::size_t>(got));
      if (wait) return;
    }
  }

 private:
  int fd_;
};

// Knows without waiting that the server has read everything: it serves its connections in turn, a
// buffer of at least 16 KiB of each, so enough round trips on another one are enough.
class RealSide {
 public:
  explicit RealSide(int port) : port_(port), control_(port) {}

  void Connect() { socket_ = std::make_unique<Socket>(port_); }
  void Send(const std::string& piece, Answer* answer) {
    socket_->Send(piece);
    for (std::size_t turn = 0; turn < piece.size() / 16384 + 3; ++turn) {
      control_.Send("PING\r\n");
      Answer pong;
      control_.Receive(true, &pong);
      ASSERT_FALSE(pong.closed);
    }
    socket_->Receive(false, answer);
  }

 private:
  int port_;
  Socket control_;
  std::unique_ptr<Socket> socket_;
};

class FakeSide : private sim::redis::Sink {
 public:
  explicit FakeSide(const std::string& password, RequestParser::Limits limits) : limits_(limits) {
    server_.SetSink(this);
    server_.SetDialect(TestedDialect());
    server_.SetTime(1'700'000'000'000'000);
    EXPECT_EQ(server_.Configure("requirepass", password), "");
  }

  void Connect() {
    client_ = server_.Connect();
    parser_ = RequestParser(limits_);
  }
  void Send(const std::string& piece, Answer* answer) {
    if (answer->closed) return;
    output_.clear();
    closed_ = false;
    parser_.Feed(piece);
    while (!closed_) {
      const RequestParser::Outcome outcome = parser_.Next(server_.IsAuthenticated(client_));
      if (outcome == RequestParser::Outcome::kNeedMore) break;
      if (outcome == RequestParser::Outcome::kCommand) {
        server_.Execute(client_, parser_.command());
        continue;
      }
      closed_ = true;
      if (outcome == RequestParser::Outcome::kClose) {
        output_.clear();
      } else {
        Value error = sim::redis::ErrorValue(parser_.error());
        OnReply(client_, error);
      }
    }
    answer->bytes += output_;
    answer->closed = closed_;
  }

 private:
  void OnReply(sim::redis::ClientId, Value& value) override {
    sim::redis::AppendReply(value, server_.ProtocolOf(client_), &output_);
  }
  void OnClosed(sim::redis::ClientId) override { closed_ = true; }

  RequestParser::Limits limits_;
  sim::redis::Server server_;
  sim::redis::ClientId client_ = 0;
  RequestParser parser_;
  std::string output_;
  bool closed_ = false;
};

// Client ids are no server's promise: the number behind the key `id` in HELLO's reply goes.
std::string WithoutIds(std::string bytes) {
  constexpr std::string_view kKey = "$2\r\nid\r\n:";
  for (std::size_t at = 0; (at = bytes.find(kKey, at)) != std::string::npos;) {
    at += kKey.size();
    bytes.erase(at, bytes.find('\r', at) - at);
  }
  return bytes;
}

class ProtocolDifferential : public ::testing::Test {
 protected:
  // Pairs of sides: without a password and with one.
  void Start(std::vector<std::string> arguments = {}, RequestParser::Limits limits = {}) {
    for (const std::string password : {"", "secret"}) {
      sim::machine::RedisServerOptions options;
      options.arguments = arguments;
      if (!password.empty()) {
        options.arguments.insert(options.arguments.end(), {"--requirepass", password});
        options.user = "default";
        options.password = password;
      }
      Result<std::unique_ptr<sim::machine::RedisServer>> server =
          sim::machine::RedisServer::Start(options);
      ASSERT_TRUE(server.ok()) << server.status().message();
      servers_.push_back(std::move(*server));
      real_.push_back(std::make_unique<RealSide>(servers_.back()->port()));
      fake_.push_back(std::make_unique<FakeSide>(password, limits));
    }
  }

  void Compare(const Pieces& pieces) {
    for (std::size_t side = 0; side < real_.size(); ++side) {
      real_[side]->Connect();
      fake_[side]->Connect();
      Answer real;
      Answer fake;
      std::string sent;
      for (const std::string& piece : pieces) {
        sent += piece;
        real_[side]->Send(piece, &real);
        fake_[side]->Send(piece, &fake);
        if (HasFatalFailure()) return;
        ASSERT_EQ(WithoutIds(fake.bytes), WithoutIds(real.bytes)) << Shown(sent, side);
        ASSERT_EQ(fake.closed, real.closed) << Shown(sent, side);
      }
    }
  }

 private:
  static std::string Shown(const std::string& sent, std::size_t side) {
    return (side == 0 ? "no password, " : "password, ") + std::to_string(sent.size()) +
           " bytes: " + sim::redis::ToText({sent.substr(0, 300)});
  }

  std::vector<std::unique_ptr<sim::machine::RedisServer>> servers_;
  std::vector<std::unique_ptr<RealSide>> real_;
  std::vector<std::unique_ptr<FakeSide>> fake_;
};

const std::vector<Pieces>& CountsAndLengths() {
  static const std::vector<Pieces> kInputs = {
      {"*1\r\n$4\r\nPING\r\n"},
      {"*1\rX$4\rXPINGab*1\r\n$4\r\nPING\r\n"},
      {"*", "1", "\r", "\n", "$", "4", "\r", "\n", "P", "ING", "\r", "\n"},
      {"*0\r\n*-1\r\n*-2147483649\r\nPING\r\n"},
      {"*abc\r\n"},
      {"*\r\nPING\r\n"},
      {"*01\r\n"},
      {"*+1\r\n"},
      {"*-0\r\n"},
      {"* 1\r\n"},
      {"*1 \r\n"},
      {"*1.0\r\n"},
      {"*0x1\r\n"},
      {"*1\n$4\r\nPING\r\n"},
      {"*2147483647\r\n$4\r\nECHO\r\n"},
      {"*2147483648\r\n"},
      {"*9223372036854775807\r\n"},
      {"*9223372036854775808\r\n"},
      {"*-9223372036854775808\r\nPING\r\n"},
      {"*-9223372036854775809\r\n"},
      {"*99999999999999999999999\r\n"},
      {"*1\0\r\nPING\r\n"s},
      {"*1\r\n\0"s, "$4\r\nPING\r\n"},
      {"*1\r\n$-1\r\n"},
      {"*1\r\n$abc\r\n"},
      {"*1\r\n$\r\n"},
      {"*1\r\n$04\r\nPING\r\n"},
      {"*1\r\n$+4\r\nPING\r\n"},
      {"*1\r\n$536870912\r\nabc"},
      {"*1\r\n$536870913\r\n"},
      {"*1\r\n$9223372036854775808\r\n"},
      {"*1\r\n:4\r\nPING\r\n"},
      {"*1\r\nPING\r\n"},
      {"*1\r\n\r\n"},
      {"*1\r\n\nPING\r\n"},
      {"*1\r\n \r\n"},
      {"*1\r\n\xff\r\n"},
      {"*1\r\n'\r\n"},
      {"*1\r\n*1\r\n"},
      {"*1\r\n4\r\n"},
      {"*1\r\n$0\r\n\r\nPING\r\n"},
      {"*2\r\n$4\r\nECHO\r\n$4\r\n\0\r\n*\r\n"s},
      {"*2\r\n$4\r\nECHO\r\n$5\r\nab\r\nc\r\nPING\r\n"},
      {"*2\r\n$4\r\nECHO\r\n$2\r\nabc\r\n*1\r\n"},
      {"*3\r\n$4\r\nECHO\r\n$1\r\na\r\n:1\r\n"},
      {"PING\r\n*1\r\n$x\r\nPING\r\n"},
      {"*1\r\n$3\r\nfoo\r\n*2\r\n$3\r\nfoo\r\n$3\r\nb\na\r\n"},
      {"*10\r\n$4\r\nPING\r\n"},
      {"*11\r\n$4\r\nPING\r\n"},
      {"*2\r\n$4\r\nAUTH\r\n$16384\r\n", "aaa"},
      {"*2\r\n$4\r\nECHO\r\n$16385\r\n", std::string(16385, 'b') + "\r\n"},
      {"AUTH secret\r\n*11\r\n$4\r\nPING\r\n"},
      {"AUTH wrong\r\n*11\r\n$4\r\nPING\r\n"},
      {"HELLO 2 AUTH default secret\r\n*2\r\n$4\r\nECHO\r\n$16385\r\n", "c"},
  };
  return kInputs;
}

const std::vector<Pieces>& Lines() {
  static const std::vector<Pieces> kInputs = {
      {"PING\r\n"},
      {"PING\n"},
      {"PING\r\r\n"},
      {"\r\n\n \r\n\t\nPING\r\n"},
      {"\v\fPING\r\n"},
      {"PING\f\r\n"},
      {"ECHO a\vb\r\n"},
      {"PI", "NG\r", "\n"},
      {"ECHO\ta\r\n"},
      {"ECHO \"a b\"\r\n"},
      {"ECHO \"\\x41\\x4\\xg1\\n\\r\\t\\b\\a\\q\\\"\"\r\n"},
      {"ECHO 'a\\'b\\n\"'\r\n"},
      {"ECHO a\"b\"\r\n"},
      {"ECHO a'b c'\r\n"},
      {"ECHO \"\"\r\n"},
      {"ECHO ''\r\n"},
      {"\"\"\r\n"},
      {"ECHO \"a\r\n"},
      {"ECHO 'a\r\n"},
      {"ECHO \"a\"b\r\n"},
      {"ECHO 'a'b\r\n"},
      {"ECHO \"a\"\vPING\r\n"},
      {"ECHO \"a\\\r\n"},
      {"ECHO 'a\\\r\n"},
      {"ECHO a\"\r\n"},
      {"ECHO \"\\x00\\xff\"\r\n"},
      {"ECHO \xff\xfe\r\n"},
      {"PI\0NG\r\nPING\r\n"s, std::string(65000, '\n'), std::string(600, '\n')},
      {"$4\r\nPING\r\n"},
      {":1\r\n"},
      {"+OK\r\n"},
      {"foo bar 'b z'\r\nfoo\r\n"},
      {"foo \"a\\r\\nb\"\r\n"},
      {"\"fo\\r\\no\" \"\\x00\" a\r\n"},
      {"PING a b c\r\nGET\r\n"},
      {"QUIT\r\nPING\r\n"},
      {"quit\r\n", "PING\r\n"},
      {"POST / HTTP/1.1\r\nPING\r\n"},
      {"PING\r\nHost: localhost\r\nPING\r\n"},
      {"PING\r\n", "post\r\n"},
      {"*1\r\n$6\r\npost\0a\r\n"s},
      {"*2\r\n$5\r\nHOST:\r\n$0\r\n\r\n"},
      {"HOST\r\nPOSTS\r\nGET / HTTP/1.1\r\n"},
      {"MULTI\r\nPOST\r\nEXEC\r\n"},
      {std::string(65536, 'a')},
      {std::string(65536, 'a'), "\n"},
      {std::string(65536, 'a'), "a"},
      {"*" + std::string(65535, '1')},
      {"*" + std::string(65535, '1'), "1"},
      {"*" + std::string(65534, '1'), "\r", "\n"},
      {"*1\r\n", "$" + std::string(65535, '1')},
      {"*1\r\n", "$" + std::string(65535, '1'), "1"},
      {"*1\r\n", "$" + std::string(65534, '1'), "\r", "\n"},
      {"*1\r\n", std::string(65535, 'x'), "\r\n"},
      {"HELLO 3\r\nGET missing\r\nHELLO 2\r\nGET missing\r\n*x\r\n"},
  };
  return kInputs;
}

TEST_F(ProtocolDifferential, CountsAndLengthsAreReadAlike) {
  Start();
  for (const Pieces& pieces : CountsAndLengths()) Compare(pieces);
}

TEST_F(ProtocolDifferential, LinesAreReadAlike) {
  Start();
  for (const Pieces& pieces : Lines()) Compare(pieces);
}

TEST_F(ProtocolDifferential, LimitsThatAreSetAreKeptAlike) {
  Start({"--proto-max-bulk-len", "1048576", "--client-query-buffer-limit", "1048576"},
        {.query_buffer = 1048576, .bulk_length = 1048576});
  Compare({"*1\r\n$1048576\r\n", "abc"});
  Compare({"*1\r\n$1048577\r\n"});
  Compare({"AUTH secret\r\n*2\r\n$4\r\nECHO\r\n$1048576\r\n", std::string(1048000, 'a'),
           std::string(576, 'a'), "a"});
}

// Words that make many inputs almost well-formed.
TEST_F(ProtocolDifferential, RandomBytesAreReadAlike) {
  Start();
  const std::vector<std::string> words = {
      "*1\r\n", "*2\r\n", "*3\r\n", "*0\r\n", "*11\r\n", "$4\r\n", "$0\r\n", "$1\r\n",     "PING",
      "ECHO",   "\r\n",   "\n",     "\r",     "\0"s,     " ",      "\"",     "'",          "\\",
      "x41",    "a",      "*",      "$",      ":",       "-1",     "1",      "AUTH secret"};
  std::mt19937 random(7);
  for (int run = 0; run < 1500 && !HasFailure(); ++run) {
    Pieces pieces(1 + random() % 3);
    for (std::string& piece : pieces) {
      for (std::size_t left = 1 + random() % 8; left > 0; --left) {
        const std::string& word = words[random() % words.size()];
        if (word == "PING" || word == "ECHO") piece += random() % 2 == 0 ? "$4\r\n" : "";
        piece += word;
      }
    }
    Compare(pieces);
  }
}

}  // namespace
}  // namespace interlock::testing
