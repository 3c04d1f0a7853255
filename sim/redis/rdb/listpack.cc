// SPDX-License-Identifier: MIT
//
// Format: 4 bytes size, 2 bytes count (65535: more than fit), the entries, 0xFF. An entry is its
// encoding (with its length or some of its bits), its bytes, and the length of both, for reading
// backwards. Little endian.
#include "sim/redis/rdb/listpack.h"

#include "sim/redis/rdb/bytes.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

constexpr std::size_t kHeader = 6;
constexpr char kEnd = '\xff';
constexpr std::size_t kUnknownCount = 65535;

char Byte(std::uint64_t value) { return static_cast<char>(value & 0xff); }

std::string EncodedInteger(std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  std::string entry;
  if (number >= 0 && number <= 127) {
    entry.push_back(Byte(bits));
  } else if (number >= -4096 && number <= 4095) {
    entry.push_back(Byte(0xc0 | ((bits >> 8) & 0x1f)));
    entry.push_back(Byte(bits));
  } else {
    constexpr struct {
      int size;
      int code;
    } kWidths[] = {{2, 0xf1}, {3, 0xf2}, {4, 0xf3}, {8, 0xf4}};
    for (const auto& [size, code] : kWidths) {
      const std::int64_t limit = size == 8 ? 0 : std::int64_t{1} << (8 * size - 1);
      if (size != 8 && (number < -limit || number >= limit)) continue;
      entry.push_back(Byte(static_cast<std::uint64_t>(code)));
      AppendLittleEndian(bits, size, &entry);
      break;
    }
  }
  return entry;
}

std::string EncodedText(std::string_view text) {
  std::string entry;
  const std::uint64_t size = text.size();
  if (size < 64) {
    entry.push_back(Byte(0x80 | size));
  } else if (size < 4096) {
    entry.push_back(Byte(0xe0 | (size >> 8)));
    entry.push_back(Byte(size));
  } else {
    entry.push_back(Byte(0xf0));
    AppendLittleEndian(size, 4, &entry);
  }
  return entry.append(text);
}

// Seven bits per byte, the highest first; all but the first byte are marked.
std::string BackwardLength(std::size_t length) {
  std::string bytes(1, Byte(length & 127));
  for (length >>= 7; length > 0; length >>= 7) {
    bytes.back() = static_cast<char>(bytes.back() | '\x80');
    bytes.push_back(Byte(length & 127));
  }
  return {bytes.rbegin(), bytes.rend()};
}

bool ReadWidth(std::uint8_t code, ByteReader* reader, std::string* text) {
  const int size = code == 0xf1 ? 2 : code == 0xf2 ? 3 : code == 0xf3 ? 4 : 8;
  std::uint64_t bits = 0;
  if (!reader->LittleEndian(size, &bits)) return false;
  const int unused = 64 - 8 * size;
  *text = std::to_string(static_cast<std::int64_t>(bits << unused) >> unused);
  return true;
}

bool ReadText(std::uint64_t size, ByteReader* reader, std::string* text) {
  std::string_view bytes;
  if (!reader->Bytes(size, &bytes)) return false;
  text->assign(bytes);
  return true;
}

bool ReadEntry(ByteReader* reader, std::string* text) {
  const std::size_t begin = reader->position();
  std::uint64_t code = 0;
  std::uint64_t more = 0;
  if (!reader->LittleEndian(1, &code)) return false;
  bool read = false;
  if (code < 0x80) {
    *text = std::to_string(code);
    read = true;
  } else if (code < 0xc0) {
    read = ReadText(code & 0x3f, reader, text);
  } else if (code < 0xe0) {
    read = reader->LittleEndian(1, &more);
    const auto number = static_cast<std::int64_t>((code & 0x1f) << 8 | more);
    *text = std::to_string(number >= 4096 ? number - 8192 : number);
  } else if (code < 0xf0) {
    read = reader->LittleEndian(1, &more) && ReadText((code & 0x0f) << 8 | more, reader, text);
  } else if (code == 0xf0) {
    read = reader->LittleEndian(4, &more) && ReadText(more, reader, text);
  } else if (code <= 0xf4) {
    read = ReadWidth(static_cast<std::uint8_t>(code), reader, text);
  }
  if (!read) return false;
  const std::string expected = BackwardLength(reader->position() - begin);
  std::string_view backward;
  return reader->Bytes(expected.size(), &backward) && backward == expected;
}

}  // namespace

void ListpackWriter::Append(std::string_view text) {
  std::int64_t number = 0;
  const std::string entry =
      ParseInteger(text, &number) ? EncodedInteger(number) : EncodedText(text);
  entries_.append(entry).append(BackwardLength(entry.size()));
  ++count_;
}

std::size_t ListpackWriter::size() const { return kHeader + entries_.size() + 1; }

std::string ListpackWriter::Finish() const {
  std::string bytes;
  AppendLittleEndian(size(), 4, &bytes);
  AppendLittleEndian(count_ < kUnknownCount ? count_ : kUnknownCount, 2, &bytes);
  return bytes.append(entries_).append(1, kEnd);
}

std::optional<std::vector<std::string>> ReadListpack(std::string_view bytes) {
  ByteReader reader(bytes);
  std::uint64_t size = 0;
  std::uint64_t count = 0;
  if (!reader.LittleEndian(4, &size) || !reader.LittleEndian(2, &count)) return std::nullopt;
  if (size != bytes.size() || bytes.back() != kEnd) return std::nullopt;
  std::vector<std::string> elements;
  while (reader.position() + 1 < bytes.size()) {
    if (!ReadEntry(&reader, &elements.emplace_back())) return std::nullopt;
  }
  const bool complete = reader.position() + 1 == bytes.size();
  if (!complete || (count != kUnknownCount && count != elements.size())) return std::nullopt;
  return elements;
}

}  // namespace interlock::sim::redis
