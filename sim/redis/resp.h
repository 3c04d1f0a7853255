// SPDX-License-Identifier: MIT
//
// Redis' wire protocol, RESP2 and RESP3, in both directions: bytes and values, no sockets.
// redis-server 7.0.15 is the specification, including malformed input and limits.
//
//   parser.Feed(bytes);
//   while (parser.Next(authenticated) == RequestParser::Outcome::kCommand) {
//     server.Execute(client, parser.command());  // its replies: AppendReply(value, version, &out)
//   }
//
// Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/dialect.h"
#include "sim/redis/server.h"

namespace interlock::sim::redis {

/// Parses what a server reads. The same commands result however the bytes are split. Memory grows
/// with the bytes received, never with an announced length.
class RequestParser {
 public:
  struct Limits {
    std::size_t query_buffer = std::size_t{1} << 30;   ///< bytes; client-query-buffer-limit
    std::int64_t bulk_length = std::int64_t{1} << 29;  ///< bytes; proto-max-bulk-len
  };
  enum class Outcome : std::uint8_t {
    kCommand,        ///< command() holds it; never empty
    kNeedMore,       ///< nothing complete is left
    kProtocolError,  ///< send error() as the last reply, then hang up; final
    /// Hang up at once, dropping replies not yet written: an HTTP request (POST, Host:) that a page
    /// made a browser send, or a full query buffer. Final.
    kClose,
  };

  RequestParser() = default;
  explicit RequestParser(Limits limits) : limits_(limits) {}

  /// By default it reads like Redis 7.0.
  void SetDialect(const Dialect& dialect) { strict_ = dialect.IsIn(kValkeyFrom90); }

  void Feed(std::string_view bytes);
  /// Takes the next command. Unauthenticated clients have narrower limits, so the caller passes the
  /// state for each command, and does not call while the client is blocked.
  Outcome Next(bool authenticated);

  /// REQUIRES: Next returned kCommand. Valid until the next call of Next; may be moved from.
  Argv& command() { return arguments_; }
  /// "ERR Protocol error: ..." REQUIRES: Next returned kProtocolError.
  const std::string& error() const { return error_; }

  /// Bytes received and not yet consumed: what Redis has in its query buffer.
  std::size_t buffered() const;

 private:
  enum class Line : std::uint8_t { kComplete, kPartial, kTooLong };

  std::size_t available() const { return buffer_.size() - position_; }
  Line FindLineEnd(char end);
  bool ReadInline();
  bool ReadMultibulk(bool authenticated);
  bool ReadCount(bool authenticated);
  bool ReadLength(bool authenticated);
  bool ReadArgument();
  std::string& AddArgument();
  bool Split(std::string_view line);
  bool Fail(std::string_view what);
  Outcome Finish();

  /// Whether the line at position_ ends in CRLF. REQUIRES: both bytes are there.
  bool EndsWell() const { return !strict_ || buffer_[position_ + scanned_ + 1] == '\n'; }

  Limits limits_;
  bool strict_ = false;  // Ends of lines are checked, and quoted parts of words may be joined.
  std::string buffer_;
  std::size_t position_ = 0;  // In buffer_: the first byte not consumed.
  std::size_t scanned_ = 0;   // Number of bytes from position_ on without a line end.
  Argv arguments_;            // The first used_ belong to the command being read.
  std::size_t used_ = 0;
  std::int64_t arguments_left_ = 0;
  std::size_t bulk_left_ = 0;  // Bytes left of the argument being read, including its line end.
  char line_end_ = 0;          // The first of the two, if it has come alone.
  std::string error_;
  std::optional<Outcome> end_;
};

/// Encodes a reply for a connection that speaks RESP2 or RESP3 (`version` 2 or 3). Types missing in
/// RESP2 are converted as by ToResp2 (reply.h); the null array is null in RESP3. REQUIRES: no line
/// breaks in statuses and errors (see OneLine in text.h).
void AppendReply(const Value& value, int version, std::string* out);

/// Encodes a command, as clients do.
void AppendCommand(const Argv& argv, std::string* out);

/// Parses what a client reads: replies and pushes in order of arrival, in either version.
class ReplyParser {
 public:
  void Feed(std::string_view bytes);
  /// nullopt: not complete yet, or malformed(). A null array stays kNilArray.
  std::optional<Value> Next();
  bool malformed() const { return malformed_; }
  /// Whether an incomplete reply has begun, or complete ones wait.
  bool HasBytes() const { return position_ < buffer_.size() || !open_.empty(); }

 private:
  struct Open {
    Value value;
    std::size_t left;
  };

  bool ReadLine(std::string_view* line);
  bool ReadValue(Value* value, std::size_t* elements);
  bool ReadBulk(std::string_view length, Value* value);
  bool ReadCount(std::string_view count, Value::Type type, Value* value, std::size_t* elements);
  bool Malformed();

  std::string buffer_;
  std::size_t position_ = 0;
  std::vector<Open> open_;  // Incomplete aggregates, the outermost first.
  bool malformed_ = false;
};

}  // namespace interlock::sim::redis
