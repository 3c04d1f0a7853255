// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/values.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "sim/redis/engine.h"
#include "sim/redis/overwrite.h"
#include "sim/redis/reply.h"
#include "sim/redis/scripting/sandbox.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

std::string_view TextAt(lua_State* lua, int index) {
  std::size_t length = 0;
  const char* text = lua_tolstring(lua, index, &length);
  return {text, length};
}

// Casts like x86: out of range becomes the smallest integer.
std::int64_t ToInteger(double number) {
  constexpr double kLimit = 9223372036854775808.0;
  if (std::isnan(number) || number >= kLimit || number < -kLimit) {
    return std::numeric_limits<std::int64_t>::min();
  }
  return static_cast<std::int64_t>(number);
}

void PushStringField(lua_State* lua, Field field, std::string_view text) {
  PushField(lua, field);
  lua_pushlstring(lua, text.data(), text.size());
  lua_rawset(lua, -3);
}

// The field of a status, which is nearly always OK.
void PushStatus(lua_State* lua, std::string_view text) {
  if (text != "OK") return PushStringField(lua, Field::kOk, text);
  PushField(lua, Field::kOk);
  PushField(lua, Field::kOkText);
  lua_rawset(lua, -3);
}

// Pushes the field without metamethods; false, and nothing pushed, if it has another type.
bool PushRawField(lua_State* lua, Field field, int type) {
  PushField(lua, field);
  lua_rawget(lua, -2);
  if (lua_type(lua, -1) == type) return true;
  lua_pop(lua, 1);
  return false;
}

// Checks the table on top, quickly recognising most that are not flat arrays.
bool HasOnlyNumbersAsKeys(lua_State* lua) {
  constexpr int kFew = 8;
  lua_pushnil(lua);
  for (int keys = 0; lua_next(lua, -2) != 0; ++keys) {
    lua_pop(lua, 1);
    if (keys < kFew && lua_type(lua, -1) == LUA_TNUMBER) continue;
    lua_pop(lua, 1);
    return false;
  }
  return true;
}

// Reuses the text's memory.
void SetText(Value* value, Value::Type type, std::string_view text) {
  value->type = type;
  value->integer = 0;
  Overwrite(&value->text, text);
  value->elements.clear();
}

void SetAggregate(Value* value, Value::Type type) { SetText(value, type, {}); }

// In RESP2 true is 1, and false is nil.
void SetBoolean(Value* value, bool truth, int protocol) {
  using Type = Value::Type;
  SetText(value, protocol == 3 ? Type::kBoolean : truth ? Type::kInteger : Type::kNil, {});
  value->integer = truth ? 1 : 0;
}

void ReplaceLineEnds(std::string* text) {
  for (char& c : *text) {
    if (c == '\r' || c == '\n') c = ' ';
  }
}

// The table on top is {format=..., string=...}; false, and nothing taken, if not.
bool TakeVerbatim(lua_State* lua, Value* reply) {
  constexpr std::size_t kFormatLength = 3;
  if (!PushRawField(lua, Field::kFormat, LUA_TSTRING)) return false;
  std::string format(UntilNul(TextAt(lua, -1)));
  format.resize(kFormatLength, ' ');
  lua_pop(lua, 1);
  if (!PushRawField(lua, Field::kString, LUA_TSTRING)) return false;
  SetText(reply, Value::Type::kVerbatim, TextAt(lua, -1));
  lua_pop(lua, 1);
  if (format != "txt") reply->elements.push_back(StringValue(format));
  return true;
}

// A map or set on top: its keys, with values if requested, in the order of the table.
const char* TakeEntries(lua_State* lua, int protocol, Value* reply, bool values, int depth) {
  SetAggregate(reply, values ? Value::Type::kMap : Value::Type::kSet);
  lua_pushnil(lua);
  while (lua_next(lua, -2) != 0) {
    lua_pushvalue(lua, -2);  // A copy: lua_next continues from the key itself.
    reply->elements.emplace_back();
    const char* unmodelled = TakeReply(lua, protocol, &reply->elements.back(), depth + 1);
    lua_pop(lua, 1);
    if (values && unmodelled == nullptr) {
      reply->elements.emplace_back();
      unmodelled = TakeReply(lua, protocol, &reply->elements.back(), depth + 1);
    }
    if (unmodelled != nullptr) return unmodelled;
    lua_pop(lua, 1);
  }
  return nullptr;
}

const char* TakeArray(lua_State* lua, int protocol, Value* reply, int depth) {
  SetAggregate(reply, Value::Type::kArray);
  for (int i = 1;; ++i) {
    lua_rawgeti(lua, -1, i);
    if (lua_isnil(lua, -1)) {
      lua_pop(lua, 1);
      return nullptr;
    }
    reply->elements.emplace_back();
    const char* unmodelled = TakeReply(lua, protocol, &reply->elements.back(), depth + 1);
    if (unmodelled != nullptr) return unmodelled;
    lua_pop(lua, 1);
  }
}

// Converts the table on top if it has keys 1, 2 ... and contains no tables, like nearly all
// replies, in the same pass that finds this out. False: it may be anything, and so may the reply.
bool TakeFlatArray(lua_State* lua, int protocol, Value* reply, int depth) {
  const auto take = [&] {
    return TakeReply(lua, protocol, &reply->elements.emplace_back(), depth + 1) == nullptr;
  };
  SetAggregate(reply, Value::Type::kArray);
  lua_pushnil(lua);
  for (lua_Number next = 1; lua_next(lua, -2) != 0; ++next) {
    const bool is_next = lua_type(lua, -2) == LUA_TNUMBER && lua_tonumber(lua, -2) == next;
    if (!is_next || lua_type(lua, -1) == LUA_TTABLE || !take()) {
      lua_pop(lua, 2);
      return false;
    }
    lua_pop(lua, 1);
  }
  return true;
}

// Whether the error in the table at `index` has been counted for the command that answered with it.
bool IsCounted(lua_State* lua, int index) {
  lua_pushvalue(lua, index);
  const bool known = PushRawField(lua, Field::kIgnored, LUA_TBOOLEAN);
  const bool counted = known && lua_toboolean(lua, -1) != 0;
  lua_pop(lua, known ? 2 : 1);
  return counted;
}

// The table on top stays there.
const char* TakeTable(lua_State* lua, int protocol, Value* reply, int depth) {
  if (TakeFlatArray(lua, protocol, reply, depth)) return nullptr;
  if (HasOnlyNumbersAsKeys(lua)) return TakeArray(lua, protocol, reply, depth);
  const char* unmodelled = nullptr;
  if (PushRawField(lua, Field::kErr, LUA_TSTRING)) {
    if (!IsCounted(lua, -2)) {
      SandboxOf(lua).engine->statistics.CountError(UntilNul(TextAt(lua, -1)), true);
    }
    SetText(reply, Value::Type::kError, OneLine(UntilNul(TextAt(lua, -1))));
  } else if (PushRawField(lua, Field::kOk, LUA_TSTRING)) {
    SetText(reply, Value::Type::kStatus, UntilNul(TextAt(lua, -1)));
    ReplaceLineEnds(&reply->text);
  } else if (PushRawField(lua, Field::kDouble, LUA_TNUMBER)) {
    SetText(reply, Value::Type::kDouble,
            FormatDouble(SandboxOf(lua).engine->dialect(), lua_tonumber(lua, -1)));
  } else if (PushRawField(lua, Field::kMap, LUA_TTABLE)) {
    unmodelled = TakeEntries(lua, protocol, reply, true, depth);
  } else if (PushRawField(lua, Field::kSet, LUA_TTABLE)) {
    unmodelled = TakeEntries(lua, protocol, reply, false, depth);
  } else if (PushRawField(lua, Field::kBigNumber, LUA_TSTRING)) {
    SetText(reply, Value::Type::kBigNumber, UntilNul(TextAt(lua, -1)));
    ReplaceLineEnds(&reply->text);
  } else if (PushRawField(lua, Field::kVerbatim, LUA_TTABLE)) {
    const bool taken = TakeVerbatim(lua, reply);
    lua_pop(lua, 1);
    return taken ? nullptr : TakeArray(lua, protocol, reply, depth);
  } else {
    return TakeArray(lua, protocol, reply, depth);
  }
  if (unmodelled == nullptr) lua_pop(lua, 1);
  return unmodelled;
}

// {field = the value on top}
void WrapTop(lua_State* lua, Field field) {
  lua_createtable(lua, 0, 1);
  lua_insert(lua, -2);
  PushField(lua, field);
  lua_insert(lua, -2);
  lua_rawset(lua, -3);
}

void PushMap(lua_State* lua, const Value& value, int protocol) {
  lua_createtable(lua, 0, static_cast<int>(value.elements.size() / 2));
  for (std::size_t i = 0; i + 1 < value.elements.size(); i += 2) {
    PushValue(lua, value.elements[i], protocol);
    PushValue(lua, value.elements[i + 1], protocol);
    lua_rawset(lua, -3);
  }
  WrapTop(lua, Field::kMap);
}

void PushSet(lua_State* lua, const Value& value, int protocol) {
  lua_createtable(lua, 0, static_cast<int>(value.elements.size()));
  for (const Value& element : value.elements) {
    PushValue(lua, element, protocol);
    lua_pushboolean(lua, 1);
    lua_rawset(lua, -3);
  }
  WrapTop(lua, Field::kSet);
}

}  // namespace

std::size_t FormatWhole(double number, NumberText* text) {
  const auto end = std::to_chars(text->data(), text->data() + text->size() - 1,
                                 static_cast<std::int64_t>(number));
  *end.ptr = '\0';
  return static_cast<std::size_t>(end.ptr - text->data());
}

std::size_t FormatArgument(const Dialect& dialect, double number, NumberText* text) {
  // Shortcut for integers, by far the most common, avoiding printf.
  if (IsPlainWhole(number)) return FormatWhole(number, text);
  if (dialect.since_72 && !std::isnan(number)) {
    const std::string shortest = FormatShortest(number == 0 ? 0 : number);  // -0 is 0 here.
    shortest.copy(text->data(), shortest.size());
    (*text)[shortest.size()] = '\0';
    return shortest.size();
  }
  return static_cast<std::size_t>(std::snprintf(text->data(), text->size(), "%.17g", number));
}

void PushError(lua_State* lua, std::string_view text) {
  const bool coded = text.starts_with('-');
  if (coded) text.remove_prefix(1);
  const std::size_t space = coded ? text.find(' ') : std::string_view::npos;
  const std::string_view code = space == std::string_view::npos ? "ERR" : text.substr(0, space);
  std::string_view message = space == std::string_view::npos ? text : text.substr(space + 1);
  while (!message.empty() && (message.back() == '\r' || message.back() == '\n')) {
    message.remove_suffix(1);
  }
  while (!message.empty() && (message.front() == '\r' || message.front() == '\n')) {
    message.remove_prefix(1);
  }
  lua_newtable(lua);
  PushField(lua, Field::kErr);
  lua_pushlstring(lua, code.data(), code.size());
  lua_pushliteral(lua, " ");
  lua_pushlstring(lua, message.data(), message.size());
  lua_concat(lua, 3);
  lua_rawset(lua, -3);
}

int ReturnError(lua_State* lua, const char* text, bool raise) {
  PushError(lua, text);
  return raise ? lua_error(lua) : 1;
}

void PushValue(lua_State* lua, const Value& value, int protocol) {
  // A plain value fits into the stack space guaranteed to C functions.
  if (value.type >= Value::Type::kArray) luaL_checkstack(lua, 6, "too many nested replies");
  switch (value.type) {
    case Value::Type::kNil:
    case Value::Type::kNilArray:
      if (protocol == 3) {
        lua_pushnil(lua);
      } else {
        lua_pushboolean(lua, 0);
      }
      break;
    case Value::Type::kStatus:
      lua_createtable(lua, 0, 1);
      PushStatus(lua, value.text);
      break;
    case Value::Type::kError:
      lua_createtable(lua, 0, 2);
      PushStringField(lua, Field::kErr, value.text);
      PushField(lua, Field::kIgnored);
      lua_pushboolean(lua, 1);
      lua_rawset(lua, -3);
      break;
    case Value::Type::kInteger:
      lua_pushnumber(lua, static_cast<lua_Number>(value.integer));
      break;
    case Value::Type::kString:
      lua_pushlstring(lua, value.text.data(), value.text.size());
      break;
    case Value::Type::kArray:
    case Value::Type::kPush:
      lua_createtable(lua, static_cast<int>(value.elements.size()), 0);
      for (std::size_t i = 0; i < value.elements.size(); ++i) {
        PushValue(lua, value.elements[i], protocol);
        lua_rawseti(lua, -2, static_cast<int>(i + 1));
      }
      break;
    case Value::Type::kMap:
      return PushMap(lua, value, protocol);
    case Value::Type::kSet:
      return PushSet(lua, value, protocol);
    case Value::Type::kDouble:
      lua_pushnumber(lua, std::strtod(value.text.c_str(), nullptr));
      return WrapTop(lua, Field::kDouble);
    case Value::Type::kBoolean:
      lua_pushboolean(lua, value.integer != 0 ? 1 : 0);
      break;
    case Value::Type::kBigNumber:
      lua_pushlstring(lua, value.text.data(), value.text.size());
      return WrapTop(lua, Field::kBigNumber);
    case Value::Type::kVerbatim:
      lua_createtable(lua, 0, 2);
      PushStringField(lua, Field::kFormat, "txt");
      PushStringField(lua, Field::kString, value.text);
      return WrapTop(lua, Field::kVerbatim);
  }
}

const char* TakeReply(lua_State* lua, int protocol, Value* reply, int depth) {
  if (depth > kMaxDepth || lua_checkstack(lua, 8) == 0) return "script reply nested too deeply";
  switch (lua_type(lua, -1)) {
    case LUA_TSTRING:
      SetText(reply, Value::Type::kString, TextAt(lua, -1));
      break;
    case LUA_TBOOLEAN:
      SetBoolean(reply, lua_toboolean(lua, -1) != 0, protocol);
      break;
    case LUA_TNUMBER:
      SetText(reply, Value::Type::kInteger, {});
      reply->integer = ToInteger(lua_tonumber(lua, -1));
      break;
    case LUA_TTABLE:
      return TakeTable(lua, protocol, reply, depth);
    default:
      SetText(reply, Value::Type::kNil, {});
  }
  return nullptr;
}

bool PopScriptError(lua_State* lua, const std::string& sha, const ScriptTexts& texts,
                    Value* reply) {
  if (!lua_istable(lua, -1)) {
    // Only memory errors bypass the error handler.
    const std::string_view error =
        lua_isstring(lua, -1) != 0 ? UntilNul(TextAt(lua, -1)).substr(0, 100) : "execution failure";
    *reply = ErrorValue(OneLine("ERR Error running script " + sha + ", " + std::string(error)));
    return true;
  }
  const int table = lua_gettop(lua);
  for (const Field field : {Field::kErr, Field::kSource, Field::kLine}) {
    PushField(lua, field);
    lua_rawget(lua, table);
  }
  const bool has_error = lua_isstring(lua, table + 1) != 0;
  if (!has_error && texts.unknown_error == nullptr) return false;
  // Converting a number to text may raise, so it precedes any string that would leak.
  const std::string_view error =
      has_error ? UntilNul(TextAt(lua, table + 1)) : std::string_view(texts.unknown_error);
  const std::string_view source = TextAt(lua, table + 2);
  const std::string_view line = TextAt(lua, table + 3);
  const bool counted = IsCounted(lua, table);
  std::string text(error);
  if (source.data() != nullptr && line.data() != nullptr) {
    text.append(" script: ");
    if (texts.with_sha) text.append(sha).append(", ");
    text.append("on ").append(UntilNul(source));
    text.append(":").append(line).append(".");
  }
  Engine& engine = *SandboxOf(lua).engine;
  if (!counted) engine.statistics.CountError(text, engine.dialect().IsIn(kValkeyFrom90));
  *reply = ErrorValue(OneLine(text));
  return true;
}

}  // namespace interlock::sim::redis
