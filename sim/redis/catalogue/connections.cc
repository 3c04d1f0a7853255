// SPDX-License-Identifier: MIT
#include "sim/redis/catalogue/catalogue.h"

namespace interlock::sim::redis::catalogue {

namespace {

constexpr Command kConnectionRows[] = {
    {"auth", -2, kNoScript | kLoading | kStale | kFast | kNoAuth | kAllowBusy, kAclConnection},
    {"client", -2, kContainer, 0},
    {"client|caching", 3, kNoScript | kLoading | kStale, kAclConnection},
    {"client|getname", 2, kNoScript | kLoading | kStale, kAclConnection},
    {"client|getredir", 2, kNoScript | kLoading | kStale, kAclConnection},
    {"client|help", 2, kLoading | kStale, kAclConnection},
    {"client|id", 2, kNoScript | kLoading | kStale, kAclConnection},
    {"client|info", 2, kNoScript | kLoading | kStale, kAclConnection, {}, kNondeterministic},
    {"client|kill", -3, kAdmin | kNoScript | kLoading | kStale, kAclConnection},
    {"client|list",
     -2,
     kAdmin | kNoScript | kLoading | kStale,
     kAclConnection,
     {},
     kNondeterministic},
    {"client|no-evict", 3, kAdmin | kNoScript | kLoading | kStale, kAclConnection},
    {"client|pause", -3, kAdmin | kNoScript | kLoading | kStale, kAclConnection},
    {"client|reply", 3, kNoScript | kLoading | kStale, kAclConnection},
    {"client|setname", 3, kNoScript | kLoading | kStale, kAclConnection},
    {"client|tracking", -3, kNoScript | kLoading | kStale, kAclConnection},
    {"client|trackinginfo", 2, kNoScript | kLoading | kStale, kAclConnection},
    {"client|unblock", -3, kAdmin | kNoScript | kLoading | kStale, kAclConnection},
    {"client|unpause", 2, kAdmin | kNoScript | kLoading | kStale, kAclConnection},
    {"echo", 2, kLoading | kStale | kFast, kAclConnection},
    {"hello", -1, kNoScript | kLoading | kStale | kFast | kNoAuth | kAllowBusy, kAclConnection},
    {"ping", -1, kFast | kSubscriber, kAclConnection, {}, kToAllShards | kAllSucceeded},
    {"quit", -1,
     kNoScript | kLoading | kStale | kFast | kNoAuth | kAllowBusy | kSubscriber | kAtOnceInMulti,
     kAclConnection},
    {"reset", 1,
     kNoScript | kLoading | kStale | kFast | kNoAuth | kAllowBusy | kSubscriber | kAtOnceInMulti,
     kAclConnection},
    {"select", 2, kLoading | kStale | kFast, kAclConnection},
};

}  // namespace

std::span<const Command> ConnectionRows() { return kConnectionRows; }

}  // namespace interlock::sim::redis::catalogue
