// SPDX-License-Identifier: MIT
//
// EVAL and its relatives: Lua 5.1 in Redis' sandbox. One Lua state lives as long as this object;
// compiled scripts stay in it, and Reset() only makes them invisible again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace interlock::sim::redis {

class Engine;
class LuaMachine;
struct Context;

/// For what there is a Lua state: scripts and functions see different libraries.
enum class LuaUse : std::uint8_t { kScripts, kFunctions };

/// How math.random begins.
inline constexpr std::uint64_t kInitialRandom = 0x1234ABCD330E;

/// The number of keys that EVAL and FCALL have as their third word. False, with an error as reply:
/// it is none.
bool ParseKeyCount(Context& context, std::string_view not_integer, std::size_t* keys);

class Scripting {
 public:
  explicit Scripting(Engine& engine);
  ~Scripting();
  Scripting(const Scripting&) = delete;
  Scripting& operator=(const Scripting&) = delete;

  void Reset();
  /// EVAL, EVALSHA and their read-only forms, arguments checked here.
  void Eval(Context& context, bool by_sha, bool read_only);
  /// SCRIPT LOAD: the reply is the SHA, or the compile error.
  void Load(Context& context, std::string_view body);
  bool Exists(std::string_view sha) const;
  /// SCRIPT SHOW.
  void Show(Context& context, std::string_view sha) const;
  /// The same for the same set of known scripts, whatever the order they came in.
  std::uint64_t known() const;
  /// How many scripts are known.
  std::size_t count() const;
  /// EVAL's command flags as the script's own first line changes them.
  std::uint32_t FlagsOf(std::string_view body_or_sha, bool by_sha, std::uint32_t flags) const;
  void Flush();
  /// SCRIPT KILL, or by mistake FUNCTION KILL. REQUIRES: the script of some other client runs.
  void Kill(Context& context, LuaUse by);

 private:
  Engine& engine_;
  std::unique_ptr<LuaMachine> machine_;
};

}  // namespace interlock::sim::redis
