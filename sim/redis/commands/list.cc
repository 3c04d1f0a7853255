// SPDX-License-Identifier: MIT
//
// Lists in place: pushing, reading, changing. Removal from the ends is in list_pop.cc.
#include <algorithm>
#include <cstdlib>

#include "sim/redis/commands/collections.h"
#include "sim/redis/commands/ranges.h"
#include "sim/redis/engine.h"
#include "sim/redis/list_form.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

// The list has lost `count` elements; `event` is the cause.
void Removed(Context& c, std::string_view event, List& list, std::size_t count) {
  AfterLoss(list, c.engine.encoding_limits);
  const bool empty = list.items.empty();
  if (empty) c.Remove(c.args[1]);
  c.Touch(c.args[1], count);
  c.Notify(kNotifyList, event, c.args[1]);
  if (empty) c.Notify(kNotifyGeneric, "del", c.args[1]);
}

void Push(Context& c, bool left, bool only_existing) {
  List* list = nullptr;
  if (!c.Get(c.args[1], &list)) return;
  if (list == nullptr) {
    if (only_existing) return c.Integer(std::int64_t{0});
    list = &c.Create<List>(c.args[1]);
  }
  BeforeGrowth(*list, c.args.subspan(2), c.engine.encoding_limits);
  for (const std::string_view item : c.args.subspan(2)) list->Push(left, item);
  c.Integer(list->size());
  c.Touch(c.args[1], c.args.size() - 2);
  c.Notify(kNotifyList, left ? "lpush" : "rpush", c.args[1]);
}

void LLen(Context& c) {
  List* list = nullptr;
  if (c.Get(c.args[1], &list)) c.Integer(list == nullptr ? std::size_t{0} : list->size());
}

void LRange(Context& c) {
  std::int64_t start = 0;
  std::int64_t stop = 0;
  if (!c.ParseInt(c.args[2], &start) || !c.ParseInt(c.args[3], &stop)) return;
  List* list = nullptr;
  if (!c.Get(c.args[1], &list)) return;
  std::vector<Value>& found = c.Array();
  if (list == nullptr) return;
  const IndexRange range = ClampRange(start, stop, list->size());
  for (std::size_t i = range.first; i < range.last; ++i) {
    found.push_back(StringValue(list->items[i]));
  }
}

// The item at the index, counted from the end if negative; null if there is none.
std::string* ItemAt(List& list, std::int64_t index) {
  const auto size = static_cast<std::int64_t>(list.size());
  if (index < 0) index += size;
  if (index < 0 || index >= size) return nullptr;
  return &list.items[static_cast<std::size_t>(index)];
}

void LIndex(Context& c) {
  List* list = nullptr;
  if (!c.Get(c.args[1], &list) || list == nullptr) return;
  std::int64_t index = 0;
  if (!c.ParseInt(c.args[2], &index)) return;
  if (const std::string* item = ItemAt(*list, index)) c.String(*item);
}

void LSet(Context& c) {
  List* list = nullptr;
  if (!c.Get(c.args[1], &list)) return;
  if (list == nullptr) return c.Error(kNoSuchKey);
  std::int64_t index = 0;
  if (!c.ParseInt(c.args[2], &index)) return;
  // Newer servers take the lower half of a large number.
  if (c.dialect().since_72) index = static_cast<std::int32_t>(index);
  BeforeGrowth(*list, c.args.subspan(3, 1), c.engine.encoding_limits);
  std::string* item = ItemAt(*list, index);
  if (item == nullptr) return c.Error("ERR index out of range");
  item->assign(c.args[3]);
  AfterLoss(*list, c.engine.encoding_limits);
  c.Touch(c.args[1]);
  c.Notify(kNotifyList, "lset", c.args[1]);
  c.Ok();
}

template <typename Iterator>
std::int64_t RemoveEqual(TextQueue& items, Iterator first, Iterator last, std::string_view value,
                         std::int64_t limit) {
  std::int64_t removed = 0;
  const auto kept = std::remove_if(first, last, [&](const std::string& item) {
    if (item != value || removed == limit) return false;
    ++removed;
    return true;
  });
  if constexpr (std::is_same_v<Iterator, TextQueue::iterator>) {
    items.erase(kept, items.end());
  } else {
    items.erase(items.begin(), kept.base());
  }
  return removed;
}

void LRem(Context& c) {
  std::int64_t count = 0;
  if (!c.ParseInt(c.args[2], &count)) return;
  if (count == INT64_MIN && c.dialect().since_72) return c.Error(kNoNegation);
  List* list = nullptr;
  if (!c.Get(c.args[1], &list)) return;
  if (list == nullptr) return c.Integer(std::int64_t{0});
  TextQueue& items = list->items;
  // Zero, and the smallest number, which has no negation, mean all.
  const bool all = count == 0 || count == INT64_MIN;
  const std::int64_t limit = all ? INT64_MAX : std::abs(count);
  const std::int64_t removed =
      count < 0 ? RemoveEqual(items, items.rbegin(), items.rend(), c.args[3], limit)
                : RemoveEqual(items, items.begin(), items.end(), c.args[3], limit);
  if (removed > 0) Removed(c, "lrem", *list, static_cast<std::size_t>(removed));
  c.Integer(removed);
}

void LTrim(Context& c) {
  std::int64_t start = 0;
  std::int64_t stop = 0;
  if (!c.ParseInt(c.args[2], &start) || !c.ParseInt(c.args[3], &stop)) return;
  List* list = nullptr;
  if (!c.Get(c.args[1], &list)) return;
  c.Ok();
  if (list == nullptr) return;
  const IndexRange range = ClampRange(start, stop, list->size());
  auto& items = list->items;
  const std::size_t before = items.size();
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(range.last), items.end());
  items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(range.first));
  if (list->size() != before) return Removed(c, "ltrim", *list, before - list->size());
  AfterLoss(*list, c.engine.encoding_limits);
  // Subscribers are told even if nothing was removed, and watchers, but not by Valkey 9; replicas
  // need not be.
  c.propagation = Context::Propagation::kDone;
  if (!c.dialect().IsIn(kValkeyFrom90)) c.Touch(c.args[1], 0);
  c.Notify(kNotifyList, "ltrim", c.args[1]);
}

void LInsert(Context& c) {
  const bool after = EqualsIgnoreCase(c.args[2], "after");
  if (!after && !EqualsIgnoreCase(c.args[2], "before")) return c.Error(kSyntax);
  List* list = nullptr;
  if (!c.Get(c.args[1], &list)) return;
  if (list == nullptr) return c.Integer(std::int64_t{0});
  BeforeGrowth(*list, c.args.subspan(4, 1), c.engine.encoding_limits);
  const auto* at = std::find(list->items.begin(), list->items.end(), c.args[3]);
  if (at == list->items.end()) return c.Integer(std::int64_t{-1});
  if (after) ++at;
  list->items.insert(at, c.args[4]);
  c.Integer(list->size());
  c.Touch(c.args[1]);
  c.Notify(kNotifyList, "linsert", c.args[1]);
}

struct LPosOptions {
  std::int64_t rank = 1;
  std::int64_t count = -1;  // -1: a single position, not an array of them.
  std::int64_t limit = 0;   // 0: all elements are compared.
};

bool ParseNotNegative(Context& c, std::string_view text, std::int64_t* out,
                      std::string_view error) {
  if (!c.ParseInt(text, out, error)) return false;
  if (*out >= 0) return true;
  c.Error(error);
  return false;
}

bool ParseRank(Context& c, std::string_view text, std::int64_t* rank) {
  if (!c.ParseInt(text, rank)) return false;
  if (*rank == INT64_MIN && c.dialect().since_72) {
    c.Error(kNoNegation);
    return false;
  }
  if (*rank != 0) return true;
  c.Error(
      "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use "
      "negative to start from the end of the list");
  return false;
}

bool ParseLPosOptions(Context& c, LPosOptions* options) {
  for (std::size_t i = 3; i < c.args.size(); i += 2) {
    const bool has_value = i + 1 < c.args.size();
    const std::string_view value = has_value ? c.args[i + 1] : std::string_view();
    if (has_value && EqualsIgnoreCase(c.args[i], "rank")) {
      if (!ParseRank(c, value, &options->rank)) return false;
    } else if (has_value && EqualsIgnoreCase(c.args[i], "count")) {
      if (!ParseNotNegative(c, value, &options->count, "ERR COUNT can't be negative")) return false;
    } else if (has_value && EqualsIgnoreCase(c.args[i], "maxlen")) {
      if (!ParseNotNegative(c, value, &options->limit, "ERR MAXLEN can't be negative")) {
        return false;
      }
    } else {
      c.Error(kSyntax);
      return false;
    }
  }
  return true;
}

void LPos(Context& c) {
  LPosOptions options;
  if (!ParseLPosOptions(c, &options)) return;
  List* list = nullptr;
  if (!c.Get(c.args[1], &list)) return;
  const bool many = options.count != -1;
  if (many) c.EmptyArray();
  if (list == nullptr) return;
  const bool backwards = options.rank < 0;
  // The smallest number has no negation: with it every match counts, and no count is reached.
  const bool smallest = options.rank == INT64_MIN;
  const std::int64_t rank = smallest ? 1 : std::abs(options.rank);
  const auto size = static_cast<std::int64_t>(list->size());
  const std::int64_t end = options.limit == 0 ? size : std::min(size, options.limit);
  std::int64_t matches = 0;
  for (std::int64_t i = 0; i < end; ++i) {
    const std::int64_t index = backwards ? size - 1 - i : i;
    if (list->items[static_cast<std::size_t>(index)] != c.args[2] || ++matches < rank) continue;
    if (!many) return c.Integer(index);
    c.Array().push_back(IntegerValue(index));
    if (options.count != 0 && !smallest && matches - rank + 1 >= options.count) return;
  }
}

constexpr HandlerRow kListCommands[] = {
    {"lpush", [](Context& c) { Push(c, true, false); }},
    {"rpush", [](Context& c) { Push(c, false, false); }},
    {"lpushx", [](Context& c) { Push(c, true, true); }},
    {"rpushx", [](Context& c) { Push(c, false, true); }},
    {"llen", &LLen},
    {"lrange", &LRange},
    {"lindex", &LIndex},
    {"lset", &LSet},
    {"lrem", &LRem},
    {"ltrim", &LTrim},
    {"linsert", &LInsert},
    {"lpos", &LPos},
};

}  // namespace

std::span<const HandlerRow> ListCommands() { return kListCommands; }

}  // namespace interlock::sim::redis
