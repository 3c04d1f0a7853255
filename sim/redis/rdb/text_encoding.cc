// SPDX-License-Identifier: MIT
#include "sim/redis/rdb/text_encoding.h"

#include <optional>

#include "sim/redis/rdb/format.h"
#include "sim/redis/rdb/lzf.h"
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

}  // namespace

void AppendLength(std::uint64_t length, std::string* out) {
  if (length < 64) {
    out->push_back(static_cast<char>(kLengthOf6Bits | length));
  } else if (length < 16384) {
    AppendBigEndian(std::uint64_t{kLengthOf14Bits} << 8 | length, 2, out);
  } else if (length <= UINT32_MAX) {
    out->push_back(static_cast<char>(kLengthOf32Bits));
    AppendBigEndian(length, 4, out);
  } else {
    out->push_back(static_cast<char>(kLengthOf64Bits));
    AppendBigEndian(length, 8, out);
  }
}

void AppendText(std::string_view text, std::string* out) {
  std::int64_t number = 0;
  if (ParseInteger(text, &number) && number >= INT32_MIN && number <= INT32_MAX) {
    const bool byte = number >= INT8_MIN && number <= INT8_MAX;
    const bool word = number >= INT16_MIN && number <= INT16_MAX;
    out->push_back(static_cast<char>(byte   ? kTextInteger8
                                     : word ? kTextInteger16
                                            : kTextInteger32));
    AppendLittleEndian(static_cast<std::uint64_t>(number), byte ? 1 : word ? 2 : 4, out);
    return;
  }
  AppendLength(text.size(), out);
  out->append(text);
}

bool ReadCount(ByteReader* reader, std::uint64_t* count) {
  bool special = false;
  return ReadLength(reader, count, &special) && !special;
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

}  // namespace interlock::sim::redis
