// SPDX-License-Identifier: MIT
//
// `interlock serve` of a test's own: on a free loopback port, gone with the object.
//
// Thread safety: none. REQUIRES: the thread that starts it outlives it, because the kernel kills
// the server with that thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace interlock::scenarios::testing {

class ServedRedis {
 public:
  /// With --port 0 and these further arguments. Returns once it listens; port() is 0 if it does
  /// not.
  explicit ServedRedis(const std::vector<std::string>& arguments = {});
  ~ServedRedis();
  ServedRedis(const ServedRedis&) = delete;
  ServedRedis& operator=(const ServedRedis&) = delete;

  int port() const { return port_; }
  pid_t pid() const { return pid_; }
  /// What it has printed first.
  const std::string& first_line() const { return first_line_; }

  /// Waits for its end, five seconds at most: its exit code, -1 after a signal, -2: it still runs.
  int AwaitExit();

 private:
  pid_t pid_ = -1;
  int port_ = 0;
  std::string first_line_;
};

}  // namespace interlock::scenarios::testing
