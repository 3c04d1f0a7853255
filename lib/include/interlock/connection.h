// SPDX-License-Identifier: MIT
//
// The second of the two seams between the library and the world: Redis connections at command
// level. Production uses HiredisConnector (interlock/hiredis_connector.h); the simulator brings its
// own.
//
// Send and Receive are the primitives, so that a caller can send to many nodes before it waits for
// the first, and a subscriber can receive pushes. Replies come in the order of the commands.
//
// A connection that failed once is broken for good: after a Receive that ran into its deadline, or
// any I/O error, every later call fails at once. A late reply can therefore never answer a later
// command.
//
// Thread safety: a Connection belongs to one task at a time; a Connector may be used from any task.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/result.h>
#include <interlock/time.h>

namespace interlock {

/// A reply of Redis (RESP2). Values are binary safe.
struct Reply {
  enum class Type : std::uint8_t {
    kNil,      ///< `$-1` or `*-1`
    kStatus,   ///< `+OK`; text
    kError,    ///< `-ERR ...` without the minus; text. A reply, not a failed call.
    kInteger,  ///< `:1`; integer
    kString,   ///< `$..`; text
    kArray,    ///< `*..`; elements
  };

  Type type = Type::kNil;
  std::int64_t integer = 0;
  std::string text;
  std::vector<Reply> elements;

  bool IsNil() const { return type == Type::kNil; }
  bool IsError() const { return type == Type::kError; }
  bool IsInteger() const { return type == Type::kInteger; }
  bool IsString() const { return type == Type::kString; }
  bool IsArray() const { return type == Type::kArray; }
  bool IsStatus(std::string_view expected) const {
    return type == Type::kStatus && text == expected;
  }
};

class Connection {
 public:
  virtual ~Connection() = default;

  /// Sends one command. Never waits for its reply, and waits until `deadline` at most for what it
  /// needs in order to send: a peer that reads, a connection to the node that owns the key. YIELDS.
  /// kUnavailable: definitely not sent (the connection was already broken, or broke before the
  /// first byte, or the deadline passed before). kUnknownOutcome: it broke while sending. Either
  /// way the connection is broken afterwards.
  virtual Status Send(std::span<const std::string_view> argv, MonotonicTime deadline) = 0;

  /// The next reply or push. YIELDS.
  /// kUnknownOutcome: the deadline passed, or the connection broke, while a reply was outstanding;
  /// the command may have taken effect. kTimeout: the deadline passed and nothing was outstanding.
  /// kUnavailable: it was broken before. All of them leave it broken.
  virtual Result<Reply> Receive(MonotonicTime deadline) = 0;

  /// The same for a command that blocks in the server. Ends early when `stop` is requested, by any
  /// task or thread: it then tells the server that nothing more will be sent, and waits until that
  /// has answered or closed, for `patience` at most. If the server answered first, that answer is
  /// returned all the same. Otherwise kUnknownOutcome; unless `patience` ran out, the server has
  /// forgotten the command, and nothing that happens there later is an answer to it. Broken
  /// afterwards in any case. YIELDS.
  virtual Result<Reply> ReceiveUnlessStopped(MonotonicTime deadline, const std::stop_token& stop,
                                             Duration patience) = 0;

  /// Sends a last command after one whose reply did not come before its deadline: the server
  /// executes it right after that one, however late that is. Its reply is dropped. Does nothing on
  /// a connection that is broken for another reason, or that cannot do it. Never waits.
  virtual void SendLast(std::span<const std::string_view> /*argv*/) {}

  virtual bool broken() const = 0;

  /// Send, then Receive. An error reply is a value, not a failed call.
  Result<Reply> Call(std::span<const std::string_view> argv, MonotonicTime deadline) {
    if (Status sent = Send(argv, deadline); !sent.ok()) return sent;
    return Receive(deadline);
  }
};

/// Makes connections that are ready for commands (authenticated, database selected).
class Connector {
 public:
  virtual ~Connector() = default;

  /// YIELDS. kUnavailable: not reached, refused, or not ready before `deadline`; kInvalidArgument:
  /// the server refused the credentials or the database number.
  virtual Result<std::unique_ptr<Connection>> Connect(MonotonicTime deadline) = 0;

  /// Where this connector leads, without credentials, for error messages:
  /// "redis://127.0.0.1:6379/0".
  virtual std::string endpoint() const = 0;
};

}  // namespace interlock
