// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/quick_calls.h"

#include <cstdint>

#include "sim/redis/command_table.h"
#include "sim/redis/engine.h"
#include "sim/redis/overwrite.h"
#include "sim/redis/scripting/quick_functions.h"
#include "sim/redis/scripting/script_calls.h"

namespace interlock::sim::redis {

namespace {

using Kind = QuickValue::Kind;
using Type = Value::Type;

constexpr int kDeepest = 8;

}  // namespace

bool QuickCalls::Call(const QuickFunction& by, std::span<const QuickValue> arguments,
                      QuickValue* result) {
  const std::size_t count = arguments.size();
  if (count == 0 || count > kMostArguments || !arguments[0].is_text()) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (arguments[i].is_text()) {
      words_[i] = arguments[i].text();
    } else if (arguments[i].is_number()) {
      NumberText& text = numbers_[i];
      words_[i] = {text.data(), FormatArgument(engine_.dialect(), arguments[i].as.number, &text)};
    } else {
      return false;
    }
  }
  const Arguments words(words_.data(), count);
  const Command* const command = FindCommand(arguments[0], words);
  const Value* const reply = command == nullptr ? nullptr : calls_.CallAndKeep(*command, words);
  if (reply == nullptr) return false;
  if (reply->type == Type::kError && by.catches) {
    *result = QuickValue::Of(std::string_view(reply->text), Kind::kError);
    return true;
  }
  return FromReply(*reply, result);
}

const Command* QuickCalls::FindCommand(const QuickValue& name, Arguments words) {
  if (!name.constant) return redis::FindCommand(engine_.dialect(), words);
  KnownCommand& known = commands_[reinterpret_cast<std::uintptr_t>(name.as.text) / 16 % kCommands];
  if (known.name == name.as.text) return known.command;
  bool container = false;
  const Command* const command =
      redis::FindCommand(engine_.dialect(), words[0], {}, false, &container);
  if (command == nullptr || container) return redis::FindCommand(engine_.dialect(), words);
  known = {name.as.text, command};
  return command;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as a command's reply is nested
bool QuickCalls::FromReply(const Value& reply, QuickValue* value) {
  switch (reply.type) {
    case Type::kNil:
    case Type::kNilArray:
      *value = QuickValue::Boolean(false);
      return true;
    case Type::kStatus:
      *value = QuickValue::Of(std::string_view(reply.text), Kind::kStatus);
      return true;
    case Type::kInteger:
      *value = QuickValue::Of(static_cast<double>(reply.integer));
      return true;
    case Type::kString:
      *value = QuickValue::Of(std::string_view(reply.text));
      return true;
    case Type::kArray:
      break;
    default:
      return false;
  }
  QuickTable* const table = memory_.Table();
  QuickValue* const values = memory_.Values(reply.elements.size());
  if (table == nullptr || values == nullptr) return false;
  const auto size = static_cast<std::uint32_t>(reply.elements.size());
  *table = {values, size, size};
  for (std::uint32_t i = 0; i < size; ++i) {
    if (!FromReply(reply.elements[i], &values[i])) return false;
  }
  *value = QuickValue::Of(table);
  return true;
}

// NOLINTNEXTLINE(misc-no-recursion): at most kDeepest
bool ToReply(const QuickValue& value, Value* reply, int depth) {
  constexpr double kLimit = 9223372036854775808.0;
  reply->Clear();
  switch (value.kind) {
    case Kind::kNil:
    case Kind::kFalse:
      return true;
    case Kind::kTrue:
      reply->type = Type::kInteger;
      reply->integer = 1;
      return true;
    case Kind::kNumber:
      reply->type = Type::kInteger;
      if (!(value.as.number < kLimit && value.as.number >= -kLimit)) return false;
      reply->integer = static_cast<std::int64_t>(value.as.number);
      return true;
    case Kind::kText:
      reply->type = Type::kString;
      Overwrite(&reply->text, value.text());
      return true;
    case Kind::kStatus:
      reply->type = Type::kStatus;
      Overwrite(&reply->text, value.text());
      return value.text() == "OK";
    case Kind::kTable:
      break;
    default:
      return false;
  }
  if (depth == kDeepest) return false;
  reply->type = Type::kArray;
  const QuickTable& table = *value.as.table;
  reply->elements.resize(table.size);
  for (std::uint32_t i = 0; i < table.size; ++i) {
    if (!ToReply(table.values[i], &reply->elements[i], depth + 1)) return false;
  }
  return true;
}

}  // namespace interlock::sim::redis
