// SPDX-License-Identifier: MIT
//
// `interlock serve` under chance: parameters at its start, and pipelines of commands cut into
// pieces by clients that hang up in the middle. It starts or says which parameter it does not take;
// afterwards it still serves, and SIGTERM ends it with 0. INTERLOCK_SERVE_ROUNDS says how much of
// each (20), and INTERLOCK_SERVE_SEED from which seed on.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/redis/command_table.h"
#include "sim/redis/config_table.h"
#include "tests/redis/differential/wire_client.h"
#include "tests/scenarios/child_process.h"
#include "tests/sim/serve/served_redis.h"

namespace interlock::scenarios {
namespace {

using interlock::testing::WireClient;
using sim::redis::Argv;
using testing::RunChild;
using testing::ServedRedis;

constexpr const char* kHostileWords[] = {"",
                                         "0",
                                         "-1",
                                         "1",
                                         "2147483648",
                                         "9223372036854775807",
                                         "-9223372036854775808",
                                         "1gb",
                                         "yes",
                                         "no",
                                         "k",
                                         "l",
                                         "h",
                                         "nan",
                                         "inf",
                                         "*",
                                         "NX",
                                         "EX",
                                         "COUNT",
                                         "LEFT",
                                         "\r\n",
                                         "on",
                                         "off",
                                         "0.1",
                                         "return redis.call('incr',KEYS[1])",
                                         "for i=1,1e5 do end",
                                         "INTERLOCK",
                                         "WITHSCORES"};

std::uint64_t Setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : random_(seed) {}
  std::size_t Below(std::size_t bound) { return random_() % bound; }
  std::string Word() {
    if (Below(20) == 0) return std::string(Below(100000), 'x');
    return kHostileWords[Below(std::size(kHostileWords))];
  }

 private:
  std::mt19937_64 random_;
};

std::vector<std::string> StartParameters(Chance* chance) {
  std::vector<std::string> arguments;
  const auto parameters = sim::redis::Parameters();
  for (std::size_t left = 1 + chance->Below(3); left > 0; --left) {
    const auto& parameter = parameters[chance->Below(parameters.size())];
    const std::string value =
        chance->Below(2) == 0 ? std::string(parameter.fresh) : chance->Word().substr(0, 1000);
    arguments.emplace_back("--config");
    arguments.push_back(std::string(parameter.name) + "=" + value);
  }
  return arguments;
}

// Whole commands, torn ones and no commands at all; nothing that ends or pauses the server.
std::string Pipeline(Chance* chance) {
  const auto commands = sim::redis::KnownCommands(sim::redis::DefaultDialect());
  std::string bytes;
  for (std::size_t left = 1 + chance->Below(30); left > 0; --left) {
    const std::string name(commands[chance->Below(commands.size())].name);
    if (name == "shutdown" || name == "debug" || name == "client|pause") continue;
    Argv argv = {name.substr(0, name.find('|'))};
    if (name.find('|') != std::string::npos) argv.push_back(name.substr(name.find('|') + 1));
    for (std::size_t words = chance->Below(6); words > 0; --words) argv.push_back(chance->Word());
    bytes += "*" + std::to_string(argv.size()) + "\r\n";
    for (const std::string& word : argv) {
      bytes += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
    }
    if (chance->Below(30) == 0) bytes += chance->Word();
  }
  if (chance->Below(2) == 0) bytes.resize(chance->Below(bytes.size() + 1));
  return bytes;
}

// Sends it in pieces, reads nothing, and is gone: with a reset if so much was left unread.
void SendAndHangUp(int port, std::string_view bytes, Chance* chance) {
  const int connection = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  const timeval patience{.tv_sec = 1, .tv_usec = 0};
  setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
  while (!bytes.empty()) {
    constexpr std::size_t kSizes[] = {1, 7, 100, 4096, 1000000};
    const std::size_t size = std::min(kSizes[chance->Below(std::size(kSizes))], bytes.size());
    const ssize_t sent = send(connection, bytes.data(), size, MSG_NOSIGNAL);
    if (sent <= 0) break;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  close(connection);
}

// The server has been asked to stop service in ways that only its control commands undo.
void ExpectService(int port) {
  WireClient client(port);
  client.Call({"INTERLOCK.FAULT", "CLEAR"});
  client.Call({"CLIENT", "UNPAUSE"});
  client.Call({"REPLICAOF", "NO", "ONE"});
  EXPECT_EQ(sim::redis::ToText(client.Call({"ECHO", "still here"})), "\"still here\"");
}

TEST(HostileInputTest, ItStartsOrSaysWhichParameterItDoesNotTake) {
  const std::uint64_t first = Setting("INTERLOCK_SERVE_SEED", 1);
  for (std::uint64_t seed = first; seed < first + Setting("INTERLOCK_SERVE_ROUNDS", 20); ++seed) {
    Chance chance(seed);
    const std::vector<std::string> arguments = StartParameters(&chance);
    ServedRedis served(arguments);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + sim::redis::ToText(arguments));
    if (served.port() != 0) {
      kill(served.pid(), SIGTERM);
      EXPECT_EQ(served.AwaitExit(), 0);
      continue;
    }
    EXPECT_EQ(served.AwaitExit(), 64);
    std::vector<std::string> words = {INTERLOCK_PROGRAM, "serve", "--port", "0"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const std::string said = RunChild(words).err;
    EXPECT_TRUE(std::any_of(arguments.begin(), arguments.end(), [&](const std::string& argument) {
      const std::string name = argument.substr(0, argument.find('='));
      return name != "--config" && said.find("--config " + name) != std::string::npos;
    })) << said;
  }
}

TEST(HostileInputTest, PipelinesInPiecesLeaveTheServerServing) {
  const std::uint64_t first = Setting("INTERLOCK_SERVE_SEED", 1);
  ServedRedis served;
  for (std::uint64_t seed = first; seed < first + Setting("INTERLOCK_SERVE_ROUNDS", 20); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Chance chance(seed);
    for (int i = 0; i < 4; ++i) SendAndHangUp(served.port(), Pipeline(&chance), &chance);
    ExpectService(served.port());
    if (::testing::Test::HasFailure()) break;
  }
  kill(served.pid(), SIGTERM);
  EXPECT_EQ(served.AwaitExit(), 0);
}

}  // namespace
}  // namespace interlock::scenarios
