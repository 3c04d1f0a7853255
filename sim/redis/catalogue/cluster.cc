// SPDX-License-Identifier: MIT
#include "sim/redis/catalogue/catalogue.h"

namespace interlock::sim::redis::catalogue {

namespace {

constexpr Command kClusterRows[] = {
    {"asking", 1, kFast, kAclConnection},
    {"cluster", -2, kContainer, 0},
    {"cluster|addslots", -3, kAdmin | kStale | kNoAsyncLoading, 0},
    {"cluster|addslotsrange", -4, kAdmin | kStale | kNoAsyncLoading, 0},
    {"cluster|bumpepoch", 2, kAdmin | kStale | kNoAsyncLoading, 0, {}, kNondeterministic},
    {"cluster|count-failure-reports", 3, kAdmin | kStale, 0, {}, kNondeterministic},
    {"cluster|countkeysinslot", 3, kStale, 0},
    {"cluster|delslots", -3, kAdmin | kStale | kNoAsyncLoading, 0},
    {"cluster|delslotsrange", -4, kAdmin | kStale | kNoAsyncLoading, 0},
    {"cluster|failover", -2, kAdmin | kStale | kNoAsyncLoading, 0},
    {"cluster|flushslots", 2, kAdmin | kStale | kNoAsyncLoading, 0},
    {"cluster|forget", 3, kAdmin | kStale | kNoAsyncLoading, 0},
    {"cluster|getkeysinslot", 4, kStale, 0, {}, kNondeterministic},
    {"cluster|help", 2, kLoading | kStale, 0},
    {"cluster|info", 2, kStale, 0, {}, kNondeterministic},
    {"cluster|keyslot", 3, kStale, 0},
    {"cluster|links", 2, kStale, 0, {}, kNondeterministic},
    {"cluster|meet", -4, kAdmin | kStale | kNoAsyncLoading, 0},
    {"cluster|myid", 2, kStale, 0},
    {"cluster|nodes", 2, kStale, 0, {}, kNondeterministic},
    {"cluster|replicas", 3, kAdmin | kStale, 0, {}, kNondeterministic},
    {"cluster|replicate", 3, kAdmin | kStale | kNoAsyncLoading, 0},
    {"cluster|reset", -2, kAdmin | kNoScript | kStale, 0},
    {"cluster|saveconfig", 2, kAdmin | kStale | kNoAsyncLoading, 0},
    {"cluster|set-config-epoch", 3, kAdmin | kStale | kNoAsyncLoading, 0},
    {"cluster|setslot", -4, kAdmin | kStale | kNoAsyncLoading, 0},
    {"cluster|shards", 2, kStale, 0, {}, kNondeterministic},
    {"cluster|slaves", 3, kAdmin | kStale, 0, {}, kNondeterministic},
    {"cluster|slots", 2, kStale, 0, {}, kNondeterministic},
    {"readonly", 1, kLoading | kStale | kFast, kAclConnection},
    {"readwrite", 1, kLoading | kStale | kFast, kAclConnection},
};

}  // namespace

std::span<const Command> ClusterRows() { return kClusterRows; }

}  // namespace interlock::sim::redis::catalogue
