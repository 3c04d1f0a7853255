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
struct Context;

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
  /// The same for the same set of known scripts, whatever the order they came in.
  std::uint64_t known() const;
  /// How many scripts are known.
  std::size_t count() const;
  /// EVAL's command flags as the script's own first line changes them.
  std::uint32_t FlagsOf(std::string_view body_or_sha, bool by_sha, std::uint32_t flags) const;
  void Flush();
  /// SCRIPT KILL. REQUIRES: the script of some other client is running (Engine::script_running).
  void Kill(Context& context);

 private:
  class Machine;
  Engine& engine_;
  std::unique_ptr<Machine> machine_;
};

}  // namespace interlock::sim::redis
