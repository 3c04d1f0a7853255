// SPDX-License-Identifier: MIT
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

#include "sim/redis/rdb/bytes.h"
#include "sim/redis/rdb/crc64.h"
#include "sim/redis/rdb/format.h"
#include "sim/redis/rdb/listpack.h"
#include "sim/redis/rdb/lzf.h"
#include "sim/redis/rdb/payload.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

// False: not a length; `special` marks a special text encoding.
bool ReadLength(ByteReader* reader, std::uint64_t* length, bool* special) {
  std::uint64_t first = 0;
  if (!reader->LittleEndian(1, &first)) return false;
  *special = first >= kTextInteger8;
  if (*special) {
    *length = first;
    return true;
  }
  if (first == kLengthOf32Bits) return reader->BigEndian(4, length);
  if (first == kLengthOf64Bits) return reader->BigEndian(8, length);
  if (first >= kLengthOf32Bits) return false;
  *length = first & 0x3f;
  if (first < kLengthOf14Bits) return true;
  std::uint64_t second = 0;
  if (!reader->LittleEndian(1, &second)) return false;
  *length = *length << 8 | second;
  return true;
}

bool ReadCount(ByteReader* reader, std::uint64_t* count) {
  bool special = false;
  return ReadLength(reader, count, &special) && !special;
}

bool ReadCompressed(ByteReader* reader, std::string* text) {
  std::uint64_t compressed_size = 0;
  std::uint64_t size = 0;
  std::string_view bytes;
  if (!ReadCount(reader, &compressed_size) || !ReadCount(reader, &size)) return false;
  if (!reader->Bytes(compressed_size, &bytes)) return false;
  std::optional<std::string> expanded = ExpandLzf(bytes, static_cast<std::size_t>(size));
  if (!expanded) return false;
  *text = std::move(*expanded);
  return true;
}

bool ReadText(ByteReader* reader, std::string* text) {
  std::uint64_t length = 0;
  bool special = false;
  if (!ReadLength(reader, &length, &special)) return false;
  std::string_view bytes;
  if (!special) {
    if (!reader->Bytes(length, &bytes)) return false;
    text->assign(bytes);
    return true;
  }
  if (length == kTextCompressed) return ReadCompressed(reader, text);
  if (length > kTextInteger32) return false;
  const int size = length == kTextInteger8 ? 1 : length == kTextInteger16 ? 2 : 4;
  std::uint64_t bits = 0;
  if (!reader->LittleEndian(size, &bits)) return false;
  const int unused = 64 - 8 * size;
  *text = std::to_string(static_cast<std::int64_t>(bits << unused) >> unused);
  return true;
}

std::optional<std::vector<std::string>> ReadListpackText(ByteReader* reader) {
  std::string bytes;
  if (!ReadText(reader, &bytes)) return std::nullopt;
  return ReadListpack(bytes);
}

bool ReadList(ByteReader* reader, Data* data) {
  List list;
  std::uint64_t nodes = 0;
  if (!ReadCount(reader, &nodes)) return false;
  for (; nodes > 0; --nodes) {
    std::uint64_t container = 0;
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
      return ReadList(reader, data);
    case kRdbHash:
    case kRdbHashListpack:
      return ReadHash(reader, type == kRdbHashListpack, limits, data);
    case kRdbSet:
      return ReadSet(reader, limits, data);
    case kRdbIntegerSet:
      return ReadIntegerSet(reader, limits, data);
    case kRdbSortedSet:
      return ReadSortedSet(reader, limits, data);
    case kRdbSortedSetListpack:
      return ReadSortedSetListpack(reader, limits, data);
    default:
      return std::nullopt;
  }
}

bool IsEmptyCollection(const Data& data) {
  return std::visit([](const auto& value) { return value.size() == 0; }, data) &&
         !std::holds_alternative<std::string>(data);
}

}  // namespace

bool VerifyPayload(std::string_view payload) {
  if (payload.size() < kVersionSize + kChecksumSize) return false;
  const std::string_view checked = payload.substr(0, payload.size() - kChecksumSize);
  ByteReader footer(payload.substr(checked.size() - kVersionSize));
  std::uint64_t version = 0;
  std::uint64_t checksum = 0;
  footer.LittleEndian(kVersionSize, &version);
  footer.LittleEndian(kChecksumSize, &checksum);
  return version <= kRdbVersion && checksum == Crc64(checked);
}

PayloadResult ReadPayload(std::string_view payload, const EncodingLimits& limits, Data* data) {
  ByteReader reader(payload.substr(0, payload.size() - kVersionSize - kChecksumSize));
  std::uint64_t type = 0;
  if (!reader.LittleEndian(1, &type) || type > kRdbLast) return PayloadResult::kBad;
  const std::optional<bool> read = ReadValue(type, &reader, limits, data);
  if (!read) return PayloadResult::kUnmodelled;
  return *read && !IsEmptyCollection(*data) ? PayloadResult::kOk : PayloadResult::kBad;
}

}  // namespace interlock::sim::redis
