// SPDX-License-Identifier: MIT
#include "tests/redis/differential/coverage.h"

#include <algorithm>
#include <iterator>

#include "sim/redis/command_table.h"
#include "sim/redis/text.h"
#include "tests/redis/differential/scripts.h"
#include "tests/redis/differential/tested_server.h"

namespace interlock::testing {

namespace {

using sim::redis::Argv;
using sim::redis::Command;
using sim::redis::Value;

struct Exclusion {
  std::string_view command;
  std::string_view reason;
};

// A name that ends in | stands for all its subcommands.
constexpr Exclusion kExclusions[] = {
    {"acl|", "there is one user; what is modelled of it, AUTH and HELLO reach"},
    {"asking", "a node of a Cluster is asked for it in a test of its own"},
    {"bgrewriteaof", "persistence is compared by restarts of a real server"},
    {"bgsave", "persistence is compared by restarts of a real server"},
    {"cluster|", "a node of a Cluster is asked for it in a test of its own"},
    {"readonly", "a node of a Cluster is asked for it in a test of its own"},
    {"readwrite", "a node of a Cluster is asked for it in a test of its own"},
    {"dump", "its bytes depend on the inner form; compared in a test of its own"},
    {"failover", "replication is compared with real replicas"},
    {"function|dump", "its bytes depend on an order; compared in a test of its own"},
    {"function|restore", "its bytes depend on an order; compared in a test of its own"},
    {"memory|", "figures of an allocator"},
    {"monitor", "its lines carry times and addresses"},
    {"replicaof", "replication is compared with real replicas"},
    {"restore", "its bytes depend on the inner form; compared in a test of its own"},
    {"restore-asking", "its bytes depend on the inner form; compared in a test of its own"},
    {"save", "persistence is compared by restarts of a real server"},
    {"shutdown", "it ends the real server; its refusals are those of any command"},
    {"slaveof", "replication is compared with real replicas"},
};

// What the rule asks for in vain: a random choice is compared only by itself, no script runs long
// enough to be killed, no server has a configuration file, a pause needs real time, and EXEC
// answers a wrong arity with EXECABORT.
constexpr Exclusion kUnreachable[] = {
    {"randomkey", "never in MULTI"},       {"randomkey", "never by redis.call"},
    {"randomkey", "never by redis.pcall"}, {"script|kill", "no success"},
    {"function|kill", "no success"},       {"config|rewrite", "no success"},
    {"client|pause", "no success"},        {"client|reply", "never in MULTI"},
    {"client|kill", "never in MULTI"},     {"exec", "no arity error"},
};

// Those that refuse a key of another type with WRONGTYPE.
constexpr std::string_view kTyped[] = {
    // clang-format off
    "append", "decr", "decrby", "delifeq", "get", "getdel", "getex", "getrange", "getset", "incr",
    "incrby", "incrbyfloat", "setrange", "strlen", "substr",
    "bitcount", "bitfield", "bitfield_ro", "bitop", "bitpos", "getbit", "setbit",
    "sort", "sort_ro",
    "blmove", "blmpop", "blpop", "brpop", "brpoplpush", "lindex", "linsert", "llen", "lmove",
    "lmpop", "lpop", "lpos", "lpush", "lpushx", "lrange", "lrem", "lset", "ltrim", "rpop",
    "rpoplpush", "rpush", "rpushx",
    "hdel", "hexists", "hget", "hgetall", "hincrby", "hincrbyfloat", "hkeys", "hlen", "hmget",
    "hmset", "hrandfield", "hscan", "hset", "hsetnx", "hstrlen", "hvals",
    "hexpire", "hexpireat", "hexpiretime", "hgetdel", "hgetex", "hpersist", "hpexpire",
    "hpexpireat", "hpexpiretime", "hpttl", "hsetex", "httl",
    "sadd", "scard", "sdiff", "sdiffstore", "sinter", "sintercard", "sinterstore", "sismember",
    "smembers", "smismember", "smove", "spop", "srandmember", "srem", "sscan", "sunion",
    "sunionstore",
    "bzmpop", "bzpopmax", "bzpopmin", "zadd", "zcard", "zcount", "zdiff", "zdiffstore", "zincrby",
    "zinter", "zintercard", "zinterstore", "zlexcount", "zmpop", "zmscore", "zpopmax", "zpopmin",
    "zrandmember", "zrange", "zrangebylex", "zrangebyscore", "zrangestore", "zrank", "zrem",
    "zremrangebylex", "zremrangebyrank", "zremrangebyscore", "zrevrange", "zrevrangebylex",
    "zrevrangebyscore", "zrevrank", "zscan", "zscore", "zunion", "zunionstore",
    // clang-format on
};

constexpr std::string_view kWayNames[] = {"direct", "multi", "call", "pcall"};

const Command* Find(const Argv& argv) { return sim::redis::FindCommand(TestedDialect(), argv); }

// An error by its text without what is quoted in it, digits and the trace of a script.
std::string KindOfError(std::string_view text) {
  std::string kind;
  for (std::size_t i = 0; i < text.size() && kind.size() < 60; ++i) {
    if (text.substr(i).starts_with(" script: ")) break;
    if (text[i] == '\'') {
      const std::size_t end = text.find('\'', i + 1);
      if (end == std::string_view::npos) break;
      i = end;
      kind.append("'..'");
    } else if (text[i] < '0' || text[i] > '9') {
      kind.push_back(text[i]);
    }
  }
  return kind;
}

std::string KindOf(const Value& value) {
  const std::string_view empty = value.elements.empty() ? "empty " : "";
  switch (value.type) {
    case Value::Type::kNil:
      return "nil";
    case Value::Type::kNilArray:
      return "nil array";
    case Value::Type::kStatus:
      return "status";
    case Value::Type::kError:
      return KindOfError(value.text);
    case Value::Type::kInteger:
      return "integer";
    case Value::Type::kString:
      return value.text.empty() ? "empty string" : "string";
    case Value::Type::kArray:
      return std::string(empty).append("array");
    case Value::Type::kMap:
      return std::string(empty).append("map");
    case Value::Type::kSet:
      return std::string(empty).append("set");
    case Value::Type::kPush:
      return "push";
    case Value::Type::kDouble:
      return "double";
    case Value::Type::kBoolean:
      return "boolean";
    case Value::Type::kBigNumber:
      return "big number";
    case Value::Type::kVerbatim:
      return "verbatim";
  }
  return "?";
}

// Errors begin with their code in capitals; no other kind does.
bool IsError(std::string_view kind) { return !kind.empty() && kind[0] >= 'A' && kind[0] <= 'Z'; }

// The command that a generic script calls; nullopt: it is another one.
std::optional<Argv> CalledBy(const Argv& argv, Coverage::Way* way) {
  if (argv.size() < 4 || !sim::redis::EqualsIgnoreCase(argv[0], "eval") || argv[2] != "0") {
    return std::nullopt;
  }
  const auto bodies = GenericScriptBodies();
  if (argv[1] == bodies[0]) {
    *way = Coverage::Way::kCall;
  } else if (argv[1] == bodies[1]) {
    *way = Coverage::Way::kPcall;
  } else {
    return std::nullopt;
  }
  return Argv(argv.begin() + 3, argv.end());
}

}  // namespace

std::vector<std::string_view> ModelledCommands() {
  std::vector<std::string_view> names;
  for (const Command& known : sim::redis::KnownCommands(TestedDialect())) {
    const std::size_t bar = known.name.find('|');
    const bool sub = bar != std::string_view::npos;
    bool container = false;
    const Command* command =
        sim::redis::FindCommand(TestedDialect(), known.name.substr(0, bar),
                                sub ? known.name.substr(bar + 1) : "", sub, &container);
    if (command != nullptr && command->handler != nullptr) names.push_back(known.name);
  }
  return names;
}

bool IsModelled(const Argv& argv) {
  const Command* command = Find(argv);
  return command == nullptr || command->handler != nullptr ||
         (command->flags & sim::redis::kContainer) != 0;
}

std::string_view WhyNotGenerated(std::string_view command) {
  for (const Exclusion& exclusion : kExclusions) {
    const bool all = exclusion.command.ends_with('|');
    if (all ? command.starts_with(exclusion.command) : command == exclusion.command) {
      return exclusion.reason;
    }
  }
  return {};
}

void Coverage::Count(const Argv& argv, const Value* reply, Way way) {
  if (const std::optional<Argv> called = CalledBy(argv, &way)) return Count(*called, reply, way);
  const Command* command = Find(argv);
  Row& row = rows_[command == nullptr ? "(unknown)" : std::string(command->name)];
  ++row.ways[static_cast<std::size_t>(way)];
  ++row.kinds[reply == nullptr ? "(no reply)" : KindOf(*reply)];
}

bool Coverage::Succeeded(const Row& row) {
  return std::any_of(row.kinds.begin(), row.kinds.end(),
                     [](const auto& kind) { return !IsError(kind.first); });
}

std::string Coverage::Table() const {
  std::string table;
  for (const auto& [name, row] : rows_) {
    table.append(name).append(":");
    for (std::size_t i = 0; i < kWays; ++i) {
      table.append(i == 0 ? " " : ", ").append(kWayNames[i]).append(" ");
      table.append(std::to_string(row.ways[i]));
    }
    for (const auto& [kind, count] : row.kinds) {
      table.append(" | ").append(kind).append(" ").append(std::to_string(count));
    }
    table.append("\n");
  }
  for (const auto& [what, count] : unmodelled_) {
    table.append("ended by what is not modelled: ").append(what).append(" ");
    table.append(std::to_string(count)).append("\n");
  }
  return table;
}

std::vector<std::string> Coverage::Gaps() const {
  std::vector<std::string> gaps;
  for (const std::string_view name : ModelledCommands()) {
    if (!WhyNotGenerated(name).empty()) continue;
    const auto found = rows_.find(name);
    const Row& row = found == rows_.end() ? Row() : found->second;
    const auto lacks = [&](std::string_view start) {
      return std::none_of(row.kinds.begin(), row.kinds.end(),
                          [start](const auto& kind) { return kind.first.starts_with(start); });
    };
    const auto gap = [&](std::string_view what) {
      for (const Exclusion& unreachable : kUnreachable) {
        if (unreachable.command == name && unreachable.reason == what) return;
      }
      gaps.push_back(std::string(name).append(": ").append(what));
    };
    if (!Succeeded(row)) gap("no success");
    const std::size_t bar = name.find('|');
    bool container = false;
    const Command* command =
        sim::redis::FindCommand(TestedDialect(), name.substr(0, bar),
                                bar == std::string_view::npos ? "" : name.substr(bar + 1),
                                bar != std::string_view::npos, &container);
    const std::int64_t no_arity_error = bar == std::string_view::npos ? -1 : -2;
    if (command->arity != no_arity_error && lacks("ERR wrong number of arguments"))
      gap("no arity error");
    const bool typed = std::find(std::begin(kTyped), std::end(kTyped), name) != std::end(kTyped);
    if (typed && lacks("WRONGTYPE")) gap("no WRONGTYPE");
    if ((command->flags & (sim::redis::kAtOnceInMulti | sim::redis::kNoMulti)) == 0 &&
        row.ways[static_cast<std::size_t>(Way::kInMulti)] == 0) {
      gap("never in MULTI");
    }
    if (row.ways[static_cast<std::size_t>(Way::kCall)] == 0) gap("never by redis.call");
    if (row.ways[static_cast<std::size_t>(Way::kPcall)] == 0) gap("never by redis.pcall");
  }
  return gaps;
}

}  // namespace interlock::testing
