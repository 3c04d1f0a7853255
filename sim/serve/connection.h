// SPDX-License-Identifier: MIT
//
// One client's connection to a served Redis: bytes in, bytes out. It reads only when told to, so
// that nothing arrives for a client whose command is still running; it writes what it can at once
// and the rest when the peer reads, so that a slow reader delays nobody.
//
// Thread safety: none; all on the thread of its io_context.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>

#include "sim/redis/resp.h"
#include "sim/redis/server.h"

namespace interlock::sim::serve {

// The concrete executor: the type-erased default costs an indirect call for every operation.
using Executor = boost::asio::io_context::executor_type;
using Socket = boost::asio::basic_stream_socket<boost::asio::generic::stream_protocol, Executor>;

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    /// parser() has been fed.
    virtual void OnBytes(Connection& connection) = 0;
    /// The peer is gone, or everything is written after CloseWhenFlushed; the connection is closed.
    virtual void OnGone(Connection& connection) = 0;
    /// The peer has made room for what is still to be written.
    virtual void OnRoom(Connection& connection) { connection.Flush(); }
  };

  /// The owner's data about a connection.
  struct Notes {
    redis::ClientId client = 0;  ///< 0: unknown to the fake (not yet, or no longer)
    std::uint64_t serial = 0;    ///< counts connections
    std::string address;
    int executing = 0;        ///< number of its commands on the stack
    bool in_turn = false;     ///< listed for the end of this turn
    bool waiting = false;     ///< listed because it has input and its client is blocked
    bool doomed = false;      ///< to be dropped as soon as none of its commands is on the stack
    bool may_steer = false;   ///< it has given the password
    bool hanging_up = false;  ///< no further command of it is executed
    bool abandoned = false;   ///< its peer is gone; commands sent before are still to be executed
    std::optional<redis::Argv> held;            ///< a command held back by a fault
    std::optional<std::int64_t> held_until_us;  ///< nullopt: until the stall ends
  };

  Connection(Socket socket, Owner& owner) : socket_(std::move(socket)), owner_(owner) {}

  /// Waits for more bytes; no-op if already waiting, or if it will never read again.
  void Read();
  /// Writes out() as far as the peer accepts it; the rest follows automatically.
  void Flush();
  void CloseWhenFlushed();
  /// At once, discarding unwritten output. OnGone is not called.
  void Close();
  /// The same, but the peer gets an error instead of end-of-file.
  void Reset();
  /// Goes silent in both directions while staying open: later input is ignored, earlier input is
  /// not.
  void GoSilent();

  bool open() const { return socket_.is_open(); }
  bool silent() const { return silent_; }
  /// The peer must read before more can be written.
  bool awaiting_room() const { return awaiting_room_; }
  redis::RequestParser& parser() { return parser_; }
  /// Replies are appended here.
  std::string& out() { return out_; }
  std::size_t unsent() const { return out_.size() + writing_.size() - written_; }
  /// Unsent bytes that redis-server allows a subscriber for a while (client-output-buffer-limit).
  static constexpr std::size_t kSoftLimit = std::size_t{8} << 20;
  /// More is unsent than a subscriber may leave unread: so much at all, or less for too long, while
  /// it is one. `now_us` is a time of day.
  bool OverLimit(bool subscriber, std::int64_t now_us);

  Notes notes;

 private:
  void OnRead(const boost::system::error_code& error, std::size_t count);
  bool Write();
  void Gone();

  static constexpr std::size_t kReadSize = 16 * 1024;

  Socket socket_;
  Owner& owner_;
  redis::RequestParser parser_;
  std::string out_;
  std::string writing_;  // Swapped with out_, so that no byte is moved twice.
  std::size_t written_ = 0;
  std::optional<std::int64_t> over_soft_limit_since_us_;
  bool reading_ = false;
  bool awaiting_room_ = false;
  bool closing_ = false;
  bool silent_ = false;
  std::array<char, kReadSize> input_;
};

}  // namespace interlock::sim::serve
