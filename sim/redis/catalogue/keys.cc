// SPDX-License-Identifier: MIT
#include "sim/redis/catalogue/catalogue.h"

namespace interlock::sim::redis::catalogue {

namespace {

constexpr const char* kNoteSortBy =
    "For the optional BY/GET keyword. It is marked 'unknown' because the key names derive from the "
    "content of the key we sort";
constexpr const char* kNoteSortStore =
    "For the optional STORE keyword. It is marked 'unknown' because the keyword can appear "
    "anywhere "
    "in the argument array";

constexpr Command kKeyRows[] = {
    {"copy", -3, kWrite | kDenyOom, kAclKeyspace, {Key(1, kReads), Key(2, kOverwrites)}},
    {"del", -2, kWrite, kAclKeyspace, {Keys(1, -1, kRemoves)}, kToMultiShard | kAggSum},
    {"dump", 2, kReadOnly, kAclKeyspace, {Key(1, kReads)}, kNondeterministic},
    {"exists", -2, kReadOnly | kFast, kAclKeyspace, {Keys(1, -1, kLooks)}, kToMultiShard | kAggSum},
    {"expire", -3, kWrite | kFast, kAclKeyspace, {Key(1, kUpdates)}},
    {"expireat", -3, kWrite | kFast, kAclKeyspace, {Key(1, kUpdates)}},
    {"expiretime", 2, kReadOnly | kFast, kAclKeyspace, {Key(1, kReads)}},
    {"keys",
     2,
     kReadOnly,
     kAclKeyspace | kAclDangerous,
     {},
     kToAllShards | kNondeterministicOrderLast},
    {"migrate",
     -6,
     kWrite,
     kAclKeyspace | kAclDangerous,
     {Key(3, kTakes), KeysAfter("KEYS", -2, -1, kTakesSome)},
     kNondeterministic},
    {"move", 3, kWrite | kFast, kAclKeyspace, {Key(1, kReadsAndUpdates)}},
    {"object", -2, kContainer, 0},
    {"object|encoding", 3, kReadOnly, kAclKeyspace, {Key(2, kLooks)}, kNondeterministic},
    {"object|freq", 3, kReadOnly, kAclKeyspace, {Key(2, kLooks)}, kNondeterministic},
    {"object|help", 2, kLoading | kStale, kAclKeyspace},
    {"object|idletime", 3, kReadOnly, kAclKeyspace, {Key(2, kLooks)}, kNondeterministic},
    {"object|refcount", 3, kReadOnly, kAclKeyspace, {Key(2, kLooks)}, kNondeterministic},
    {"persist", 2, kWrite | kFast, kAclKeyspace, {Key(1, kUpdates)}},
    {"pexpire", -3, kWrite | kFast, kAclKeyspace, {Key(1, kUpdates)}},
    {"pexpireat", -3, kWrite | kFast, kAclKeyspace, {Key(1, kUpdates)}},
    {"pexpiretime", 2, kReadOnly | kFast, kAclKeyspace, {Key(1, kReads)}},
    {"pttl", 2, kReadOnly | kFast, kAclKeyspace, {Key(1, kReads)}, kNondeterministic},
    {"randomkey", 1, kReadOnly, kAclKeyspace, {}, kToAllShards | kNondeterministicLast},
    {"rename", 3, kWrite, kAclKeyspace, {Key(1, kTakes), Key(2, kOverwrites)}},
    {"renamenx", 3, kWrite | kFast, kAclKeyspace, {Key(1, kTakes), Key(2, kStores)}},
    {"restore", -4, kWrite | kDenyOom, kAclKeyspace | kAclDangerous, {Key(1, kOverwrites)}},
    {"scan", -2, kReadOnly, kAclKeyspace, {}, kNondeterministic | kToSpecial},
    {"sort",
     -2,
     kWrite | kDenyOom,
     kAclSet | kAclSortedSet | kAclList | kAclDangerous,
     {Key(1, kReads), Noted(UnknownKeys(kReads), kNoteSortBy),
      Noted(UnknownKeys(kOverwrites), kNoteSortStore)}},
    {"sort_ro",
     -2,
     kReadOnly,
     kAclSet | kAclSortedSet | kAclList | kAclDangerous,
     {Key(1, kReads), Noted(UnknownKeys(kReads), kNoteSortBy)}},
    {"touch", -2, kReadOnly | kFast, kAclKeyspace, {Keys(1, -1, kLooks)}, kToMultiShard | kAggSum},
    {"ttl", 2, kReadOnly | kFast, kAclKeyspace, {Key(1, kReads)}, kNondeterministic},
    {"type", 2, kReadOnly | kFast, kAclKeyspace, {Key(1, kLooks)}},
    {"unlink", -2, kWrite | kFast, kAclKeyspace, {Keys(1, -1, kRemoves)}, kToMultiShard | kAggSum},
    {"wait", 3, kNoScript, kAclConnection, {}, kToAllShards | kAggMin},
};

}  // namespace

std::span<const Command> KeyRows() { return kKeyRows; }

}  // namespace interlock::sim::redis::catalogue
