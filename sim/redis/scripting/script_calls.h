// SPDX-License-Identifier: MIT
//
// The commands that scripts run: redis.call and redis.pcall, what refuses a command to a script,
// and the commands of scripts that run without Lua.
//
// Hazard: Lua's errors are longjmps. What Call needs beyond plain data (the reply, the arguments'
// numbers) is kept here, not on the stack that it may leave that way. Thread safety: none.
#pragma once

#include <cstddef>
#include <lua5.1/lua.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/client.h"
#include "sim/redis/context.h"
#include "sim/redis/scripting/script_cache.h"
#include "sim/redis/scripting/values.h"

namespace interlock::sim::redis {

/// Of a run that can go no further: a fault of this server, not of the script.
inline constexpr const char* kOtherwise =
    "a script that does something else in Lua than without it";

class ScriptCalls {
 public:
  /// The engine outlives this.
  explicit ScriptCalls(Engine& engine) : engine_(engine) {
    client_.must_not_block = true;
    client_.in_script = true;
  }

  /// The script's run begins, on behalf of the caller.
  void Begin(const Script& script, bool read_only, const Client& caller);
  /// For a script that runs without Lua: runs the command and keeps what it is answered, so that
  /// Lua can be told, should it have to go on. Null: it is refused, or too many have been kept.
  const Value* CallAndKeep(const Command& command, Arguments words);
  /// redis.call (which raises errors) and redis.pcall, as functions of Lua.
  int Call(lua_State* lua, bool raise);
  /// Reads a command from the stack. False: some argument is neither a string nor a number.
  /// REQUIRES: count > 0.
  bool CollectArguments(lua_State* lua, int count);
  /// Null: Redis knows no command of this name. REQUIRES: CollectArguments has returned true.
  const Command* CommandNamed() const;

  /// Whether Lua has asked for all that was kept, as it must.
  bool HasToldAll() const { return told_count_ == kept_count_; }
  bool has_written() const { return has_written_; }
  /// The last call had an argument that is neither a string nor a number.
  bool broke_off() const { return broke_off_; }
  /// In which RESP the script is answered.
  int protocol() const { return client_.protocol; }
  void SetProtocol(int version) { client_.protocol = version; }

 private:
  /// A command, and what it was answered.
  struct Kept {
    const Command* command = nullptr;
    std::size_t words = 0;
    Value reply;
  };

  const char* UnknownText();
  const char* RefusalOf(const Command& command);
  /// Keeps the error, unless there is none.
  bool Refuses(std::string_view error);
  const char* RefusalOfSlot(const Command& command);
  void CountRefusal(const Command* command, std::string_view refusal);
  void SetReply(const Command& command, Value* reply);

  Engine& engine_;
  bool read_only_ = false;
  bool has_written_ = false;
  bool broke_off_ = false;
  bool cross_slot_ = true;
  bool unhindered_ = false;  // Only a command's own nature can be why the script may not run it.
  std::optional<std::size_t> slot_;  // The slot of the keys so far, in a Cluster.
  bool allow_oom_ = false;
  Client client_;  // What commands of scripts run as: a SELECT stays inside the script.
  Value reply_;
  std::string refusal_;
  Arguments args_;                       // The present command's.
  std::vector<std::string_view> words_;  // What they lie in,
  std::vector<NumberText> numbers_;      // and those that are numbers.
  std::vector<Kept> kept_;               // Of CallAndKeep,
  std::size_t kept_count_ = 0;           // which has kept so many,
  std::size_t told_count_ = 0;           // of which Lua has been told so many.
};

}  // namespace interlock::sim::redis
