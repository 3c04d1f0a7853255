// SPDX-License-Identifier: MIT
//
// Functions: FUNCTION and FCALL. A library is its code; it is saved and replicated with the data,
// and what its functions keep in local variables lives as long as the library in this process.
//
// Not modelled, and said so: a library with functions whose names differ only in case, of which the
// real servers find either or crash. FUNCTION LIST is in the order of the names, where real servers
// have none. Source: FUNCTION, FCALL, FCALL_RO. Thread safety: none.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/scripting/scripting.h"
#include "sim/redis/value.h"

namespace interlock::sim::redis {

struct Function;
struct Library;

class Libraries {
 public:
  explicit Libraries(Engine& engine);
  ~Libraries();
  Libraries(const Libraries&) = delete;
  Libraries& operator=(const Libraries&) = delete;

  /// The process has ended.
  void Reset();

  /// FUNCTION LOAD, arguments checked by the caller: the reply is the name, or the error.
  void Load(Context& context, std::string_view code, bool replace);
  /// What FUNCTION RESTORE does about the libraries that there are.
  enum class Restoring : std::uint8_t { kAppend, kReplace, kFlush };
  /// FUNCTION RESTORE, arguments checked by the caller: the reply is OK, or the error.
  void Restore(Context& context, std::string_view payload, Restoring policy);
  /// False: there is none of this name.
  bool Delete(std::string_view name);
  /// FUNCTION FLUSH.
  void Flush();
  /// FCALL and FCALL_RO, arguments checked here.
  void Call(Context& context, bool read_only);
  /// FUNCTION KILL, or by mistake SCRIPT KILL. REQUIRES: the function of some other client runs.
  void Kill(Context& context, LuaUse by);
  /// FCALL's command flags as the function's own change them.
  std::uint32_t FlagsOf(std::string_view function, std::uint32_t flags) const;

  using ByName = std::map<std::string, std::unique_ptr<Library>, std::less<>>;
  const ByName& all() const { return libraries_; }
  /// Its entry in FUNCTION LIST. REQUIRES: there is one of this name.
  Value Describe(const std::string& name, bool with_code) const;
  std::size_t function_count() const { return functions_.size(); }

  /// The code of all of them, and the way back: what a snapshot has.
  std::vector<std::string> Texts() const;
  void Replace(std::span<const std::string> texts);

 private:
  /// Returns the error reply; empty: `loaded` can be added.
  std::string Compile(std::string_view code, Library* loaded);
  /// Compiles it into `restored`; returns the error reply.
  std::string Prepare(const std::string& code, ByName* restored);
  /// The error if these may not be added; `replace`: they may replace those of their names.
  std::string Collision(const ByName& added, bool replace) const;
  void Add(const std::string& name, std::unique_ptr<Library> added);
  void Drop(ByName::iterator at);
  void Forget(const Library& library);
  const Function* Find(std::string_view name) const;

  Engine& engine_;
  std::unique_ptr<LuaMachine> machine_;
  ByName libraries_;
  /// By lower-case name: the library that has it.
  std::map<std::string, std::string, std::less<>> functions_;
};

}  // namespace interlock::sim::redis
