// SPDX-License-Identifier: MIT
#include <array>
#include <charconv>
#include <utility>

#include "sim/redis/reply.h"
#include "sim/redis/resp.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

using Type = Value::Type;

void AppendNumberLine(char type, std::int64_t number, std::string* out) {
  std::array<char, 24> line;
  line[0] = type;
  char* end = std::to_chars(line.data() + 1, line.data() + line.size(), number).ptr;
  *end++ = '\r';
  *end++ = '\n';
  out->append(line.data(), static_cast<std::size_t>(end - line.data()));
}

void AppendTextLine(char type, std::string_view text, std::string* out) {
  out->push_back(type);
  out->append(text);
  out->append("\r\n", 2);
}

void AppendBulk(std::string_view text, std::string* out) {
  AppendNumberLine('$', static_cast<std::int64_t>(text.size()), out);
  out->append(text);
  out->append("\r\n", 2);
}

void AppendVerbatim(const Value& value, std::string* out) {
  AppendNumberLine('=', static_cast<std::int64_t>(value.text.size()) + 4, out);
  out->append(value.elements.empty() ? "txt" : value.elements.front().text);
  out->push_back(':');
  out->append(value.text);
  out->append("\r\n", 2);
}

// `per_entry` values count as one.
void AppendElements(char type, const Value& value, int per_entry, int version, std::string* out) {
  AppendNumberLine(type, static_cast<std::int64_t>(value.elements.size()) / per_entry, out);
  for (const Value& element : value.elements) AppendReply(element, version, out);
}

// Types that both versions encode alike, and RESP3's own types as converted for RESP2.
void AppendResp2(const Value& value, int version, std::string* out) {
  switch (value.type) {
    case Type::kNil:
      out->append("$-1\r\n", 5);
      return;
    case Type::kNilArray:
      out->append("*-1\r\n", 5);
      return;
    case Type::kStatus:
      return AppendTextLine('+', value.text, out);
    case Type::kError:
      return AppendTextLine('-', value.text, out);
    case Type::kInteger:
    case Type::kBoolean:
      return AppendNumberLine(':', value.integer, out);
    case Type::kString:
    case Type::kDouble:
    case Type::kBigNumber:
    case Type::kVerbatim:
      return AppendBulk(value.text, out);
    case Type::kArray:
    case Type::kMap:
    case Type::kSet:
    case Type::kPush:
      return AppendElements('*', value, 1, version, out);
  }
}

void AppendResp3(const Value& value, std::string* out) {
  switch (value.type) {
    case Type::kNil:
    case Type::kNilArray:
      out->append("_\r\n", 3);
      return;
    case Type::kBoolean:
      out->append(value.integer != 0 ? "#t\r\n" : "#f\r\n", 4);
      return;
    case Type::kDouble:
      return AppendTextLine(',', value.text, out);
    case Type::kBigNumber:
      return AppendTextLine('(', value.text, out);
    case Type::kVerbatim:
      return AppendVerbatim(value, out);
    case Type::kMap:
      return AppendElements('%', value, 2, 3, out);
    case Type::kSet:
      return AppendElements('~', value, 1, 3, out);
    case Type::kPush:
      return AppendElements('>', value, 1, 3, out);
    default:
      return AppendResp2(value, 3, out);
  }
}

}  // namespace

void AppendReply(const Value& value, int version, std::string* out) {
  if (version >= 3) {
    AppendResp3(value, out);
  } else {
    AppendResp2(value, version, out);
  }
}

void AppendCommand(const Argv& argv, std::string* out) {
  AppendNumberLine('*', static_cast<std::int64_t>(argv.size()), out);
  for (const std::string& argument : argv) AppendBulk(argument, out);
}

void ReplyParser::Feed(std::string_view bytes) {
  if (position_ > buffer_.size() / 2) {
    buffer_.erase(0, position_);
    position_ = 0;
  }
  buffer_.append(bytes);
}

std::optional<Value> ReplyParser::Next() {
  for (;;) {
    Value value;
    std::size_t elements = 0;
    if (malformed_ || !ReadValue(&value, &elements)) return std::nullopt;
    if (elements > 0) {
      open_.push_back({std::move(value), elements});
      continue;
    }
    while (!open_.empty()) {
      Open& parent = open_.back();
      parent.value.elements.push_back(std::move(value));
      if (--parent.left > 0) break;
      value = std::move(parent.value);
      open_.pop_back();
    }
    if (open_.empty()) return value;
  }
}

bool ReplyParser::Malformed() {
  malformed_ = true;
  return false;
}

// Without its line break; does not advance position_.
bool ReplyParser::ReadLine(std::string_view* line) {
  const std::size_t end = buffer_.find("\r\n", position_);
  if (end == std::string::npos) return false;
  *line = std::string_view(buffer_).substr(position_, end - position_);
  return true;
}

// Reads one value without its elements, `elements` of which follow.
bool ReplyParser::ReadValue(Value* value, std::size_t* elements) {
  std::string_view line;
  if (!ReadLine(&line)) return false;
  if (line.empty()) return Malformed();
  const std::string_view rest = line.substr(1);
  value->text.assign(rest);
  switch (line[0]) {
    case '+':
      value->type = Type::kStatus;
      break;
    case '-':
      value->type = Type::kError;
      break;
    case ',':
      value->type = Type::kDouble;
      break;
    case '(':
      value->type = Type::kBigNumber;
      break;
    case ':':
      *value = Value();
      value->type = Type::kInteger;
      if (!ParseInteger(rest, &value->integer)) return Malformed();
      break;
    case '#':
      *value = Value();
      value->type = Type::kBoolean;
      value->integer = rest == "t" ? 1 : 0;
      if (rest != "t" && rest != "f") return Malformed();
      break;
    case '_':
      if (!rest.empty()) return Malformed();
      break;
    case '$':
      value->type = Type::kString;
      return ReadBulk(rest, value);
    case '=':
      value->type = Type::kVerbatim;
      return ReadBulk(rest, value);
    case '*':
      return ReadCount(rest, Type::kArray, value, elements);
    case '%':
      return ReadCount(rest, Type::kMap, value, elements);
    case '~':
      return ReadCount(rest, Type::kSet, value, elements);
    case '>':
      return ReadCount(rest, Type::kPush, value, elements);
    default:
      return Malformed();
  }
  position_ += line.size() + 2;
  return true;
}

bool ReplyParser::ReadBulk(std::string_view length, Value* value) {
  std::int64_t size = 0;
  if (!ParseInteger(length, &size) || size < -1) return Malformed();
  const std::size_t start = position_ + 1 + length.size() + 2;
  if (size == -1) {
    *value = Value();
    position_ = start;
    return true;
  }
  const auto bytes = static_cast<std::size_t>(size);
  if (buffer_.size() < start + bytes + 2) return false;
  std::string_view text = std::string_view(buffer_).substr(start, bytes);
  if (value->type == Type::kVerbatim) {
    if (text.size() < 4 || text[3] != ':') return Malformed();
    if (const std::string_view format = text.substr(0, 3); format != "txt") {
      value->elements.push_back(StringValue(format));
    }
    text.remove_prefix(4);
  }
  value->text.assign(text);
  position_ = start + bytes + 2;
  return true;
}

bool ReplyParser::ReadCount(std::string_view count, Type type, Value* value,
                            std::size_t* elements) {
  std::int64_t size = 0;
  if (!ParseInteger(count, &size) || size < -1) return Malformed();
  position_ += 1 + count.size() + 2;
  *value = Value();
  value->type = size == -1 ? Type::kNilArray : type;
  if (size > 0) *elements = static_cast<std::size_t>(size) * (type == Type::kMap ? 2 : 1);
  return true;
}

}  // namespace interlock::sim::redis
