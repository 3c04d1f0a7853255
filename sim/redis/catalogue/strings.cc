// SPDX-License-Identifier: MIT
#include "sim/redis/catalogue/catalogue.h"

namespace interlock::sim::redis::catalogue {

namespace {

constexpr Command kStringRows[] = {
    {"append", 3, kWrite | kDenyOom | kFast, kAclString, {Key(1, kInserts)}},
    {"decr", 2, kWrite | kDenyOom | kFast, kAclString, {Key(1, kReadsAndUpdates)}},
    {"decrby", 3, kWrite | kDenyOom | kFast, kAclString, {Key(1, kReadsAndUpdates)}},
    {"get", 2, kReadOnly | kFast, kAclString, {Key(1, kReads)}},
    {"getdel", 2, kWrite | kFast, kAclString, {Key(1, kTakes)}},
    {"getex",
     -2,
     kWrite | kFast,
     kAclString,
     {Noted(Key(1, kReadsAndUpdates), "RW and UPDATE because it changes the TTL")}},
    {"getrange", 4, kReadOnly, kAclString, {Key(1, kReads)}},
    {"getset", 3, kWrite | kDenyOom | kFast, kAclString, {Key(1, kReadsAndUpdates)}},
    {"incr", 2, kWrite | kDenyOom | kFast, kAclString, {Key(1, kReadsAndUpdates)}},
    {"incrby", 3, kWrite | kDenyOom | kFast, kAclString, {Key(1, kReadsAndUpdates)}},
    {"incrbyfloat", 3, kWrite | kDenyOom | kFast, kAclString, {Key(1, kReadsAndUpdates)}},
    {"lcs", -3, kReadOnly, kAclString, {Keys(1, 1, kReads)}},
    {"mget", -2, kReadOnly | kFast, kAclString, {Keys(1, -1, kReads)}, kToMultiShard},
    {"mset",
     -3,
     kWrite | kDenyOom,
     kAclString,
     {Keys(1, -1, kOverwrites, 2)},
     kToMultiShard | kAllSucceeded},
    {"msetnx",
     -3,
     kWrite | kDenyOom,
     kAclString,
     {Keys(1, -1, kStores, 2)},
     kToMultiShard | kAggMin},
    {"psetex", 4, kWrite | kDenyOom, kAclString, {Key(1, kOverwrites)}},
    {"set",
     -3,
     kWrite | kDenyOom,
     kAclString,
     {Noted(Key(1, kReadsOrUpdates), "RW and ACCESS due to the optional `GET` argument")}},
    {"setex", 4, kWrite | kDenyOom, kAclString, {Key(1, kOverwrites)}},
    {"setnx", 3, kWrite | kDenyOom | kFast, kAclString, {Key(1, kStores)}},
    {"setrange", 4, kWrite | kDenyOom, kAclString, {Key(1, kUpdates)}},
    {"strlen", 2, kReadOnly | kFast, kAclString, {Key(1, kLooks)}},
    {"substr", 4, kReadOnly, kAclString, {Key(1, kReads)}},
    {"bitcount", -2, kReadOnly, kAclBitmap, {Key(1, kReads)}},
    {"bitfield",
     -2,
     kWrite | kDenyOom,
     kAclBitmap,
     {Noted(Key(1, kReadsOrUpdates),
            "This command allows both access and modification of the key")}},
    {"bitfield_ro", -2, kReadOnly | kFast, kAclBitmap, {Key(1, kReads)}},
    {"bitop", -4, kWrite | kDenyOom, kAclBitmap, {Key(2, kOverwrites), Keys(3, -1, kReads)}},
    {"bitpos", -3, kReadOnly, kAclBitmap, {Key(1, kReads)}},
    {"getbit", 3, kReadOnly | kFast, kAclBitmap, {Key(1, kReads)}},
    {"setbit", 4, kWrite | kDenyOom, kAclBitmap, {Key(1, kReadsAndUpdates)}},
    {"pfadd", -2, kWrite | kDenyOom | kFast, kAclHyperLogLog, {Key(1, kInserts)}},
    {"pfcount",
     -2,
     kReadOnly | kMayReplicate,
     kAclHyperLogLog,
     {Noted(Keys(1, -1, kReadsAndWrites),
            "RW because it may change the internal representation of the key, and propagate to "
            "replicas")}},
    {"pfdebug", 3, kWrite | kDenyOom | kAdmin, kAclHyperLogLog, {Key(2, kReadsAndWrites)}},
    {"pfmerge",
     -2,
     kWrite | kDenyOom,
     kAclHyperLogLog,
     {Key(1, kReadsAndInserts), Keys(2, -1, kReads)}},
    {"pfselftest", 1, kAdmin, kAclHyperLogLog},
};

}  // namespace

std::span<const Command> StringRows() { return kStringRows; }

}  // namespace interlock::sim::redis::catalogue
