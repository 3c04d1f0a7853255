// SPDX-License-Identifier: MIT
//
// A real redis-server of one's own: on a free loopback port, in a temporary directory of its own,
// gone with the object. A server that is already running on the machine is neither used nor
// disturbed, and Ctrl-C does not reach this one.
//
// The binary is $INTERLOCK_REDIS_SERVER, else `redis-server` in PATH, else
// /usr/bin/redis-check-rdb: Debian's package redis-tools installs the whole server under that name,
// without a service.
//
// Thread safety: none. REQUIRES: the thread that starts a server outlives it, because the kernel
// kills the server with that thread, so that a crashed test leaves no server behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/result.h>

#include "sim/machine/folder_guard.h"

namespace interlock::sim::machine {

struct RedisServerOptions {
  bool unix_socket = false;                 ///< listen on unix_path() as well
  std::vector<std::string> arguments = {};  ///< further ones: {"--requirepass", "secret"}
  bool sentinel = false;                    ///< be a Sentinel, with a configuration file
  bool cluster = false;                     ///< be a node of a cluster, see bus_port()
  std::string user = {};                    ///< for Command(), when the server wants credentials
  std::string password = {};
};

class RedisServer {
 public:
  /// Returns once the server answers. kUnavailable: the message says what is missing, and how to
  /// install it, or what the server wrote before it ended.
  static Result<std::unique_ptr<RedisServer>> Start(RedisServerOptions options = {});

  ~RedisServer();
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  int port() const { return port_; }
  int bus_port() const { return bus_port_; }  ///< where other nodes of a cluster reach it
  pid_t pid() const { return pid_; }
  std::string unix_path() const { return directory() + "/redis.sock"; }
  const std::string& directory() const { return folder_->path(); }
  std::string url(int database = 0) const;

  /// SIGSTOP and SIGCONT: the server keeps its connections, and the kernel keeps accepting new
  /// ones.
  void Pause();
  void Resume();

  /// SIGKILL, as in a crash; returns when the process is gone. The port stays reserved in name
  /// only.
  void Kill();

  /// Kill, if it still runs, and start again on the same port with the same data directory; returns
  /// when its data is loaded.
  Status Restart();

  /// One command on a connection of its own; for what tests look at and set up. A string, status or
  /// integer comes back as its text, an error with its leading '-', nil as "(nil)". No arrays.
  Result<std::string> Command(const std::vector<std::string>& words);

  /// The same without waiting for a reply: for what keeps the server busy.
  Status Post(const std::vector<std::string>& words);

  /// How often the server has run a command since it started, or since CONFIG RESETSTAT.
  std::int64_t Calls(std::string_view command);

  /// Asks until the answer contains `text`; false if it did not in time. Servers that agree among
  /// themselves take seconds, and several times as long on a machine that has much else to do.
  bool Comes(const std::vector<std::string>& words, std::string_view text,
             std::chrono::milliseconds within = std::chrono::seconds(10));

  /// Waits until `count` clients are blocked in the server; false after five seconds.
  bool AwaitBlockedClients(int count);

 private:
  RedisServer(std::string binary, std::unique_ptr<FolderGuard> folder, RedisServerOptions options);

  Status Launch();
  Status AwaitReady();
  bool HasEnded();
  std::string LogTail() const;

  const std::string binary_;
  const std::unique_ptr<FolderGuard> folder_;
  const RedisServerOptions options_;
  int port_ = 0;
  int bus_port_ = 0;
  pid_t pid_ = -1;
};

}  // namespace interlock::sim::machine
