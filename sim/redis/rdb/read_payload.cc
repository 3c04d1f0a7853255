// SPDX-License-Identifier: MIT
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

#include "sim/redis/list_form.h"
#include "sim/redis/rdb/bytes.h"
#include "sim/redis/rdb/footer.h"
#include "sim/redis/rdb/format.h"
#include "sim/redis/rdb/listpack.h"
#include "sim/redis/rdb/payload.h"
#include "sim/redis/rdb/text_encoding.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

std::optional<std::vector<std::string>> ReadListpackText(ByteReader* reader) {
  std::string bytes;
  if (!ReadText(reader, &bytes)) return std::nullopt;
  return ReadListpack(bytes);
}

bool ReadList(ByteReader* reader, const EncodingLimits& limits, Data* data) {
  List list;
  std::uint64_t nodes = 0;
  if (!ReadCount(reader, &nodes)) return false;
  std::uint64_t container = 0;
  for (std::uint64_t node = 0; node < nodes; ++node) {
    if (!ReadCount(reader, &container)) return false;
    if (container == kPlainNode) {
      if (!ReadText(reader, &list.items.push_back({}))) return false;
    } else if (container == kPackedNode) {
      const std::optional<std::vector<std::string>> items = ReadListpackText(reader);
      if (!items) return false;
      for (const std::string& item : *items) list.items.push_back(item);
    } else {
      return false;
    }
  }
  // What stands in a plain node is as large as a quicklist is for.
  AfterMaking(list, container == kPlainNode ? 0 : nodes, limits);
  *data = std::move(list);
  return true;
}

// For pairs, each text follows the other.
bool ReadPairs(ByteReader* reader, std::vector<std::string>* texts) {
  std::uint64_t count = 0;
  if (!ReadCount(reader, &count)) return false;
  for (; count > 0; --count) {
    if (!ReadText(reader, &texts->emplace_back()) || !ReadText(reader, &texts->emplace_back())) {
      return false;
    }
  }
  return true;
}

bool ReadHash(ByteReader* reader, bool compact, const EncodingLimits& limits, Data* data) {
  std::vector<std::string> texts;
  if (compact) {
    std::optional<std::vector<std::string>> read = ReadListpackText(reader);
    if (!read || read->size() % 2 != 0) return false;
    texts = std::move(*read);
  } else if (!ReadPairs(reader, &texts)) {
    return false;
  }
  Hash hash;
  for (std::size_t i = 0; i < texts.size(); i += 2) {
    if (!hash.Set(texts[i], texts[i + 1], limits)) return false;
  }
  *data = std::move(hash);
  return true;
}

bool ReadTimedHash(ByteReader* reader, const EncodingLimits& limits, Data* data) {
  Hash hash;
  std::uint64_t count = 0;
  if (!ReadCount(reader, &count)) return false;
  for (; count > 0; --count) {
    std::string field;
    std::string value;
    std::uint64_t expiry = 0;
    if (!ReadText(reader, &field) || !ReadText(reader, &value)) return false;
    if (!reader->LittleEndian(8, &expiry) || !hash.Set(field, value, limits)) return false;
    const auto expires_at_ms = static_cast<std::int64_t>(expiry);
    if (expires_at_ms == kNoExpiry) continue;
    hash.SetExpiry(field, expires_at_ms, TimedForm::kHashTable);
  }
  *data = std::move(hash);
  return true;
}

bool ReadSetListpack(ByteReader* reader, const EncodingLimits& limits, Data* data) {
  const std::optional<std::vector<std::string>> members = ReadListpackText(reader);
  if (!members) return false;
  Set set = Set::Mixed(limits);
  for (const std::string& member : *members) {
    if (!set.Add(member, limits)) return false;
  }
  *data = std::move(set);
  return true;
}

bool ReadSet(ByteReader* reader, const EncodingLimits& limits, Data* data) {
  Set set;
  std::uint64_t count = 0;
  if (!ReadCount(reader, &count)) return false;
  for (; count > 0; --count) {
    std::string member;
    if (!ReadText(reader, &member) || !set.Add(member, limits)) return false;
  }
  *data = std::move(set);
  return true;
}

bool ReadIntegerSet(ByteReader* outer, const EncodingLimits& limits, Data* data) {
  std::string bytes;
  if (!ReadText(outer, &bytes)) return false;
  ByteReader reader(bytes);
  std::uint64_t width = 0;
  std::uint64_t count = 0;
  if (!reader.LittleEndian(4, &width) || !reader.LittleEndian(4, &count)) return false;
  if (width != 2 && width != 4 && width != 8) return false;
  if (bytes.size() != 8 + width * count) return false;
  Set set;
  for (; count > 0; --count) {
    std::uint64_t bits = 0;
    if (!reader.LittleEndian(static_cast<int>(width), &bits)) return false;
    const int unused = 64 - 8 * static_cast<int>(width);
    const std::int64_t number = static_cast<std::int64_t>(bits << unused) >> unused;
    if (!set.Add(std::to_string(number), limits)) return false;
  }
  *data = std::move(set);
  return true;
}

bool ReadSortedSet(ByteReader* reader, const EncodingLimits& limits, Data* data) {
  SortedSet zset;
  std::uint64_t count = 0;
  if (!ReadCount(reader, &count)) return false;
  for (; count > 0; --count) {
    std::string member;
    std::uint64_t bits = 0;
    if (!ReadText(reader, &member) || !reader->LittleEndian(8, &bits)) return false;
    const auto score = std::bit_cast<double>(bits);
    if (std::isnan(score) || zset.Score(member)) return false;
    zset.Put(member, score, limits);
  }
  *data = std::move(zset);
  return true;
}

bool ReadSortedSetListpack(ByteReader* reader, const EncodingLimits& limits, Data* data) {
  const std::optional<std::vector<std::string>> texts = ReadListpackText(reader);
  if (!texts || texts->size() % 2 != 0) return false;
  SortedSet zset;
  for (std::size_t i = 0; i < texts->size(); i += 2) {
    double score = 0;
    if (!ParseDouble((*texts)[i + 1], &score) || zset.Score((*texts)[i])) return false;
    zset.Put((*texts)[i], score, limits);
  }
  *data = std::move(zset);
  return true;
}

std::optional<bool> ReadValue(std::uint64_t type, ByteReader* reader, const EncodingLimits& limits,
                              Data* data) {
  switch (type) {
    case kRdbString:
      return ReadText(reader, &data->emplace<std::string>());
    case kRdbQuicklist:
      return ReadList(reader, limits, data);
    case kRdbHash:
    case kRdbHashListpack:
      return ReadHash(reader, type == kRdbHashListpack, limits, data);
    case kRdbSet:
      return ReadSet(reader, limits, data);
    case kRdbIntegerSet:
      return ReadIntegerSet(reader, limits, data);
    case kRdbSetListpack:
      return ReadSetListpack(reader, limits, data);
    case kRdbTimedHash:
      return ReadTimedHash(reader, limits, data);
    case kRdbSortedSet:
      return ReadSortedSet(reader, limits, data);
    case kRdbSortedSetListpack:
      return ReadSortedSetListpack(reader, limits, data);
    default:
      return std::nullopt;
  }
}

// Whether the server knows such values at all.
bool IsTypeOf(const Dialect& dialect, std::uint64_t type) {
  constexpr std::uint64_t kUnused = 8;
  std::uint64_t last = 19;
  if (dialect.IsIn(kNewerRedis)) last = 25;
  if (dialect.valkey) last = dialect.IsIn(kValkeyFrom90) ? 22 : 21;
  return type != kUnused && type <= last;
}

bool IsEmptyCollection(const Data& data) {
  return std::visit([](const auto& value) { return value.size() == 0; }, data) &&
         !std::holds_alternative<std::string>(data);
}

}  // namespace

PayloadResult ReadPayload(std::string_view payload, const Dialect& dialect,
                          const EncodingLimits& limits, Data* data) {
  ByteReader reader(payload);
  std::uint64_t type = 0;
  if (!reader.LittleEndian(1, &type) || !IsTypeOf(dialect, type)) return PayloadResult::kBad;
  // Redis has another type of this number.
  if (type == kRdbTimedHash && !dialect.valkey) return PayloadResult::kUnmodelled;
  const std::optional<bool> read = ReadValue(type, &reader, limits, data);
  if (!read) return PayloadResult::kUnmodelled;
  return *read && !IsEmptyCollection(*data) ? PayloadResult::kOk : PayloadResult::kBad;
}

}  // namespace interlock::sim::redis
