// SPDX-License-Identifier: MIT
//
// A raw connection to a real server, RESP2 or RESP3: what comes back is exactly what was on the
// wire.
//
// Thread safety: none.
#pragma once

#include <optional>
#include <string>

#include "sim/redis/resp.h"
#include "sim/redis/server.h"

namespace interlock::testing {

class WireClient {
 public:
  /// To a port of the loopback, or a Unix socket. Throws std::runtime_error if nobody listens.
  explicit WireClient(int port);
  explicit WireClient(const std::string& unix_path);
  ~WireClient();
  WireClient(const WireClient&) = delete;
  WireClient& operator=(const WireClient&) = delete;

  /// Puts the command behind those that Flush will send together.
  void Queue(const sim::redis::Argv& argv);
  void Flush();
  void Send(const sim::redis::Argv& argv);

  /// The next value; nullopt if none came within the time (0: what is there already), or closed().
  std::optional<sim::redis::Value> Read(int timeout_ms = 3000);
  /// Sends and awaits the reply; throws std::runtime_error if none comes within ten seconds.
  sim::redis::Value Call(const sim::redis::Argv& argv);
  sim::redis::Value Await();

  /// The server has hung up.
  bool closed() const { return closed_; }

 private:
  bool Fill(int timeout_ms);

  int socket_ = -1;
  bool closed_ = false;
  std::string out_;
  sim::redis::ReplyParser parser_;
};

}  // namespace interlock::testing
