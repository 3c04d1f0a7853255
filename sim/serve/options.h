// SPDX-License-Identifier: MIT
//
// A served Redis as a program: its options, and the loop that serves until a signal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/redis/dialect.h"

namespace interlock::sim::serve {

struct ServeOptions {
  std::vector<std::string> addresses = {"127.0.0.1"};
  int port = 6379;  ///< 0: a free one
  bool allow_remote = false;
  std::string unix_socket;
  const redis::Dialect* dialect = &redis::DefaultDialect();
  /// Parameters of redis.conf, by name: {"requirepass", "secret"}.
  std::vector<std::pair<std::string, std::string>> parameters;
  bool controlled_clock = false;  ///< the clock moves only by commands
  std::size_t max_clients = 10000;
};

/// How Serve ended.
enum class ServeEnd : std::uint8_t {
  kStopped,  ///< by SIGTERM, SIGINT or SHUTDOWN
  kRefused,  ///< an address is invalid, or reachable by others without allow_remote, or a parameter
             ///< is refused
  kNoAddress,  ///< the address or port is not available
  kNoOutput,   ///< `print` failed
  kFailed,     ///< by a bug
};

/// Where a served Redis reports to.
struct ServeOutput {
  /// Prints output that the user waits for; false: it cannot be written.
  std::function<bool(std::string_view)> print;
  /// Prints other information, a line without its end.
  std::function<void(std::string_view)> notice;
};

/// Serves until SIGTERM, SIGINT or SHUTDOWN. The first line printed is "listening on ADDRESS:PORT";
/// the last notice tells why it ended otherwise.
ServeEnd Serve(const ServeOptions& options, const ServeOutput& output);

}  // namespace interlock::sim::serve
