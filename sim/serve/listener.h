// SPDX-License-Identifier: MIT
//
// The listening TCP and Unix-domain sockets of a served Redis; they accept during its lifetime.
//
// Thread safety: none.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>

#include "sim/serve/connection.h"

namespace interlock::sim::serve {

class Listener {
 public:
  /// `peer` is the address shown in CLIENT LIST.
  using Accepted = std::function<void(Socket socket, std::string peer)>;

  Listener(boost::asio::io_context& io, Accepted accepted);
  /// Removes the socket's file.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Port 0 takes a free one. Returns the error text on failure.
  std::optional<std::string> AddTcp(const std::string& address, int port);
  /// Replaces a socket file that has no listener.
  std::optional<std::string> AddUnix(const std::string& path);
  void Start();
  /// Removes the files of Unix-domain sockets, as the destructor does.
  void RemoveFiles();

  /// "127.0.0.1:6379", "[::1]:6379" or a path, in order of adding.
  const std::vector<std::string>& names() const { return names_; }
  /// The port of the first TCP address; 0: there is none.
  int port() const { return port_; }

 private:
  struct Place {
    Place(boost::asio::io_context& io);
    boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol, Executor> acceptor;
    boost::asio::basic_waitable_timer<std::chrono::steady_clock> pause;
    std::string unix_path;
  };
  std::optional<std::string> Add(const boost::asio::generic::stream_protocol::endpoint& endpoint,
                                 const std::string& name);
  void Accept(Place& place);
  void AcceptWaiting(Place& place);
  void Introduce(const Place& place, Socket socket);

  boost::asio::io_context& io_;
  Accepted accepted_;
  std::vector<std::unique_ptr<Place>> places_;
  std::vector<std::string> names_;
  int port_ = 0;
};

}  // namespace interlock::sim::serve
