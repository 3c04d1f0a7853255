// SPDX-License-Identifier: MIT
//
// A raw RESP2 connection to a real server: what comes back is exactly what was on the wire.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "sim/redis/server.h"

namespace interlock::testing {

class WireClient {
 public:
  explicit WireClient(int port);
  ~WireClient();
  WireClient(const WireClient&) = delete;
  WireClient& operator=(const WireClient&) = delete;

  void Send(const sim::redis::Argv& argv);
  /// The next value; nullopt if none came in time or the connection is gone.
  std::optional<sim::redis::Value> Read(int timeout_ms = 3000);
  sim::redis::Value Call(const sim::redis::Argv& argv);

 private:
  bool Fill(int timeout_ms);
  bool Line(std::string* line, int timeout_ms);

  int socket_ = -1;
  std::string buffer_;
  std::size_t position_ = 0;
};

}  // namespace interlock::testing
