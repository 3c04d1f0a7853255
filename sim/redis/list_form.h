// SPDX-License-Identifier: MIT
//
// Which encoding a list has, as OBJECT ENCODING shows it: before Redis 7.2 a quicklist. Source:
// t_list.c and quicklist.c of Redis 7.2 and Valkey 8.1: a list is a listpack until it grows beyond
// list-max-listpack-size, and one again once it has shrunk to half of that and all of it stands in
// one node of its quicklist. Where elements stand in several nodes depends on all that has been
// done to the list and is not kept, so then its form is not known.
//
// Thread safety: plain functions of their arguments.
#pragma once

#include <span>
#include <string_view>

#include "sim/redis/data.h"
#include "sim/redis/encoding_limits.h"

namespace interlock::sim::redis {

/// Before these are put into the list, and before LSET and LINSERT look whether they will be.
void BeforeGrowth(List& list, std::span<const std::string_view> added,
                  const EncodingLimits& limits);
/// After a command that removes or replaces elements; the list may be empty.
void AfterLoss(List& list, const EncodingLimits& limits);
/// After a list was made as a whole, from a payload of so many nodes or from a result (one).
void AfterMaking(List& list, std::size_t nodes, const EncodingLimits& limits);
/// After a snapshot was loaded.
void AfterLoading(List& list, const EncodingLimits& limits);

}  // namespace interlock::sim::redis
