// SPDX-License-Identifier: MIT
//
// What the commands of hashes, sets and sorted sets have in common: the end of an emptied
// collection, the destination of a *STORE, random members, and *SCAN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/redis/context.h"
#include "sim/redis/engine.h"

namespace interlock::sim::redis {

/// Behind the event of a removal: what has become empty is deleted, with an event of its own. The
/// collection must not be used afterwards.
template <typename T>
void RemoveIfEmpty(Context& c, std::string_view key, const T& collection) {
  if (collection.size() != 0) return;
  c.Remove(key);
  c.Notify(kNotifyGeneric, "del", key);
}

/// Puts the result in the place of whatever is there, TTL included, and replies its size; an empty
/// one deletes the key.
template <typename T>
void StoreResult(Context& c, std::string_view key, T result, NotifyClass type,
                 std::string_view event) {
  const std::size_t size = result.size();
  c.Integer(size);
  if (size == 0) {
    if (!c.keyspace().Remove(c.database(), key)) return;
    c.Touch(key);
    c.Notify(kNotifyGeneric, "del", key);
    return;
  }
  c.FindToWrite(key);  // One that has expired is deleted first, as clients see by the events.
  c.keyspace().Add(c.database(), key, std::move(result));
  c.Touch(key);
  c.Notify(type, event, key);
}

/// How many members are asked for: a negative count may give some several times. False: an error
/// is the reply.
bool ParseRandomCount(Context& c, std::string_view text, std::int64_t* count);
/// The positions chosen of `size` ones. In order of position if all are wanted, or if asked for.
std::vector<std::size_t> ChoosePositions(Engine& engine, std::size_t size, std::int64_t count,
                                         bool in_order);

/// HRANDFIELD key [count [WITHVALUES]], ZRANDMEMBER key [count [WITHSCORES]].
struct RandomRequest {
  bool has_count = false;
  std::int64_t count = 1;
  bool pairs = false;
};
bool ParseRandomRequest(Context& c, std::string_view pairs_word, RandomRequest* request);

/// One call of HSCAN, SSCAN or ZSCAN: the items [first, last) are its page, and `next` is the
/// cursor in the reply. Pages go from the back to the front, because removals move an item from the
/// back to the front alone: what is there all the time is met.
struct ScanPage {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t next = 0;
  std::string_view pattern;
};
/// Reads the options. A compact collection is one page.
bool ParseScanPage(Context& c, std::uint64_t cursor, std::size_t size, bool compact,
                   ScanPage* page);
void ReplyScanPage(Context& c, const ScanPage& page, std::vector<Value> found);

}  // namespace interlock::sim::redis
