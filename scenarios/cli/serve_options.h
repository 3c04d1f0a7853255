// SPDX-License-Identifier: MIT
//
// `interlock serve`: what it is told on the command line, and the server itself.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "reports/exit_code.h"

namespace interlock::scenarios::cli {

struct ServeOptions {
  std::vector<std::string> addresses = {"127.0.0.1"};
  int port = 6379;  ///< 0: a free one
  bool allow_remote = false;
  std::string unix_socket;
  /// Of redis.conf, by name: {"requirepass", "secret"}.
  std::vector<std::pair<std::string, std::string>> parameters;
  bool controlled_clock = false;  ///< stands still but for commands
  std::size_t max_clients = 10000;
};

/// Serves until SIGTERM, SIGINT or SHUTDOWN. The first line on stdout is "listening on
/// ADDRESS:PORT". kUsage: an address is none, or others can reach it and allow_remote is missing,
/// or a parameter is not taken; kRedisUnreachable: the address or port cannot be had.
reports::ExitCode Serve(const ServeOptions& options);

}  // namespace interlock::scenarios::cli
