// SPDX-License-Identifier: MIT
//
// Hazard: Redis finds the end of a line with strchr, so a NUL byte hides the rest of the line: the
// request stays incomplete until it is too long. This is reproduced.
#include <algorithm>
#include <cctype>
#include <limits>

#include "sim/redis/inline_argument.h"
#include "sim/redis/resp.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

constexpr std::string_view kInvalidLineEnd = "invalid CRLF in request";
constexpr std::size_t kMaxLine = 64 * 1024;
constexpr std::int64_t kMaxUnauthenticatedArguments = 10;
constexpr std::int64_t kMaxUnauthenticatedBulk = 16384;
// Memory kept for reuse while idle; one large command must not hold its memory for ever.
constexpr std::size_t kKeptBuffer = 256 * 1024;
constexpr std::size_t kKeptArgument = 32 * 1024;
constexpr std::size_t kKeptArguments = 1024;

bool ParseCount(std::string_view digits, std::int64_t* out) {
  if (digits.size() == 1 && digits[0] >= '0' && digits[0] <= '9') {
    *out = digits[0] - '0';
    return true;
  }
  return ParseInteger(digits, out);
}

}  // namespace

std::size_t RequestParser::buffered() const {
  return available() + (bulk_left_ > 0 ? arguments_[used_ - 1].size() : 0);
}

void RequestParser::Feed(std::string_view bytes) {
  if (end_) return;
  if (position_ == buffer_.size()) {
    if (buffer_.capacity() > kKeptBuffer) {
      buffer_ = std::string();
    } else {
      buffer_.clear();
    }
    position_ = 0;
  } else if (position_ > buffer_.size() / 2) {
    buffer_.erase(0, position_);
    position_ = 0;
  }
  buffer_.append(bytes);
  if (buffered() > limits_.query_buffer) end_ = Outcome::kClose;
}

RequestParser::Outcome RequestParser::Next(bool authenticated) {
  while (!end_ && position_ < buffer_.size()) {
    const bool multibulk = arguments_left_ > 0 || buffer_[position_] == '*';
    if (!(multibulk ? ReadMultibulk(authenticated) : ReadInline())) break;
    if (used_ > 0) return Finish();
  }
  return end_.value_or(Outcome::kNeedMore);
}

RequestParser::Outcome RequestParser::Finish() {
  arguments_.resize(used_);
  const std::string_view name = UntilNul(arguments_[0]);
  used_ = 0;
  if ((name.size() == 4 && EqualsIgnoreCase(name, "post")) ||
      (name.size() == 5 && EqualsIgnoreCase(name, "host:"))) {
    end_ = Outcome::kClose;
    return Outcome::kClose;
  }
  return Outcome::kCommand;
}

bool RequestParser::Fail(std::string_view what) {
  error_.assign("ERR Protocol error: ").append(what);
  end_ = Outcome::kProtocolError;
  return false;
}

// For the line at position_: its end is at position_ + scanned_ if it is complete.
RequestParser::Line RequestParser::FindLineEnd(char end) {
  const std::size_t limit = std::min(available(), kMaxLine + 1);
  const char* const line = buffer_.data() + position_;
  while (scanned_ < limit && line[scanned_] != end && line[scanned_] != '\0') ++scanned_;
  if (scanned_ < limit && line[scanned_] == end) return Line::kComplete;
  return available() > kMaxLine ? Line::kTooLong : Line::kPartial;
}

bool RequestParser::ReadInline() {
  const Line found = FindLineEnd('\n');
  if (found == Line::kTooLong) return Fail("too big inline request");
  if (found == Line::kPartial) return false;
  std::string_view line = std::string_view(buffer_).substr(position_, scanned_);
  position_ += scanned_ + 1;
  scanned_ = 0;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return Split(line) || Fail("unbalanced quotes in request");
}

bool RequestParser::Split(std::string_view line) {
  for (std::size_t at = 0;;) {
    while (at < line.size() && IsBlank(line[at])) ++at;
    if (at == line.size()) return true;
    const QuotesMay quotes = strict_ ? QuotesMay::kBeJoined : QuotesMay::kEndWords;
    if (!ReadInlineArgument(line, quotes, &at, &AddArgument())) return false;
  }
}

bool RequestParser::ReadMultibulk(bool authenticated) {
  if (arguments_left_ == 0 && !ReadCount(authenticated)) return false;
  while (arguments_left_ > 0) {
    if (bulk_left_ == 0 && !ReadLength(authenticated)) return false;
    if (!ReadArgument()) return false;
    --arguments_left_;
  }
  return true;
}

bool RequestParser::ReadCount(bool authenticated) {
  const Line found = FindLineEnd('\r');
  if (found == Line::kTooLong) return Fail("too big mbulk count string");
  if (found == Line::kPartial || available() < scanned_ + 2) return false;
  if (!EndsWell()) return Fail(kInvalidLineEnd);
  std::int64_t count = 0;
  const std::string_view digits = std::string_view(buffer_).substr(position_ + 1, scanned_ - 1);
  if (!ParseCount(digits, &count) || count > std::numeric_limits<std::int32_t>::max()) {
    return Fail("invalid multibulk length");
  }
  if (count > kMaxUnauthenticatedArguments && !authenticated) {
    return Fail("unauthenticated multibulk length");
  }
  position_ += scanned_ + 2;
  scanned_ = 0;
  arguments_left_ = std::max<std::int64_t>(count, 0);
  return true;
}

bool RequestParser::ReadLength(bool authenticated) {
  const Line found = FindLineEnd('\r');
  if (found == Line::kTooLong) return Fail("too big bulk count string");
  if (found == Line::kPartial || available() < scanned_ + 2) return false;
  if (const char first = buffer_[position_]; first != '$') {
    const bool line_break = first == '\r' || first == '\n';
    return Fail(std::string("expected '$', got '") + (line_break ? ' ' : first) + "'");
  }
  if (!EndsWell()) return Fail(kInvalidLineEnd);
  std::int64_t length = 0;
  const std::string_view digits = std::string_view(buffer_).substr(position_ + 1, scanned_ - 1);
  if (!ParseCount(digits, &length) || length < 0 || length > limits_.bulk_length) {
    return Fail("invalid bulk length");
  }
  if (length > kMaxUnauthenticatedBulk && !authenticated) {
    return Fail("unauthenticated bulk length");
  }
  position_ += scanned_ + 2;
  scanned_ = 0;
  bulk_left_ = static_cast<std::size_t>(length) + 2;
  AddArgument();
  return true;
}

// Takes what is there, so that a long argument is copied once, however it is split.
bool RequestParser::ReadArgument() {
  const std::size_t taken = std::min(available(), bulk_left_);
  const std::size_t payload = std::min(taken, bulk_left_ > 2 ? bulk_left_ - 2 : 0);
  arguments_[used_ - 1].append(buffer_.data() + position_, payload);
  const std::string_view rest =
      std::string_view(buffer_).substr(position_ + payload, taken - payload);
  if (strict_ && !rest.empty()) {
    if (rest.size() == 1 && bulk_left_ - payload == 2) {
      line_end_ = rest[0];
    } else if (!(rest == "\r\n" || (rest == "\n" && line_end_ == '\r'))) {
      return Fail(kInvalidLineEnd);
    }
  }
  position_ += taken;
  bulk_left_ -= taken;
  return bulk_left_ == 0;
}

std::string& RequestParser::AddArgument() {
  if (used_ == 0 && arguments_.capacity() > kKeptArguments) arguments_ = Argv();
  if (used_ == arguments_.size()) {
    arguments_.emplace_back();
  } else if (arguments_[used_].capacity() > kKeptArgument) {
    arguments_[used_] = std::string();
  } else {
    arguments_[used_].clear();
  }
  return arguments_[used_++];
}

}  // namespace interlock::sim::redis
