// SPDX-License-Identifier: MIT
//
// Parses the output of lua_dump: the header, then functions, each with its code, constants, nested
// functions and debug information.
#include "sim/redis/scripting/lua_code.h"

#include <cstring>
#include <string_view>

namespace interlock::sim::redis {

namespace {

// Lua 5.1, little endian, int 4, size_t 8, instructions 4, numbers 8 bytes and not integral.
constexpr std::string_view kHeader{"\x1bLua\x51\0\1\4\x8\4\x8\0", 12};

class CodeReader {
 public:
  explicit CodeReader(std::string_view bytes) : bytes_(bytes) {}

  bool Skip(std::string_view expected) {
    const bool found = bytes_.starts_with(expected);
    if (found) bytes_.remove_prefix(expected.size());
    return found;
  }

  LuaCode ReadFunction() {
    LuaCode code;
    Text();                          // The source.
    Take(2 * sizeof(std::int32_t));  // Line numbers.
    code.upvalues = Number<std::uint8_t>();
    code.parameters = Number<std::uint8_t>();
    code.any_arguments = Number<std::uint8_t>() != 0;
    code.registers = Number<std::uint8_t>();
    for (std::size_t left = Count(); left > 0 && !torn_; --left) {
      code.instructions.emplace_back(Number<std::uint32_t>());
    }
    for (std::size_t left = Count(); left > 0 && !torn_; --left) {
      code.constants.push_back(Constant());
    }
    for (std::size_t left = Count(); left > 0 && !torn_; --left) {
      code.functions.push_back(ReadFunction());
    }
    SkipDebugInformation();
    return code;
  }

  /// It ended too early.
  bool torn() const { return torn_; }

 private:
  std::string_view Take(std::size_t size) {
    torn_ = torn_ || size > bytes_.size();
    if (torn_) return {};
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  template <typename T>
  T Number() {
    T number{};
    const std::string_view taken = Take(sizeof(T));
    if (!taken.empty()) std::memcpy(&number, taken.data(), sizeof(T));
    return number;
  }

  std::size_t Count() { return static_cast<std::size_t>(Number<std::uint32_t>()); }

  std::string_view Text() {
    const std::string_view text = Take(Number<std::uint64_t>());
    return text.substr(0, text.empty() ? 0 : text.size() - 1);  // Without its NUL.
  }

  LuaConstant Constant() {
    LuaConstant constant;
    constant.type = Number<std::uint8_t>();
    if (constant.type == LUA_TBOOLEAN) constant.truth = Number<std::uint8_t>() != 0;
    if (constant.type == LUA_TNUMBER) constant.number = Number<lua_Number>();
    if (constant.type == LUA_TSTRING) constant.text = Text();
    return constant;
  }

  void SkipDebugInformation() {
    Take(Count() * sizeof(std::int32_t));  // The line of each instruction.
    for (std::size_t left = Count(); left > 0 && !torn_; --left) {
      Text();  // A local variable's name and scope.
      Take(2 * sizeof(std::int32_t));
    }
    for (std::size_t left = Count(); left > 0 && !torn_; --left) Text();
  }

  std::string_view bytes_;
  bool torn_ = false;
};

int Append(lua_State* /*lua*/, const void* piece, std::size_t size, void* all) {
  static_cast<std::string*>(all)->append(static_cast<const char*>(piece), size);
  return 0;
}

}  // namespace

std::optional<LuaCode> ReadLuaCode(lua_State* lua) {
  std::string bytes;
  if (lua_dump(lua, &Append, &bytes) != 0) return std::nullopt;
  CodeReader reader(bytes);
  if (!reader.Skip(kHeader)) return std::nullopt;
  LuaCode code = reader.ReadFunction();
  if (reader.torn()) return std::nullopt;
  return code;
}

}  // namespace interlock::sim::redis
