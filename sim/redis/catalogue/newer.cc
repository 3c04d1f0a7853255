// SPDX-License-Identifier: MIT
//
// What COMMAND of the newer servers prints other than Redis 7.0.15, measured on the versions that
// dialect.h names.
#include <algorithm>

#include "sim/redis/catalogue/catalogue.h"

namespace interlock::sim::redis::catalogue {

namespace {

struct NewRow {
  DialectSet in;
  Command command;
};

constexpr DialectSet kMSetEx = Of(DialectId::kRedis84) | kValkeyFrom90;
constexpr DialectSet kDelEx = Of(DialectId::kRedis84) | Of(DialectId::kValkey92);
constexpr std::uint32_t kField = kWrite | kFast;
constexpr std::uint32_t kLook = kReadOnly | kFast;
constexpr std::uint32_t kSetup = kNoScript | kLoading | kStale;
constexpr std::uint32_t kMigration = kAdmin | kStale | kNoAsyncLoading;
constexpr std::uint32_t kLog = kAdmin | kLoading | kStale;
constexpr std::uint16_t kToAll = kToAllNodes | kAllSucceeded;

constexpr KeySpec CountedPairs(int index, std::uint16_t flags) {
  KeySpec spec = CountedKeys(index, flags);
  spec.step = 2;
  return spec;
}

constexpr NewRow kNewRows[] = {
    // clang-format off
    {kAnyValkey, {"client|capa", -3, kSetup, kAclConnection}},
    {kAnyValkey, {"client|import-source", 3, kSetup, kAclConnection}},
    {kAllButRedis70, {"client|no-touch", 3, kSetup, kAclConnection}},
    {kAllButRedis70, {"client|setinfo", 4, kSetup, kAclConnection, {}, kToAll}},
    {kValkeyFrom90, {"clusterscan", -2, kReadOnly, kAclKeyspace, {Key(1, kChannel)},
                     kNondeterministic | kToSpecial | kSpecialResponse}},
    {kValkeyFrom90, {"cluster|cancelslotmigrations", 2, kMigration, 0}},
    {kValkeyFrom90, {"cluster|flushslot", -3, kAdmin | kWrite | kNoAsyncLoading, kAclKeyspace}},
    {kValkeyFrom90, {"cluster|getslotmigrations", 2, kMigration, 0}},
    {kValkeyFrom90, {"cluster|migrateslots", -4, kMigration, 0}},
    {kNewerRedis, {"cluster|myshardid", 2, kStale, 0, {}, kNondeterministic}},
    {kAnyValkey, {"cluster|myshardid", 2, kStale | kLoading, 0, {}, kNondeterministic}},
    {kAnyValkey, {"cluster|slot-stats", -4, kStale | kLoading, 0, {},
                  kNondeterministic | kToAllShards}},
    {kValkeyFrom90, {"cluster|syncslots", -3, kMigration, 0}},
    {kAnyValkey, {"commandlog", -2, kContainer, 0}},
    {kAnyValkey, {"commandlog|get", 4, kLog, 0, {}, kToAllNodes | kNondeterministicLast}},
    {kAnyValkey, {"commandlog|help", 2, kLoading | kStale, 0}},
    {kAnyValkey, {"commandlog|len", 3, kLog, 0, {},
                  kToAllNodes | kAggSum | kNondeterministicLast}},
    {kAnyValkey, {"commandlog|reset", 3, kLog, 0, {}, kToAll}},
    {kDelEx & kNewerRedis, {"delex", -2, kWrite | kFast, kAclString, {Key(1, kRemoves)}}},
    {kDelEx & kAnyValkey, {"delex", 4, kWrite | kFast, kAclString, {Key(1, kRemoves)}}},
    {kValkeyFrom90, {"delifeq", 3, kWrite | kFast, kAclString, {Key(1, kRemoves)}}},
    {Of(DialectId::kRedis84), {"digest", 2, kReadOnly | kFast, kAclString, {Key(1, kReads)}}},
    {kFieldTtls, {"hexpire", -6, kField, kAclHash, {Key(1, kUpdates)}}},
    {kFieldTtls, {"hexpireat", -6, kField, kAclHash, {Key(1, kUpdates)}}},
    {kFieldTtls, {"hexpiretime", -5, kLook, kAclHash, {Key(1, kReads)}}},
    {kFieldTtls, {"hgetdel", -5, kField, kAclHash, {Key(1, kTakes)}}},
    {kFieldTtls & kNewerRedis, {"hgetex", -5, kField, kAclHash,
      {Noted(Key(1, kReadsAndUpdates), "RW and UPDATE because it changes the TTL")}}},
    {kFieldTtls & kAnyValkey, {"hgetex", -5, kField, kAclHash, {Key(1, kReadsAndUpdates)}}},
    {kFieldTtls, {"hpersist", -5, kField, kAclHash, {Key(1, kUpdates)}}},
    {kFieldTtls, {"hpexpire", -6, kField, kAclHash, {Key(1, kUpdates)}}},
    {kFieldTtls, {"hpexpireat", -6, kField, kAclHash, {Key(1, kUpdates)}}},
    {kFieldTtls, {"hpexpiretime", -5, kLook, kAclHash, {Key(1, kReads)}}},
    {kFieldTtls & kNewerRedis, {"hpttl", -5, kLook, kAclHash, {Key(1, kReads)}, kNondeterministic}},
    {kFieldTtls & kAnyValkey, {"hpttl", -5, kLook, kAclHash, {Key(1, kReads)}}},
    {kFieldTtls & kNewerRedis, {"hsetex", -6, kField | kDenyOom, kAclHash, {Key(1, kUpdates)}}},
    {kFieldTtls & kAnyValkey, {"hsetex", -6, kField | kDenyOom, kAclHash, {Key(1, kInserts)}}},
    {kFieldTtls & kNewerRedis, {"httl", -5, kLook, kAclHash, {Key(1, kReads)}, kNondeterministic}},
    {kFieldTtls & kAnyValkey, {"httl", -5, kLook, kAclHash, {Key(1, kReads)}}},
    {kMSetEx, {"msetex", -4, kWrite | kDenyOom | kMovableKeys, kAclString,
               {CountedPairs(1, kOverwrites)}, kToMultiShard | kAllSucceeded}},
    {kAnyValkey, {"script|show", 3, kNoScript, kAclScripting}},
    {kNewerRedis, {"vadd", -1, kModule | kWrite | kDenyOom, 0, {Key(1, kReadsAndUpdates)}}},
    {kNewerRedis, {"vcard", -1, kModule | kLook, 0, {Key(1, kReadsAndUpdates)}}},
    {kNewerRedis, {"vdim", -1, kModule | kLook, 0, {Key(1, kReadsAndUpdates)}}},
    {kNewerRedis, {"vemb", -1, kModule | kLook, 0, {Key(1, kReadsAndUpdates)}}},
    {kNewerRedis, {"vgetattr", -1, kModule | kLook, 0, {Key(1, kReadsAndUpdates)}}},
    {kNewerRedis, {"vinfo", -1, kModule | kLook, 0, {Key(1, kReadsAndUpdates)}}},
    {kNewerRedis, {"vismember", -1, kModule | kReadOnly, 0, {Key(1, kReadsAndUpdates)}}},
    {kNewerRedis, {"vlinks", -1, kModule | kLook, 0, {Key(1, kReadsAndUpdates)}}},
    {kNewerRedis, {"vrandmember", -1, kModule | kReadOnly, 0, {Key(1, kReadsAndUpdates)}}},
    {kNewerRedis, {"vrem", -1, kModule | kWrite, 0, {Key(1, kReadsAndUpdates)}}},
    {kNewerRedis, {"vsetattr", -1, kModule | kField, 0, {Key(1, kReadsAndUpdates)}}},
    {kNewerRedis, {"vsim", -1, kModule | kReadOnly, 0, {Key(1, kReadsAndUpdates)}}},
    {kAllButRedis70, {"waitaof", 4, kBlocking, kAclConnection, {}, kToAllShards | kAggMin}},
    // clang-format on
};

/// What has changed about a command of Redis 7.0.
struct Change {
  DialectSet in;
  std::string_view name;
  std::uint32_t more = 0;
  std::uint32_t fewer = 0;
  std::uint16_t more_tips = 0;
  std::uint16_t fewer_tips = 0;
  int arity = 0;  // 0: as it was
};

constexpr DialectSet kV9 = kValkeyFrom90;
constexpr std::uint16_t kMSetNxTips = kToMultiShard | kAggMin;

constexpr Change kChanges[] = {
    {kAllButRedis70, "acl|deluser", 0, 0, kToAll},
    {kAllButRedis70, "acl|save", 0, 0, kToAll},
    {kAllButRedis70, "acl|setuser", 0, 0, kToAll},
    {kAllButRedis70, "blmove", 0, kNoScript},
    {kAllButRedis70, "blpop", 0, kNoScript},
    {kAllButRedis70, "brpop", 0, kNoScript},
    {kAllButRedis70, "brpoplpush", 0, kNoScript},
    {kAllButRedis70, "bzpopmax", 0, kNoScript},
    {kAllButRedis70, "bzpopmin", 0, kNoScript},
    {kV9, "client|caching", kAllowBusy},
    {kV9, "client|capa", kAllowBusy},
    {kV9, "client|getname", kAllowBusy},
    {kV9, "client|getredir", kAllowBusy},
    {kV9, "client|id", kAllowBusy},
    {kV9, "client|no-evict", kAllowBusy},
    {kV9, "client|no-touch", kAllowBusy},
    {kV9, "client|reply", kAllowBusy | kNoMulti},
    {kV9, "client|setinfo", kAllowBusy},
    {kV9, "client|setname", kAllowBusy},
    {kAllButRedis70, "client|setname", 0, 0, kToAll},
    {kAnyValkey, "cluster|info", kLoading},
    {kAnyValkey, "cluster|myid", kLoading},
    {kAnyValkey, "cluster|nodes", kLoading},
    {kV9, "cluster|replicate", 0, 0, 0, 0, -3},
    {kAnyValkey, "cluster|setslot", kMayReplicate},
    {kAllButRedis70, "cluster|shards", kLoading},
    {kAllButRedis70, "cluster|slots", kLoading},
    {kAllButRedis70, "command|getkeys", 0, 0, 0, 0, -3},
    {kAllButRedis70, "command|getkeysandflags", 0, 0, 0, 0, -3},
    {kAllButRedis70, "config|resetstat", 0, 0, kToAll},
    {kAllButRedis70, "config|rewrite", 0, 0, kToAll},
    {kAnyValkey, "exec", kSkipCommandlog, kSkipSlowlog},
    {kAllButRedis70, "latency|reset", 0, 0, kAggSum, kAllSucceeded},
    {kAnyValkey, "memory|malloc-stats", kLoading},
    {kAnyValkey, "memory|purge", kLoading},
    {kAllButRedis70, "msetnx", 0, 0, 0, kMSetNxTips},
    {kAnyValkey, "multi", kNoMulti},
    {kAllButRedis70, "randomkey", 0, 0, kSpecialResponse},
    {kAllButRedis70, "scan", 0, 0, kSpecialResponse},
    {kV9, "script|debug", 0, 0, 0, 0, -3},
    {kV9, "script|exists", kStale},
    {kV9, "script|flush", kStale},
    {kV9, "script|show", kStale},
    {kV9, "select", kAllowBusy},
    {kAllButRedis70, "wait", kBlocking, kNoScript},
    {kAnyValkey, "watch", kNoMulti},
    {kAllButRedis70, "zrank", 0, 0, 0, 0, -3},
    {kAllButRedis70, "zrevrank", 0, 0, 0, 0, -3},
};

void Apply(const Change& change, Command* command) {
  command->flags = (command->flags & ~change.fewer) | change.more;
  command->tips =
      static_cast<std::uint16_t>((command->tips & ~change.fewer_tips) | change.more_tips);
  if (change.arity != 0) command->arity = static_cast<std::int8_t>(change.arity);
}

// Key specifications: of two commands they have changed, and of all how a count is read.
void ChangeKeys(const Dialect& dialect, Command* command) {
  for (KeySpec& spec : command->keys) {
    spec.cuts_count = !dialect.IsIn(kNewerRedis | kValkeyFrom90);
  }
  if (command->name == "sinterstore" && dialect.IsIn(kAllButRedis70)) {
    command->keys[0].flags = kOverwrites;
  }
  if (command->name.starts_with("georadius") && dialect.IsIn(kValkeyFrom90)) {
    for (KeySpec& spec : command->keys) {
      if (spec.begin == KeySpec::Begin::kKeyword) spec.flags |= kKeyVariableFlags;
    }
  }
}

}  // namespace

void AddNewer(const Dialect& dialect, std::vector<Command>* commands) {
  for (const NewRow& row : kNewRows) {
    if (dialect.IsIn(row.in)) commands->push_back(row.command);
  }
  for (Command& command : *commands) {
    for (const Change& change : kChanges) {
      if (dialect.IsIn(change.in) && command.name == change.name) Apply(change, &command);
    }
    ChangeKeys(dialect, &command);
  }
}

}  // namespace interlock::sim::redis::catalogue
