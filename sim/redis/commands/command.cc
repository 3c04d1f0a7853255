// SPDX-License-Identifier: MIT
//
// COMMAND: the command table for clients and proxies. The real server lists commands in the order
// of a hash table with a random seed; here they are sorted by name.
#include <algorithm>
#include <iterator>

#include "sim/redis/command_keys.h"
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

// By bit. Empty: not printed.
constexpr std::string_view kFlagNames[] = {"write",
                                           "readonly",
                                           "denyoom",
                                           "module",
                                           "admin",
                                           "pubsub",
                                           "noscript",
                                           "blocking",
                                           "loading",
                                           "stale",
                                           "skip_monitor",
                                           "skip_slowlog",
                                           "asking",
                                           "fast",
                                           "no_auth",
                                           "no_mandatory_keys",
                                           "no_async_loading",
                                           "no_multi",
                                           "movablekeys",
                                           "allow_busy",
                                           "skip_commandlog"};
constexpr std::string_view kCategoryNames[] = {
    "@keyspace",   "@read",        "@write",    "@set",         "@sortedset", "@list",
    "@hash",       "@string",      "@bitmap",   "@hyperloglog", "@geo",       "@stream",
    "@pubsub",     "@admin",       "@fast",     "@slow",        "@blocking",  "@dangerous",
    "@connection", "@transaction", "@scripting"};
constexpr std::string_view kTipNames[] = {
    "nondeterministic_output",       "nondeterministic_output_order",   "request_policy:all_nodes",
    "request_policy:all_shards",     "request_policy:multi_shard",      "request_policy:special",
    "response_policy:all_succeeded", "response_policy:one_succeeded",   "response_policy:agg_sum",
    "response_policy:agg_min",       "response_policy:agg_logical_and", "response_policy:special",
    "nondeterministic_output",       "nondeterministic_output_order"};
constexpr std::string_view kKeyFlagNames[] = {
    "RO",     "RW",     "OW",      "RM",         "access",        "update",
    "insert", "delete", "not_key", "incomplete", "variable_flags"};

Value NamesOf(std::uint32_t bits, std::span<const std::string_view> names, Value::Type type) {
  std::vector<Value> elements;
  for (std::size_t bit = 0; bit < names.size(); ++bit) {
    if ((bits >> bit & 1U) != 0) elements.push_back(TextValue(type, names[bit]));
  }
  return SetValue(std::move(elements));
}

Value KeyFlags(std::uint16_t flags) { return NamesOf(flags, kKeyFlagNames, Value::Type::kStatus); }

Value Step(std::string_view type, std::vector<Value> details) {
  return MapValue(
      {StringValue("type"), StringValue(type), StringValue("spec"), MapValue(std::move(details))});
}

Value BeginSearch(const KeySpec& spec) {
  switch (spec.begin) {
    case KeySpec::Begin::kIndex:
      return Step("index", {StringValue("index"), IntegerValue(spec.index)});
    case KeySpec::Begin::kKeyword:
      return Step("keyword", {StringValue("keyword"), StringValue(spec.keyword),
                              StringValue("startfrom"), IntegerValue(spec.index)});
    default:
      return Step("unknown", {});
  }
}

Value FindKeysOf(const KeySpec& spec) {
  switch (spec.find) {
    case KeySpec::Find::kRange:
      return Step("range",
                  {StringValue("lastkey"), IntegerValue(spec.last), StringValue("keystep"),
                   IntegerValue(spec.step), StringValue("limit"), IntegerValue(spec.limit)});
    case KeySpec::Find::kCounted:
      return Step("keynum", {StringValue("keynumidx"), IntegerValue(0), StringValue("firstkey"),
                             IntegerValue(1), StringValue("keystep"), IntegerValue(spec.step)});
    default:
      return Step("unknown", {});
  }
}

Value Specifications(const Command& command) {
  std::vector<Value> specs;
  for (const KeySpec& spec : command.keys) {
    if (spec.begin == KeySpec::Begin::kNone) break;
    Value map = MapValue();
    if (spec.notes != nullptr) {
      map.elements.push_back(StringValue("notes"));
      map.elements.push_back(StringValue(spec.notes));
    }
    for (Value& element :
         std::vector<Value>{StringValue("flags"), KeyFlags(spec.flags), StringValue("begin_search"),
                            BeginSearch(spec), StringValue("find_keys"), FindKeysOf(spec)}) {
      map.elements.push_back(std::move(element));
    }
    specs.push_back(std::move(map));
  }
  return SetValue(std::move(specs));
}

bool IsSubcommand(const Command& command) {
  return command.name.find('|') != std::string_view::npos;
}

// Modules name their commands in capital letters.
std::string NameOf(const Command& command) {
  return (command.flags & kModule) != 0 ? ToUpper(command.name) : std::string(command.name);
}

Value Describe(const Dialect& dialect, const Command& command) {
  Value subcommands = dialect.lists_no_subcommands ? ArrayValue() : SetValue();
  if ((command.flags & kContainer) != 0) {
    subcommands = ArrayValue();
    const std::string prefix = std::string(command.name) + "|";
    for (const Command& known : KnownCommands(dialect)) {
      if (known.name.starts_with(prefix)) subcommands.elements.push_back(Describe(dialect, known));
    }
  }
  return ArrayValue({StringValue(NameOf(command)), IntegerValue(command.arity),
                     NamesOf(command.flags, kFlagNames, Value::Type::kStatus),
                     IntegerValue(command.range.first), IntegerValue(command.range.last),
                     IntegerValue(command.range.step),
                     NamesOf(AclCategories(command), kCategoryNames, Value::Type::kStatus),
                     NamesOf(command.tips, kTipNames, Value::Type::kString),
                     Specifications(command), std::move(subcommands)});
}

void DescribeAll(Context& c) {
  std::vector<Value>& all = c.Array();
  for (const Command& command : KnownCommands(c.dialect())) {
    if (!IsSubcommand(command)) all.push_back(Describe(c.dialect(), command));
  }
}

// Looks up a name as printed by COMMAND LIST: "get", "config|get".
const Command* FindByName(const Dialect& dialect, std::string_view name) {
  const std::size_t bar = name.find('|');
  const bool has_sub = bar != std::string_view::npos;
  bool container = false;
  const Command* command =
      FindCommand(dialect, name.substr(0, bar), has_sub ? name.substr(bar + 1) : std::string_view(),
                  has_sub, &container);
  return command != nullptr && EqualsIgnoreCase(name, command->name) ? command : nullptr;
}

void CommandInfo(Context& c) {
  if (c.args.size() == 2) return DescribeAll(c);
  std::vector<Value>& described = c.Array();
  for (const std::string_view name : c.args.subspan(2)) {
    const Command* command = FindByName(c.dialect(), name);
    described.push_back(command == nullptr ? NilValue() : Describe(c.dialect(), *command));
  }
}

void CountCommands(Context& c) {
  const auto known = KnownCommands(c.dialect());
  c.Integer(std::int64_t{std::count_if(
      known.begin(), known.end(), [](const Command& command) { return !IsSubcommand(command); })});
}

std::uint32_t CategoryByName(std::string_view name) {
  for (std::size_t bit = 0; bit < std::size(kCategoryNames); ++bit) {
    if (EqualsIgnoreCase(name, kCategoryNames[bit].substr(1))) return 1U << bit;
  }
  return 0;
}

// Includes subcommands.
void CommandList(Context& c) {
  const bool filtered = c.args.size() == 5 && EqualsIgnoreCase(c.args[2], "filterby");
  const std::string_view filter = filtered ? c.args[3] : std::string_view();
  const bool by_module = EqualsIgnoreCase(filter, "module");
  const bool by_category = EqualsIgnoreCase(filter, "aclcat");
  const bool by_pattern = EqualsIgnoreCase(filter, "pattern");
  if (c.args.size() != 2 && !by_module && !by_category && !by_pattern) return c.Error(kSyntax);
  const bool has_module = by_module && EqualsIgnoreCase(c.args[4], c.dialect().module_name);
  const std::uint32_t category = by_category ? CategoryByName(c.args[4]) : 0;
  const std::string pattern = by_pattern ? ToLower(c.args[4]) : std::string();
  std::vector<Value>& names = c.Array();
  for (const Command& command : KnownCommands(c.dialect())) {
    const bool listed = (!by_module || (has_module && (command.flags & kModule) != 0)) &&
                        (!by_category || (AclCategories(command) & category) != 0) &&
                        (!by_pattern || GlobMatch(pattern, command.name));
    if (listed) names.push_back(StringValue(NameOf(command)));
  }
}

bool HasKeys(const Command& command) {
  return std::any_of(command.keys.begin(), command.keys.end(), [](const KeySpec& spec) {
    return spec.begin != KeySpec::Begin::kNone && (spec.flags & kKeyNot) == 0;
  });
}

void GetKeys(Context& c, bool with_flags) {
  const Arguments args = c.args.subspan(2);
  const Command* command = FindCommand(c.dialect(), args);
  if (command == nullptr) return c.Error("ERR Invalid command specified");
  if (!HasKeys(*command)) return c.Error("ERR The command has no key arguments");
  if (!ArityMatches(*command, args.size())) {
    return c.Error("ERR Invalid number of arguments specified for command");
  }
  const std::vector<KeyPosition> keys = FindKeys(*command, args);
  if (keys.empty() && (command->flags & kNoMandatoryKeys) == 0) {
    return c.Error("ERR Invalid arguments specified for command");
  }
  std::vector<Value>& listed = c.Array();
  for (const KeyPosition& key : keys) {
    Value name = StringValue(args[key.index]);
    listed.push_back(with_flags ? ArrayValue({std::move(name), KeyFlags(key.flags)})
                                : std::move(name));
  }
}

constexpr HandlerRow kCommandCommands[] = {
    {"command", &DescribeAll},
    {"command|count", &CountCommands},
    {"command|getkeys", [](Context& c) { GetKeys(c, false); }},
    {"command|getkeysandflags", [](Context& c) { GetKeys(c, true); }},
    {"command|info", &CommandInfo},
    {"command|list", &CommandList},
};

}  // namespace

std::span<const HandlerRow> CommandCommands() { return kCommandCommands; }

}  // namespace interlock::sim::redis
