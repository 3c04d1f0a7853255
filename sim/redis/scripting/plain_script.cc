// SPDX-License-Identifier: MIT
//
// Parses the output of lua_dump: the header, then functions, each with its code, constants, nested
// functions and debug information.
#include "sim/redis/scripting/plain_script.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace interlock::sim::redis {

namespace {

// Lua 5.1, little endian, int 4, size_t 8, instructions 4, numbers 8 bytes and not integral.
constexpr std::string_view kHeader{"\x1bLua\x51\0\1\4\x8\4\x8\0", 12};

// All except those that lead to the table of globals: _G, load, loadstring.
constexpr std::string_view kFunctions[] = {
    "assert",   "error",    "getmetatable", "ipairs", "next",   "pairs",
    "pcall",    "rawequal", "rawget",       "rawset", "select", "setmetatable",
    "tonumber", "tostring", "type",         "unpack", "xpcall"};
constexpr std::string_view kTables[] = {"KEYS", "ARGV",  "redis", "string",
                                        "math", "table", "cjson", "bit"};

// Those that may change a table passed to them: an error gets its position.
constexpr std::string_view kChangers[] = {"error", "rawset", "setmetatable", "table"};

// Random numbers, settings that outlive the call, and access to the strings' shared metatable.
constexpr std::string_view kImpure[] = {"random",   "randomseed", "setresp",
                                        "set_repl", "cjson",      "getmetatable"};

bool IsIn(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Instruction {
 public:
  enum Operation : std::uint32_t {
    kGetGlobal = 5,
    kGetTable = 6,
    kSetGlobal = 7,
    kSetTable = 9,
    kLength = 20,
    kVararg = 37
  };

  explicit Instruction(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t operation() const { return bits_ & 0x3fU; }
  std::uint32_t target() const { return (bits_ >> 6) & 0xffU; }
  std::uint32_t source() const { return bits_ >> 23; }
  std::uint32_t constant() const { return bits_ >> 14; }
  /// The field taken out is a constant, not computed.
  bool names_field() const { return ((bits_ >> 14) & 0x100U) != 0; }

  /// Takes something out of the value in the register, and overwrites the register with it.
  bool Replaces(std::uint32_t register_number) const {
    return (operation() == kGetTable || operation() == kLength) && source() == register_number &&
           target() == register_number;
  }

 private:
  std::uint32_t bits_;
};

class CodeReader {
 public:
  explicit CodeReader(std::string_view bytes) : bytes_(bytes) {}

  bool Skip(std::string_view expected) {
    const bool found = bytes_.starts_with(expected);
    if (found) bytes_.remove_prefix(expected.size());
    return found;
  }

  /// Reads one function, nested ones included.
  void ReadFunction(ScriptCode* result) {
    Text();                              // The source.
    Take(2 * sizeof(std::int32_t) + 4);  // Line numbers, and four one-byte sizes.
    const std::string_view code = Take(Count() * sizeof(std::uint32_t));
    const std::vector<std::string_view> names = Constants();
    Judge(code, names, result);
    for (const std::string_view name : names) result->pure = result->pure && !IsIn(kImpure, name);
    for (std::size_t left = Count(); left > 0 && !torn_; --left) ReadFunction(result);
    SkipDebugInformation();
    result->plain = result->plain && !torn_;
    result->pure = result->pure && result->plain;
  }

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

  /// Texts of the constants; empty for other types.
  std::vector<std::string_view> Constants() {
    std::vector<std::string_view> names;
    for (std::size_t left = Count(); left > 0 && !torn_; --left) {
      std::string_view name;
      switch (Number<std::uint8_t>()) {
        case LUA_TBOOLEAN:
          Take(1);
          break;
        case LUA_TNUMBER:
          Take(sizeof(lua_Number));
          break;
        case LUA_TSTRING:
          name = Text();
          break;
        default:
          break;
      }
      names.push_back(name);
    }
    return names;
  }

  void SkipDebugInformation() {
    Take(Count() * sizeof(std::int32_t));  // The line of each instruction.
    for (std::size_t left = Count(); left > 0 && !torn_; --left) {
      Text();  // A local variable's name and scope.
      Take(2 * sizeof(std::int32_t));
    }
    for (std::size_t left = Count(); left > 0 && !torn_; --left) Text();
  }

  static void Judge(std::string_view code, const std::vector<std::string_view>& names,
                    ScriptCode* result) {
    const std::size_t count = code.size() / sizeof(std::uint32_t);
    const auto at = [&](std::size_t index) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, code.data() + index * sizeof(bits), sizeof(bits));
      return Instruction(bits);
    };
    for (std::size_t i = 0; i < count; ++i) {
      const Instruction one = at(i);
      if (one.operation() == Instruction::kSetGlobal || one.operation() == Instruction::kVararg) {
        result->plain = false;
      }
      if (one.operation() == Instruction::kSetTable) result->changes_tables = true;
      if (one.operation() != Instruction::kGetGlobal) continue;
      const std::string_view name =
          one.constant() < names.size() ? names[one.constant()] : std::string_view();
      if (IsIn(kChangers, name)) result->changes_tables = true;
      if (IsIn(kFunctions, name)) continue;
      const bool is_input = name == "KEYS" || name == "ARGV";
      if (!is_input && i + 1 < count && !at(i + 1).names_field()) result->pure = false;
      // The next instruction overwrites the register.
      if (!IsIn(kTables, name) || i + 1 == count || !at(i + 1).Replaces(one.target())) {
        result->plain = false;
      }
    }
  }

  std::string_view bytes_;
  bool torn_ = false;
};

int Append(lua_State* /*lua*/, const void* piece, std::size_t size, void* all) {
  static_cast<std::string*>(all)->append(static_cast<const char*>(piece), size);
  return 0;
}

}  // namespace

ScriptCode ReadScriptCode(lua_State* lua) {
  std::string bytes;
  if (lua_dump(lua, &Append, &bytes) != 0) return {};
  CodeReader reader(bytes);
  if (!reader.Skip(kHeader)) return {};
  ScriptCode code{.plain = true, .changes_tables = false, .pure = true};
  reader.ReadFunction(&code);
  return code;
}

}  // namespace interlock::sim::redis
