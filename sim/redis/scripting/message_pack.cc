// SPDX-License-Identifier: MIT
//
// cmsgpack: values to MessagePack and back, in the encodings that Redis' version chooses. It
// supports no binary or extension types, packs a table as an array if its keys are 1, 2 ... and
// truncates deep nesting.
//
// Output is collected in the sandbox: a Lua error may discard it, and nothing here calls back into
// a script.
#include <algorithm>
#include <bit>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "sim/redis/engine.h"
#include "sim/redis/scripting/sandbox.h"

namespace interlock::sim::redis {

namespace {

constexpr int kDeepestTable = 16;

// The first bytes of values.
enum Mark : std::uint8_t {
  kSmallMap = 0x80,
  kSmallArray = 0x90,
  kSmallText = 0xa0,
  kNilMark = 0xc0,
  kFalse = 0xc2,
  kTrue = 0xc3,
  kFloat = 0xca,
  kDoubleMark = 0xcb,
  kUnsigned8 = 0xcc,
  kUnsigned64 = 0xcf,
  kSigned8 = 0xd0,
  kSigned64 = 0xd3,
  kText8 = 0xd9,
  kText16 = 0xda,
  kText32 = 0xdb,
  kArray16 = 0xdc,
  kArray32 = 0xdd,
  kMap16 = 0xde,
  kMap32 = 0xdf,
  kNegative = 0xe0,
};

class Packer {
 public:
  explicit Packer(lua_State* lua) : lua_(lua), out_(SandboxOf(lua).scratch) { out_.clear(); }

  /// Pops the value on top.
  void Pack(int depth) {
    int type = lua_type(lua_, -1);
    if (type == LUA_TTABLE && depth == kDeepestTable) type = LUA_TNIL;
    luaL_checkstack(lua_, 4, "in function cmsgpack.pack");
    switch (type) {
      case LUA_TSTRING:
        PackText(TextOnStack(lua_, -1));
        break;
      case LUA_TBOOLEAN:
        Byte(lua_toboolean(lua_, -1) != 0 ? kTrue : kFalse);
        break;
      case LUA_TNUMBER:
        PackNumber(lua_tonumber(lua_, -1));
        break;
      case LUA_TTABLE:
        PackTable(depth);
        break;
      default:
        Byte(kNilMark);
    }
    lua_pop(lua_, 1);
  }

 private:
  void Byte(std::uint64_t byte) { out_.push_back(static_cast<char>(byte)); }

  void Marked(std::uint64_t mark, std::uint64_t number, int size) {
    Byte(mark);
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) Byte(number >> shift);
  }

  void PackText(std::string_view text) {
    if (text.size() < 32) {
      Byte(kSmallText | text.size());
    } else if (text.size() <= 0xff) {
      Marked(kText8, text.size(), 1);
    } else if (text.size() <= 0xffff) {
      Marked(kText16, text.size(), 2);
    } else {
      Marked(kText32, text.size(), 4);
    }
    out_.append(text);
    CheckMemory(lua_, out_.size());
  }

  void PackNumber(double number) {
    constexpr double kLimit = 9223372036854775808.0;
    if (number >= -kLimit && number < kLimit && number == std::trunc(number)) {
      return PackInteger(static_cast<std::int64_t>(number));
    }
    const auto single = static_cast<float>(number);
    if (static_cast<double>(single) == number) {
      return Marked(kFloat, std::bit_cast<std::uint32_t>(single), 4);
    }
    Marked(kDoubleMark, std::bit_cast<std::uint64_t>(number), 8);
  }

  void PackInteger(std::int64_t number) {
    const auto bits = static_cast<std::uint64_t>(number);
    if (number >= -32 && number <= 127) return Byte(bits);
    const bool negative = number < 0;
    int log = 0;  // Of the size in bytes.
    while (log < 3 && !Fits(number, 8 << log)) ++log;
    const int mark = (negative ? kSigned8 : kUnsigned8) + log;
    Marked(static_cast<std::uint64_t>(mark), bits, 1 << log);
  }

  static bool Fits(std::int64_t number, int bits) {
    if (number < 0) return number >= -(std::int64_t{1} << (bits - 1));
    return number < std::int64_t{1} << bits;
  }

  void PackHead(std::size_t count, Mark small, Mark middle) {
    if (count <= 15) return Byte(small | count);
    if (count <= 0xffff) return Marked(middle, count, 2);
    Marked(middle + 1U, count, 4);
  }

  /// The number of entries in the table on top, and whether their keys are 1, 2 and so on.
  std::size_t CountEntries(bool* array) {
    std::size_t count = 0;
    double most = 0;
    *array = true;
    lua_pushnil(lua_);
    while (lua_next(lua_, -2) != 0) {
      lua_pop(lua_, 1);
      ++count;
      const double key = lua_type(lua_, -1) == LUA_TNUMBER ? lua_tonumber(lua_, -1) : 0;
      *array = *array && key > 0 && key == std::trunc(key) && key <= INT_MAX;
      most = std::max(most, key);
    }
    *array = *array && most == static_cast<double>(count);
    return count;
  }

  void PackTable(int depth) {
    MapToReal(lua_, lua_gettop(lua_));
    bool array = false;
    const std::size_t count = CountEntries(&array);
    CheckMemory(lua_, out_.size());
    PackHead(count, array ? kSmallArray : kSmallMap, array ? kArray16 : kMap16);
    for (std::size_t i = 1; array && i <= count; ++i) {
      lua_rawgeti(lua_, -1, static_cast<int>(i));
      Pack(depth + 1);
    }
    if (array) return;
    lua_pushnil(lua_);
    while (lua_next(lua_, -2) != 0) {
      const int key = lua_type(lua_, -2);
      if (key == LUA_TTABLE || key == LUA_TFUNCTION || key == LUA_TTHREAD) {
        // Such keys are ordered by their addresses.
        Abort(lua_, "cmsgpack.pack() of keys that are tables or functions");
      }
      lua_pushvalue(lua_, -2);
      Pack(depth + 1);
      Pack(depth + 1);
    }
  }

  lua_State* lua_;
  std::string& out_;
};

enum class Problem : std::uint8_t { kNone, kMissingBytes, kBadFormat };

class Unpacker {
 public:
  Unpacker(lua_State* lua, std::string_view input) : lua_(lua), left_(input) {}

  std::size_t left() const { return left_.size(); }
  Problem problem() const { return problem_; }

  /// Pushes the next value. On a problem the stack is unspecified.
  void Unpack() {
    const auto mark = static_cast<std::uint8_t>(Take(1));
    if (problem_ != Problem::kNone) return;
    luaL_checkstack(lua_, 1,
                    "too many return values at once; use unpack_one or unpack_limit instead.");
    if (mark < kSmallMap || mark >= kNegative) return lua_pushinteger(lua_, std::int8_t(mark));
    if (mark < kSmallArray) return UnpackMap(mark & 15U);
    if (mark < kSmallText) return UnpackArray(mark & 15U);
    if (mark < kNilMark) return UnpackText(mark & 31U);
    if (mark >= kUnsigned8 && mark <= kUnsigned64) {
      // Lua's own integers are signed.
      const std::uint64_t number = Take(std::size_t{1} << (mark - kUnsigned8));
      return Push(static_cast<lua_Number>(static_cast<std::int64_t>(number)));
    }
    if (mark >= kSigned8 && mark <= kSigned64) return UnpackSigned(1 << (mark - kSigned8));
    UnpackMarked(mark);
  }

 private:
  void UnpackMarked(std::uint8_t mark) {
    switch (mark) {
      case kNilMark:
        return lua_pushnil(lua_);
      case kFalse:
      case kTrue:
        return lua_pushboolean(lua_, mark == kTrue ? 1 : 0);
      case kFloat:
        return Push(std::bit_cast<float>(static_cast<std::uint32_t>(Take(4))));
      case kDoubleMark:
        return Push(std::bit_cast<double>(Take(8)));
      case kText8:
      case kText16:
      case kText32:
        return UnpackText(Take(std::size_t{1} << (mark - kText8)));
      case kArray16:
      case kArray32:
        return UnpackArray(Take(std::size_t{2} << (mark - kArray16)));
      case kMap16:
      case kMap32:
        return UnpackMap(Take(std::size_t{2} << (mark - kMap16)));
      default:
        problem_ = Problem::kBadFormat;
    }
  }

  /// A number of `size` bytes; 0, and a problem, if they are missing.
  std::uint64_t Take(std::size_t size) {
    if (problem_ == Problem::kNone && left_.size() < size) problem_ = Problem::kMissingBytes;
    if (problem_ != Problem::kNone) return 0;
    std::uint64_t number = 0;
    for (const char c : left_.substr(0, size)) number = number << 8 | static_cast<std::uint8_t>(c);
    left_.remove_prefix(size);
    return number;
  }

  void Push(lua_Number number) {
    if (problem_ == Problem::kNone) lua_pushnumber(lua_, number);
  }

  void UnpackSigned(int size) {
    const int unused = 64 - 8 * size;
    const auto number = static_cast<std::int64_t>(Take(static_cast<std::size_t>(size)) << unused);
    Push(static_cast<lua_Number>(number >> unused));
  }

  void UnpackText(std::uint64_t size) {
    if (problem_ == Problem::kNone && left_.size() < size) problem_ = Problem::kMissingBytes;
    if (problem_ != Problem::kNone) return;
    lua_pushlstring(lua_, left_.data(), size);
    left_.remove_prefix(size);
  }

  void UnpackArray(std::uint64_t count) {
    if (problem_ != Problem::kNone) return;
    lua_newtable(lua_);
    // The name of a C function, as in Redis' error texts.
    luaL_checkstack(lua_, 1, "in function mp_decode_to_lua_array");
    for (std::uint64_t i = 1; i <= count; ++i) {
      Unpack();
      if (problem_ != Problem::kNone) return;
      lua_rawseti(lua_, -2, static_cast<int>(i));
    }
  }

  void UnpackMap(std::uint64_t count) {
    if (problem_ != Problem::kNone) return;
    lua_newtable(lua_);
    for (; count > 0; --count) {
      Unpack();
      if (problem_ == Problem::kNone) Unpack();
      if (problem_ != Problem::kNone) return;
      lua_settable(lua_, -3);
    }
  }

  lua_State* lua_;
  std::string_view left_;
  Problem problem_ = Problem::kNone;
};

int MessagePack(lua_State* lua) {
  const int count = lua_gettop(lua);
  if (count == 0) return luaL_argerror(lua, 0, "MessagePack pack needs input.");
  if (lua_checkstack(lua, count) == 0) {
    return luaL_argerror(lua, 0, "Too many arguments for MessagePack pack.");
  }
  Packer packer(lua);
  for (int i = 1; i <= count; ++i) {
    lua_pushvalue(lua, i);
    packer.Pack(0);
  }
  const std::string& packed = SandboxOf(lua).scratch;
  lua_pushlstring(lua, packed.data(), packed.size());
  return 1;
}

// All values, or `limit` of them preceded by the offset to continue at (-1: no more).
int UnpackFrom(lua_State* lua, lua_Integer limit, lua_Integer offset) {
  const bool all = limit == 0 && offset == 0;
  luaL_checklstring(lua, 1, nullptr);
  lua_settop(lua, 1);
  const std::string_view text = TextOnStack(lua, 1);
  const int length = static_cast<int>(text.size());
  if (offset < 0 || limit < 0) {
    return luaL_error(lua, "Invalid request to unpack with offset of %d and limit of %d.",
                      static_cast<int>(offset), length);
  }
  if (offset > length) {
    return luaL_error(lua, "Start offset %d greater than input length %d.",
                      static_cast<int>(offset), length);
  }
  Unpacker unpacker(lua, text.substr(static_cast<std::size_t>(offset)));
  int count = 0;
  for (; unpacker.left() > 0 && (all || count < limit); ++count) {
    unpacker.Unpack();
    if (unpacker.problem() == Problem::kNone) continue;
    const bool missing = unpacker.problem() == Problem::kMissingBytes;
    return luaL_error(lua, missing ? "Missing bytes in input." : "Bad data format in input.");
  }
  if (all) return count;
  luaL_checkstack(lua, 1, "in function mp_unpack_full");
  lua_pushinteger(lua, unpacker.left() == 0 ? -1 : length - static_cast<int>(unpacker.left()));
  lua_insert(lua, 2);
  return count + 1;
}

int MessageUnpack(lua_State* lua) { return UnpackFrom(lua, 0, 0); }

int MessageUnpackOne(lua_State* lua) { return UnpackFrom(lua, 1, luaL_optinteger(lua, 2, 0)); }

int MessageUnpackLimit(lua_State* lua) {
  const lua_Integer limit = luaL_checkinteger(lua, 2);
  return UnpackFrom(lua, limit, luaL_optinteger(lua, 3, 0));
}

}  // namespace

void PushMessagePack(lua_State* lua) {
  constexpr luaL_Reg kFunctions[] = {{"pack", &MessagePack},
                                     {"unpack", &MessageUnpack},
                                     {"unpack_one", &MessageUnpackOne},
                                     {"unpack_limit", &MessageUnpackLimit}};
  const bool valkey = SandboxOf(lua).engine->dialect().valkey;
  const char* const texts[][2] = {
      {"_NAME", "cmsgpack"},
      {"_VERSION", "lua-cmsgpack 0.4.0"},
      {"_COPYRIGHT",
       valkey ? "Copyright (C) 2012, Redis Ltd." : "Copyright (C) 2012, Salvatore Sanfilippo"},
      {"_DESCRIPTION", "MessagePack C implementation for Lua"}};
  lua_newtable(lua);
  for (const luaL_Reg& function : kFunctions) {
    lua_pushcfunction(lua, function.func);
    lua_setfield(lua, -2, function.name);
  }
  for (const auto& [name, text] : texts) {
    lua_pushstring(lua, text);
    lua_setfield(lua, -2, name);
  }
}

}  // namespace interlock::sim::redis
