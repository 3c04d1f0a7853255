// SPDX-License-Identifier: MIT
//
// A real redis-server started for this object: on a free loopback port, in its own temporary
// directory, gone with the object. A server already running on the machine is neither used nor
// disturbed, and Ctrl-C does not reach this one.
//
// The binary is $INTERLOCK_REDIS_SERVER, or else `redis-server` in PATH, or else
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
#include "sim/machine/server_version.h"

namespace interlock::sim::machine {

struct RedisServerOptions {
  bool unix_socket = false;                 ///< listen on unix_path() as well
  std::vector<std::string> arguments = {};  ///< additional ones: {"--requirepass", "secret"}
  bool sentinel = false;                    ///< run as a Sentinel, with a configuration file
  bool cluster = false;                     ///< run as a node of a cluster, see bus_port()
  std::string user = {};                    ///< for Command(), if the server requires credentials
  std::string password = {};
};

class RedisServer {
 public:
  /// Of the binary that Start would start, from its --version. kUnavailable: see Start.
  static Result<ServerVersion> FindVersion();

  /// Returns once the server answers. kUnavailable: the message says what is missing and how to
  /// install it, or the server's output before it ended.
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

  /// SIGKILL, as in a crash; returns when the process is gone. Nothing really reserves the port.
  void Kill();

  /// Kills it, if still running, and restarts on the same port with the same data directory;
  /// returns when its data is loaded.
  Status Restart();

  /// Runs one command on a connection of its own; for setup and inspection in tests. A string,
  /// status or integer is returned as text, an error with its leading '-', nil as "(nil)". No
  /// arrays.
  Result<std::string> Command(const std::vector<std::string>& words);

  /// The same without waiting for a reply: for commands that keep the server busy.
  Status Post(const std::vector<std::string>& words);

  /// Number of times the server has run a command since its start or CONFIG RESETSTAT.
  std::int64_t Calls(std::string_view command);

  /// Polls until the answer contains `text`; false on a timeout. Agreement between servers takes
  /// seconds, and several times as long on a busy machine.
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
