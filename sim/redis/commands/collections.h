// SPDX-License-Identifier: MIT
//
// Shared by the commands of hashes, sets and sorted sets: removal of empty collections, the
// destination of a *STORE, random members, and *SCAN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/redis/commands/scan_options.h"
#include "sim/redis/context.h"
#include "sim/redis/engine.h"

namespace interlock::sim::redis {

/// A count whose sign is turned must not be the smallest number.
inline constexpr std::string_view kNoNegation =
    "ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807";

/// Called after the event of a removal: deletes an empty collection, with an event of its own. The
/// collection must not be used afterwards.
template <typename T>
void RemoveIfEmpty(Context& c, std::string_view key, const T& collection) {
  if (collection.size() != 0) return;
  c.Remove(key);
  c.Notify(kNotifyGeneric, "del", key);
}

/// Replaces whatever is there, TTL included, by the result, and replies its size; an empty result
/// deletes the key. `changes`: how many it counts for.
template <typename T>
void StoreResult(Context& c, std::string_view key, T result, NotifyClass type,
                 std::string_view event, std::size_t changes = 1) {
  const std::size_t size = result.size();
  c.Integer(size);
  if (size == 0) {
    if (!c.keyspace().Remove(c.database(), key)) return;
    c.Touch(key);
    c.Notify(kNotifyGeneric, "del", key);
    return;
  }
  c.FindToWrite(key);  // An expired one is deleted first, as its events show to clients.
  c.keyspace().Add(c.database(), key, std::move(result));
  c.Touch(key, changes);
  c.Notify(type, event, key);
}

/// Reads the number of members requested; if negative, members may repeat. On failure replies an
/// error and returns false.
bool ParseRandomCount(Context& c, std::string_view text, std::int64_t* count);
/// The chosen positions out of `size`. In order of position if all are wanted, or if requested.
std::vector<std::size_t> ChoosePositions(Engine& engine, std::size_t size, std::int64_t count,
                                         bool in_order);

/// HRANDFIELD key [count [WITHVALUES]], ZRANDMEMBER key [count [WITHSCORES]].
struct RandomRequest {
  bool has_count = false;
  std::int64_t count = 1;
  bool pairs = false;
};
bool ParseRandomRequest(Context& c, std::string_view pairs_word, RandomRequest* request);

/// One call of HSCAN, SSCAN or ZSCAN: items [first, last) are its page, and `next` is the cursor in
/// the reply. Pages go from the back to the front, because removals only move an item from the back
/// to the front: no item that stays throughout is missed.
struct ScanPage {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t next = 0;
  std::string_view pattern;
  bool names_only = false;
};
/// Reads the options. A compact collection is one page.
bool ParseScanPage(Context& c, ScanOf what, std::uint64_t cursor, std::size_t size, bool compact,
                   ScanPage* page);
void ReplyScanPage(Context& c, const ScanPage& page, std::vector<Value> found);

}  // namespace interlock::sim::redis
