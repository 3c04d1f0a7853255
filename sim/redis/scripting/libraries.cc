// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/libraries.h"

#include <algorithm>

#include "sim/redis/engine.h"
#include "sim/redis/rdb/footer.h"
#include "sim/redis/rdb/library_payload.h"
#include "sim/redis/scripting/library.h"
#include "sim/redis/scripting/library_header.h"
#include "sim/redis/scripting/machine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

// By its name in lower case; null: it has none of this name.
const Function* FindIn(const Library& library, std::string_view name) {
  const auto& functions = library.functions;
  const auto at = std::find_if(functions.begin(), functions.end(), [&](const Function& one) {
    return EqualsIgnoreCase(one.name(), name);
  });
  return at == functions.end() ? nullptr : &*at;
}

}  // namespace

Libraries::Libraries(Engine& engine) : engine_(engine) {}
Libraries::~Libraries() = default;

void Libraries::Reset() {
  while (!libraries_.empty()) Drop(libraries_.begin());
  if (machine_ && !machine_->Reset()) machine_.reset();
}

// What its functions hold is garbage from now on.
void Libraries::Forget(const Library& library) {
  for (const Function& function : library.functions) machine_->loader().Forget(function);
}

void Libraries::Drop(ByName::iterator at) {
  for (const Function& function : at->second->functions) {
    functions_.erase(ToLower(function.name()));
  }
  Forget(*at->second);
  libraries_.erase(at);
}

const Function* Libraries::Find(std::string_view name) const {
  const auto at = functions_.find(ToLower(name));
  if (at == functions_.end()) return nullptr;
  return FindIn(*libraries_.find(at->second)->second, at->first);
}

std::string Libraries::Compile(std::string_view code, Library* loaded) {
  const LibraryHeader header = ParseLibraryHeader(engine_.dialect(), code);
  if (!machine_) machine_ = std::make_unique<LuaMachine>(engine_, LuaUse::kFunctions);
  std::string error = machine_->loader().Load(code.substr(header.length), &loaded->functions);
  if (error.empty() && loaded->functions.empty()) error = "ERR No functions registered";
  std::sort(loaded->functions.begin(), loaded->functions.end(),
            [](const Function& a, const Function& b) { return a.name() < b.name(); });
  for (const Function& function : loaded->functions) {
    const auto is_twin = [&](const Function& other) {
      return EqualsIgnoreCase(other.name(), ToLower(function.name()));
    };
    if (error.empty() &&
        std::count_if(loaded->functions.begin(), loaded->functions.end(), is_twin) > 1) {
      engine_.SetUnmodelled("functions whose names differ only in case");
    }
  }
  loaded->code.assign(code);
  return error;
}

std::string Libraries::Collision(const ByName& added, bool replace) const {
  for (const auto& [name, library] : added) {
    if (!replace && libraries_.contains(name)) return "ERR Library " + name + " already exists";
  }
  for (const auto& [name, library] : added) {
    for (const Function& function : library->functions) {
      const auto at = functions_.find(ToLower(function.name()));
      if (at != functions_.end() && !added.contains(at->second)) {
        return "ERR Function " + function.name() + " already exists";
      }
    }
  }
  return {};
}

void Libraries::Add(const std::string& name, std::unique_ptr<Library> added) {
  if (const auto at = libraries_.find(name); at != libraries_.end()) Drop(at);
  for (const Function& function : added->functions) functions_[ToLower(function.name())] = name;
  libraries_.insert_or_assign(name, std::move(added));
}

void Libraries::Load(Context& context, std::string_view code, bool replace) {
  const LibraryHeader header = ParseLibraryHeader(engine_.dialect(), code);
  if (header.unmodelled) return context.Unmodelled("FUNCTION LOAD with such quotes");
  if (!header.error.empty()) return context.Error(header.error);
  if (!replace && libraries_.contains(header.name)) {
    return context.Error("ERR Library '" + header.name + "' already exists");
  }
  ByName added;
  Library& library = *added.emplace(header.name, std::make_unique<Library>()).first->second;
  std::string error = Compile(code, &library);
  if (error.empty()) error = Collision(added, true);
  if (!error.empty() || engine_.unmodelled) {
    Forget(library);
    return context.Error(error);
  }
  Add(header.name, std::move(added.begin()->second));
  engine_.keyspace.CountChange();
  context.String(header.name);
}

std::string Libraries::Prepare(const std::string& code, ByName* restored) {
  const LibraryHeader header = ParseLibraryHeader(engine_.dialect(), code);
  if (header.unmodelled) engine_.SetUnmodelled("FUNCTION RESTORE with such quotes");
  if (header.unmodelled || !header.error.empty()) return header.error;
  if (restored->contains(header.name)) {
    return "ERR Library '" + header.name + "' already exists";
  }
  Library& library = *restored->emplace(header.name, std::make_unique<Library>()).first->second;
  if (std::string error = Compile(code, &library); !error.empty()) return error;
  for (const auto& [name, other] : *restored) {
    if (other.get() == &library) continue;
    for (const Function& function : other->functions) {
      if (FindIn(library, ToLower(function.name())) != nullptr) {
        return "ERR Function " + function.name() + " already exists";
      }
    }
  }
  return {};
}

void Libraries::Restore(Context& context, std::string_view payload, Restoring policy) {
  if (!VerifyFooter(payload, engine_.dialect())) {
    return context.Error("ERR DUMP payload version or checksum are wrong");
  }
  std::vector<std::string> texts;
  const std::string misread = ReadLibraries(payload, engine_.dialect(), &texts);
  ByName restored;
  std::string error;
  for (const std::string& text : texts) {
    if (error.empty() && !engine_.unmodelled) error = Prepare(text, &restored);
  }
  if (error.empty()) error = misread;
  if (error.empty() && policy != Restoring::kFlush) {
    error = Collision(restored, policy == Restoring::kReplace);
  }
  if (!error.empty() || engine_.unmodelled) {
    for (const auto& [name, library] : restored) Forget(*library);
    return context.Error(error);
  }
  if (policy == Restoring::kFlush) {
    while (!libraries_.empty()) Drop(libraries_.begin());
  }
  for (auto& [name, library] : restored) Add(name, std::move(library));
  engine_.keyspace.CountChange();
  context.Ok();
}

bool Libraries::Delete(std::string_view name) {
  const auto at = libraries_.find(name);
  if (at == libraries_.end()) return false;
  Drop(at);
  engine_.keyspace.CountChange();
  return true;
}

void Libraries::Flush() {
  // It frees the arguments of that call again.
  if (machine_ && machine_->calls().broke_off() && engine_.dialect().IsIn(kNewerRedis)) {
    return engine_.SetUnmodelled("FUNCTION FLUSH after wrong arguments, which ends that server");
  }
  while (!libraries_.empty()) Drop(libraries_.begin());
  // Some servers make another Lua state then, and some keep even its settings.
  if (machine_ && machine_->tainted() && engine_.dialect().flush_restarts_lua) machine_.reset();
  engine_.keyspace.CountChange();
}

void Libraries::Call(Context& context, bool read_only) {
  const Function* function = Find(context.args[1]);
  if (function == nullptr) return context.Error("ERR Function not found");
  std::size_t keys = 0;
  if (!ParseKeyCount(context, "ERR Bad number of keys provided", &keys)) return;
  const Script& script = function->script;
  if (const auto error = engine_.admission.RefuseScript(script.header, context.client, read_only);
      !error.empty()) {
    return context.Error(error);
  }
  machine_->Run(context, script, read_only, context.args.subspan(3, keys),
                context.args.subspan(3 + keys));
}

void Libraries::Kill(Context& context, LuaUse by) { machine_->Kill(context, by); }

std::uint32_t Libraries::FlagsOf(std::string_view function, std::uint32_t flags) const {
  const Function* found = Find(function);
  return found == nullptr ? flags : CommandFlagsOf(found->script.header, flags);
}

Value Libraries::Describe(const std::string& name, bool with_code) const {
  const Library& library = *libraries_.find(name)->second;
  std::vector<Value> functions;
  for (const Function& function : library.functions) {
    std::vector<Value> flags;
    for (const ScriptFlag& flag : ScriptFlags()) {
      if (function.script.header.*flag.member) flags.push_back(StatusValue(flag.name));
    }
    functions.push_back(
        MapValue({StringValue("name"), StringValue(function.name()), StringValue("description"),
                  function.description ? StringValue(*function.description) : NilValue(),
                  StringValue("flags"), SetValue(std::move(flags))}));
  }
  Value entry =
      MapValue({StringValue("library_name"), StringValue(name), StringValue("engine"),
                StringValue("LUA"), StringValue("functions"), ArrayValue(std::move(functions))});
  if (with_code) {
    entry.elements.push_back(StringValue("library_code"));
    entry.elements.push_back(StringValue(library.code));
  }
  return entry;
}

std::vector<std::string> Libraries::Texts() const {
  std::vector<std::string> texts;
  for (const auto& [name, library] : libraries_) texts.push_back(library->code);
  return texts;
}

void Libraries::Replace(std::span<const std::string> texts) {
  while (!libraries_.empty()) Drop(libraries_.begin());
  for (const std::string& text : texts) {
    auto library = std::make_unique<Library>();
    if (!Compile(text, library.get()).empty()) {
      return engine_.SetUnmodelled("a saved library that fails");
    }
    Add(ParseLibraryHeader(engine_.dialect(), text).name, std::move(library));
  }
}

}  // namespace interlock::sim::redis
