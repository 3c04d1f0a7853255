// SPDX-License-Identifier: MIT
#include "sim/redis/catalogue/catalogue.h"

namespace interlock::sim::redis::catalogue {

namespace {

constexpr Command kStreamRows[] = {
    {"xack", -4, kWrite | kFast, kAclStream, {Key(1, kUpdates)}},
    {"xadd",
     -5,
     kWrite | kDenyOom | kFast,
     kAclStream,
     {Noted(Key(1, kUpdates), "UPDATE instead of INSERT because of the optional trimming feature")},
     kNondeterministic},
    {"xautoclaim", -6, kWrite | kFast, kAclStream, {Key(1, kDeletes)}, kNondeterministic},
    {"xclaim", -6, kWrite | kFast, kAclStream, {Key(1, kUpdates)}, kNondeterministic},
    {"xdel", -3, kWrite | kFast, kAclStream, {Key(1, kDeletes)}},
    {"xgroup", -2, kContainer, 0},
    {"xgroup|create", -5, kWrite | kDenyOom, kAclStream, {Key(2, kInserts)}},
    {"xgroup|createconsumer", 5, kWrite | kDenyOom, kAclStream, {Key(2, kInserts)}},
    {"xgroup|delconsumer", 5, kWrite, kAclStream, {Key(2, kDeletes)}},
    {"xgroup|destroy", 4, kWrite, kAclStream, {Key(2, kDeletes)}},
    {"xgroup|help", 2, kLoading | kStale, kAclStream},
    {"xgroup|setid", -5, kWrite, kAclStream, {Key(2, kUpdates)}},
    {"xinfo", -2, kContainer, 0},
    {"xinfo|consumers", 4, kReadOnly, kAclStream, {Key(2, kReads)}, kNondeterministic},
    {"xinfo|groups", 3, kReadOnly, kAclStream, {Key(2, kReads)}},
    {"xinfo|help", 2, kLoading | kStale, kAclStream},
    {"xinfo|stream", -3, kReadOnly, kAclStream, {Key(2, kReads)}},
    {"xlen", 2, kReadOnly | kFast, kAclStream, {Key(1, kLooks)}},
    {"xpending", -3, kReadOnly, kAclStream, {Key(1, kReads)}, kNondeterministic},
    {"xrange", -4, kReadOnly, kAclStream, {Key(1, kReads)}},
    {"xread", -4, kReadOnly | kBlocking, kAclStream, {KeysAfter("STREAMS", 1, -1, kReads, 2)}},
    {"xreadgroup", -7, kWrite | kBlocking, kAclStream, {KeysAfter("STREAMS", 4, -1, kReads, 2)}},
    {"xrevrange", -4, kReadOnly, kAclStream, {Key(1, kReads)}},
    {"xsetid", -3, kWrite | kDenyOom | kFast, kAclStream, {Key(1, kUpdates)}},
    {"xtrim", -4, kWrite, kAclStream, {Key(1, kDeletes)}, kNondeterministic},
    {"geoadd", -5, kWrite | kDenyOom, kAclGeo, {Key(1, kUpdates)}},
    {"geodist", -4, kReadOnly, kAclGeo, {Key(1, kReads)}},
    {"geohash", -2, kReadOnly, kAclGeo, {Key(1, kReads)}},
    {"geopos", -2, kReadOnly, kAclGeo, {Key(1, kReads)}},
    {"georadius",
     -6,
     kWrite | kDenyOom,
     kAclGeo,
     {Key(1, kReads), KeysAfter("STORE", 6, 0, kOverwrites),
      KeysAfter("STOREDIST", 6, 0, kOverwrites)}},
    {"georadius_ro", -6, kReadOnly, kAclGeo, {Key(1, kReads)}},
    {"georadiusbymember",
     -5,
     kWrite | kDenyOom,
     kAclGeo,
     {Key(1, kReads), KeysAfter("STORE", 5, 0, kOverwrites),
      KeysAfter("STOREDIST", 5, 0, kOverwrites)}},
    {"georadiusbymember_ro", -5, kReadOnly, kAclGeo, {Key(1, kReads)}},
    {"geosearch", -7, kReadOnly, kAclGeo, {Key(1, kReads)}},
    {"geosearchstore", -8, kWrite | kDenyOom, kAclGeo, {Key(1, kOverwrites), Key(2, kReads)}},
};

}  // namespace

std::span<const Command> StreamRows() { return kStreamRows; }

}  // namespace interlock::sim::redis::catalogue
