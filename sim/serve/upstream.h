// SPDX-License-Identifier: MIT
//
// A connection to a real server on behalf of a client that is relayed to it: commands out, raw
// replies in. Commands are written as the server accepts them.
//
// Non-guarantee: connecting, and AUTH and SELECT of the server's URL, block for up to two seconds.
// Thread safety: none; all on the thread of its io_context.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>

#include <interlock/hiredis_connector.h>
#include <interlock/result.h>

#include "sim/redis/server.h"
#include "sim/serve/connection.h"

namespace interlock::sim::serve {

class Upstream : public std::enable_shared_from_this<Upstream> {
 public:
  /// Bytes of replies; nullopt: the server has closed.
  using OnBytes = std::function<void(std::optional<std::string_view>)>;

  /// kUnavailable: nobody answers there; kInvalidArgument: the server refuses the credentials or
  /// the database. REQUIRES: not by TLS.
  static Result<std::shared_ptr<Upstream>> Connect(boost::asio::io_context& io,
                                                   const HiredisOptions& server, OnBytes on_bytes);
  explicit Upstream(Socket socket) : socket_(std::move(socket)) {}

  void Send(const redis::Argv& argv);
  /// At once. `on_bytes` is not called any more.
  void Close();
  /// This end as the server sees it: "127.0.0.1:40312"; empty on a Unix socket.
  std::string address() const;

 private:
  Status GetReady(const HiredisOptions& server);
  Status Ask(const redis::Argv& argv);
  void Read();
  void Write();

  Socket socket_;
  OnBytes on_bytes_;
  std::string out_;
  std::string writing_;  // Swapped with out_, as it must not move while it is written.
  std::array<char, 16 * 1024> input_{};
};

}  // namespace interlock::sim::serve
