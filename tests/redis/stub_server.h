// SPDX-License-Identifier: MIT
//
// Servers that misbehave on purpose, on a free loopback port: a scripted one, and a proxy before a
// real redis-server that loses chosen replies after the server has executed the command.
//
// Thread safety: as far as the comments say; each connection is served by a thread of its own.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace interlock::testing {

/// Sends everything, or as much as the peer takes.
void SendAll(int fd, std::string_view bytes);

/// Reads until `text` has been seen in what the peer sent, or it closed; returns all that was read.
std::string ReadUntil(int fd, std::string_view text);

/// Lets the peer wait until it closes the connection itself.
void DrainUntilClosed(int fd);

class StubServer {
 public:
  /// `serve(fd)` runs once per connection, which is closed when it returns.
  explicit StubServer(std::function<void(int fd)> serve);
  /// Cuts all connections, and waits for their threads.
  ~StubServer();
  StubServer(const StubServer&) = delete;
  StubServer& operator=(const StubServer&) = delete;

  int port() const { return port_; }
  std::string url() const;
  int connections() const { return connections_; }

 private:
  void Accept();

  std::function<void(int)> serve_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> connections_ = 0;
  std::mutex mutex_;
  std::vector<int> open_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

class LossyProxy {
 public:
  explicit LossyProxy(int server_port);

  /// The next command that contains `text` is executed by the server, but its reply is lost: the
  /// client's connection is cut instead. Call again for a further one. Thread safe.
  void LoseReplyTo(std::string text);

  int lost() const { return lost_; }
  std::string url() const { return stub_.url(); }

 private:
  void Serve(int client);
  bool TakeLoss(std::string_view request);

  const int server_port_;
  std::mutex mutex_;
  std::vector<std::string> to_lose_;
  std::atomic<int> lost_ = 0;
  StubServer stub_;
};

}  // namespace interlock::testing
