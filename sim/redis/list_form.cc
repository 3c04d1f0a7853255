// SPDX-License-Identifier: MIT
#include "sim/redis/list_form.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sim/redis/rdb/listpack.h"

namespace interlock::sim::redis {

namespace {

constexpr std::size_t kMostPerEntry = 10;  // of a listpack, beside the text

/// list-max-listpack-size: a number of elements, or one of five sizes.
struct Limit {
  std::size_t bytes = SIZE_MAX;
  std::size_t count = SIZE_MAX;
};

Limit LimitOf(std::int64_t option) {
  constexpr std::size_t kSizes[] = {4096, 8192, 16384, 32768, 65536};
  constexpr std::int64_t kLast = 4;
  if (option >= 0) return {.count = static_cast<std::size_t>(std::max<std::int64_t>(option, 1))};
  return {.bytes = kSizes[std::min(-option - 1, kLast)]};
}

bool Exceeds(const Limit& limit, std::size_t bytes, std::size_t count) {
  constexpr std::size_t kSafe = 8192;  // however few elements may be as large as they like
  if (limit.bytes != SIZE_MAX) return bytes > limit.bytes;
  return bytes > kSafe || count > limit.count;
}

std::size_t PackedSize(const List& list) {
  ListpackWriter packed;
  for (const std::string& item : list.items) packed.Append(item);
  return packed.size();
}

}  // namespace

void BeforeGrowth(List& list, std::span<const std::string_view> added,
                  const EncodingLimits& limits) {
  if (!limits.since_72) list.form = List::Form::kQuicklist;
  if (list.form == List::Form::kQuicklist) return;
  std::size_t bytes = 0;
  for (const std::string_view text : added) bytes += text.size();
  const Limit limit = LimitOf(limits.list_size);
  const std::size_t count = list.size() + added.size();
  if (Exceeds(limit, list.packed_at_most + bytes, count)) {
    list.packed_at_most = PackedSize(list);
    if (Exceeds(limit, list.packed_at_most + bytes, count)) list.form = List::Form::kQuicklist;
  }
  list.packed_at_most += bytes + kMostPerEntry * added.size();
}

void AfterLoss(List& list, const EncodingLimits& limits) {
  if (!limits.since_72 || list.form == List::Form::kListpack) return;
  const Limit limit = LimitOf(limits.list_size);
  constexpr std::size_t kLeastPerEntry = 2;
  if (list.size() > limit.count / 2 || list.size() > limit.bytes / 2 / kLeastPerEntry) return;
  list.packed_at_most = PackedSize(list);
  const bool small = list.packed_at_most <= limit.bytes / 2 && list.size() <= limit.count / 2;
  if (!small) return;
  list.form = list.size() == 1 ? List::Form::kListpack : List::Form::kEither;
}

void AfterMaking(List& list, std::size_t nodes, const EncodingLimits& limits) {
  list.packed_at_most = PackedSize(list);
  const Limit limit = LimitOf(limits.list_size);
  const bool one =
      limits.since_72 && nodes == 1 && !Exceeds(limit, list.packed_at_most, list.size());
  list.form = one ? List::Form::kListpack : List::Form::kQuicklist;
}

void AfterLoading(List& list, const EncodingLimits& limits) {
  if (!limits.since_72) return;
  const bool one_node = list.form == List::Form::kListpack || list.size() == 1;
  AfterMaking(list, 1, limits);
  if (!one_node && list.form == List::Form::kListpack) list.form = List::Form::kEither;
}

}  // namespace interlock::sim::redis
