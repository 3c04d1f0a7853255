// SPDX-License-Identifier: MIT
#include <bit>
#include <vector>

#include "sim/redis/rdb/bytes.h"
#include "sim/redis/rdb/footer.h"
#include "sim/redis/rdb/format.h"
#include "sim/redis/rdb/listpack.h"
#include "sim/redis/rdb/payload.h"
#include "sim/redis/rdb/text_encoding.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

void AppendListpack(const ListpackWriter& listpack, std::string* out) {
  AppendText(listpack.Finish(), out);
}

// A node takes elements until Redis' estimate of its size exceeds 8 KB.
void AppendList(const List& list, std::string* out) {
  constexpr std::size_t kNodeSize = 8192;
  constexpr std::size_t kOverhead = 8;
  const bool one_node = list.form == List::Form::kListpack;
  std::vector<ListpackWriter> nodes;
  for (const std::string& item : list.items) {
    if (nodes.empty() || (!one_node && nodes.back().size() + item.size() + kOverhead > kNodeSize)) {
      nodes.emplace_back();
    }
    nodes.back().Append(item);
  }
  out->push_back(static_cast<char>(kRdbQuicklist));
  AppendLength(nodes.size(), out);
  for (const ListpackWriter& node : nodes) {
    AppendLength(kPackedNode, out);
    AppendListpack(node, out);
  }
}

void AppendTimedHash(const Hash& hash, std::string* out) {
  out->push_back(static_cast<char>(kRdbTimedHash));
  AppendLength(hash.size(), out);
  for (const auto& [field, value] : hash.items()) {
    AppendText(field, out);
    AppendText(value, out);
    AppendLittleEndian(static_cast<std::uint64_t>(hash.ExpiryOf(field)), 8, out);
  }
}

void AppendHash(const Hash& hash, std::string* out) {
  out->push_back(static_cast<char>(hash.compact() ? kRdbHashListpack : kRdbHash));
  ListpackWriter listpack;
  if (!hash.compact()) AppendLength(hash.size(), out);
  for (const auto& [field, value] : hash.items()) {
    if (hash.compact()) {
      listpack.Append(field);
      listpack.Append(value);
    } else {
      AppendText(field, out);
      AppendText(value, out);
    }
  }
  if (hash.compact()) AppendListpack(listpack, out);
}

// Width, count, the numbers in order.
std::string IntegerSet(const std::vector<std::string>& members) {
  std::vector<std::int64_t> numbers;
  int width = 2;
  for (const std::string& member : members) {
    ParseInteger(member, &numbers.emplace_back());
    const std::int64_t number = numbers.back();
    if (number < INT32_MIN || number > INT32_MAX) {
      width = 8;
    } else if (width < 4 && (number < INT16_MIN || number > INT16_MAX)) {
      width = 4;
    }
  }
  std::string bytes;
  AppendLittleEndian(static_cast<std::uint64_t>(width), 4, &bytes);
  AppendLittleEndian(numbers.size(), 4, &bytes);
  for (const std::int64_t number : numbers) {
    AppendLittleEndian(static_cast<std::uint64_t>(number), width, &bytes);
  }
  return bytes;
}

void AppendSet(const Set& set, std::string* out) {
  const std::vector<std::string> members = set.Members();
  if (set.of_integers()) {
    out->push_back(static_cast<char>(kRdbIntegerSet));
    AppendText(IntegerSet(members), out);
    return;
  }
  if (set.compact()) {
    ListpackWriter listpack;
    for (const std::string& member : members) listpack.Append(member);
    out->push_back(static_cast<char>(kRdbSetListpack));
    return AppendListpack(listpack, out);
  }
  out->push_back(static_cast<char>(kRdbSet));
  AppendLength(members.size(), out);
  for (const std::string& member : members) AppendText(member, out);
}

// From the highest score down, which is fastest to load.
void AppendSkipList(const ScoreOrder& items, std::string* out) {
  out->push_back(static_cast<char>(kRdbSortedSet));
  AppendLength(items.size(), out);
  for (auto item = items.end(); item != items.begin();) {
    --item;
    AppendText(item->member, out);
    AppendLittleEndian(std::bit_cast<std::uint64_t>(item->score), 8, out);
  }
}

// Integers that doubles represent exactly are stored as integers.
std::string ScoreText(double score) {
  constexpr double kExact = 4503599627370496.0;  // 2^52
  if (score >= -kExact && score <= kExact) {
    const auto number = static_cast<std::int64_t>(score);
    if (static_cast<double>(number) == score) return std::to_string(number);
  }
  return FormatDouble(score);
}

void AppendSortedSet(const SortedSet& zset, std::string* out) {
  if (!zset.compact()) return AppendSkipList(zset.items(), out);
  out->push_back(static_cast<char>(kRdbSortedSetListpack));
  ListpackWriter listpack;
  for (const SortedSet::Item& item : zset.items()) {
    listpack.Append(item.member);
    listpack.Append(ScoreText(item.score));
  }
  AppendListpack(listpack, out);
}

}  // namespace

bool LosesTtls(const Data& data, const Dialect& dialect) {
  const auto* hash = std::get_if<Hash>(&data);
  return hash != nullptr && (hash->timed() || hash->has_room_for_ttls()) && !dialect.valkey;
}

std::string WritePayload(const Data& data, const Dialect& dialect) {
  std::string payload;
  if (const auto* text = std::get_if<std::string>(&data)) {
    payload.push_back(static_cast<char>(kRdbString));
    AppendText(*text, &payload);
  } else if (const auto* list = std::get_if<List>(&data)) {
    AppendList(*list, &payload);
  } else if (const auto* hash = std::get_if<Hash>(&data)) {
    const bool timed = hash->timed() && dialect.valkey;
    timed ? AppendTimedHash(*hash, &payload) : AppendHash(*hash, &payload);
  } else if (const auto* set = std::get_if<Set>(&data)) {
    AppendSet(*set, &payload);
  } else {
    AppendSortedSet(std::get<SortedSet>(data), &payload);
  }
  AppendFooter(dialect.rdb_version, &payload);
  return payload;
}

}  // namespace interlock::sim::redis
