// SPDX-License-Identifier: MIT
//
// SETBIT, GETBIT, BITCOUNT and BITPOS. Combinations of strings are in bit_operation.cc, BITFIELD is
// in bit_field.cc.
#include "sim/redis/commands/bits.h"

#include <algorithm>
#include <bit>

#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

bool ParseBitOffset(Context& c, std::string_view text, std::size_t field_bits,
                    std::size_t* offset) {
  const bool counts_fields = field_bits != 0 && text.starts_with('#');
  std::int64_t number = 0;
  if (!c.ParseInt(text.substr(counts_fields ? 1 : 0), &number,
                  "ERR bit offset is not an integer or out of range")) {
    return false;
  }
  *offset = static_cast<std::size_t>(number);
  // The product of a large number may be small again.
  if (counts_fields) *offset *= field_bits;
  const auto longest = static_cast<std::size_t>(c.engine.config().proto_max_bulk_len);
  const bool negative = static_cast<std::int64_t>(*offset) < 0;
  if (!negative && (c.client.from_master || *offset / 8 < longest)) return true;
  c.Error("ERR bit offset is not an integer or out of range");
  return false;
}

bool FindBitsToWrite(Context& c, std::size_t last_bit, WrittenBits* bits) {
  Entry* entry = c.FindToWrite(c.args[1]);
  if (!c.As(entry, &bits->text)) return false;
  const std::size_t needed = last_bit / 8 + 1;
  bits->grown = entry == nullptr || bits->text->size() < needed;
  if (!bits->grown && entry->form == StringForm::kRaw) return true;
  std::string text = entry == nullptr ? std::string() : std::move(*bits->text);
  if (bits->grown) text.resize(needed);
  const std::int64_t expires_at_ms = entry == nullptr ? kNoExpiry : entry->expires_at_ms;
  Entry& written = c.keyspace().Add(c.database(), c.args[1], std::move(text), expires_at_ms);
  written.form = StringForm::kRaw;
  bits->text = &std::get<std::string>(written.data);
  return true;
}

namespace {

void SetBit(Context& c) {
  std::size_t offset = 0;
  if (!ParseBitOffset(c, c.args[2], 0, &offset)) return;
  std::int64_t bit = 0;
  constexpr std::string_view kNotABit = "ERR bit is not an integer or out of range";
  if (!c.ParseInt(c.args[3], &bit, kNotABit)) return;
  if (bit != 0 && bit != 1) return c.Error(kNotABit);
  WrittenBits bits;
  if (!FindBitsToWrite(c, offset, &bits)) return;
  const bool before = BitAt(*bits.text, offset);
  c.Integer(std::int64_t{before ? 1 : 0});
  if (!bits.grown && before == (bit == 1)) return;
  PutBit(bits.text, offset, bit == 1);
  c.Touch(c.args[1]);
  c.Notify(kNotifyString, "setbit", c.args[1]);
}

void GetBit(Context& c) {
  std::size_t offset = 0;
  if (!ParseBitOffset(c, c.args[2], 0, &offset)) return;
  std::string* text = nullptr;
  if (!c.Get(c.args[1], &text)) return;
  c.Integer(std::int64_t{text != nullptr && BitAt(*text, offset) ? 1 : 0});
}

// From a bit or byte to another, both included, as BITCOUNT and BITPOS are told.
struct BitRange {
  std::int64_t start = 0;
  std::int64_t end = -1;
  bool in_bits = false;
  bool has_end = false;
};

bool ParseUnit(Context& c, std::string_view word, bool* in_bits) {
  *in_bits = EqualsIgnoreCase(word, "bit");
  if (*in_bits || EqualsIgnoreCase(word, "byte")) return true;
  c.Error(kSyntax);
  return false;
}

// Reads [start [end [unit]]]; `unit_first`: an error of the unit comes before one of the end.
bool ParseRange(Context& c, Arguments words, bool unit_first, BitRange* range) {
  if (words.empty()) return true;
  if (words.size() > 3) {
    c.Error(kSyntax);
    return false;
  }
  if (!c.ParseInt(words[0], &range->start)) return false;
  if (words.size() == 1) return true;
  range->has_end = true;
  const bool unit = words.size() == 3;
  if (unit && unit_first && !ParseUnit(c, words[2], &range->in_bits)) return false;
  if (!c.ParseInt(words[1], &range->end)) return false;
  return !unit || unit_first || ParseUnit(c, words[2], &range->in_bits);
}

// In bits, of which there are some: [first, last). False: it is empty.
bool ClampRange(const BitRange& range, std::size_t bytes, std::size_t* first, std::size_t* last) {
  const auto units = static_cast<std::int64_t>(range.in_bits ? bytes * 8 : bytes);
  const auto from_end = [&](std::int64_t at) {
    return at < 0 ? std::max<std::int64_t>(at + units, 0) : at;
  };
  const std::int64_t start = from_end(range.start);
  const std::int64_t end = std::min(from_end(range.end), units - 1);
  if (start > end) return false;
  const std::size_t width = range.in_bits ? 1 : 8;
  *first = static_cast<std::size_t>(start) * width;
  *last = static_cast<std::size_t>(end + 1) * width;
  return true;
}

std::size_t CountBits(std::string_view text, std::size_t first, std::size_t last) {
  std::size_t count = 0;
  for (; first < last && first % 8 != 0; ++first) count += BitAt(text, first) ? 1U : 0U;
  for (; last > first && last % 8 != 0; --last) count += BitAt(text, last - 1) ? 1U : 0U;
  for (std::size_t byte = first / 8; byte < last / 8; ++byte) {
    count += static_cast<std::size_t>(std::popcount(static_cast<unsigned char>(text[byte])));
  }
  return count;
}

// Whether it is empty whatever the length: both before the beginning would become the first byte.
bool IsBackwards(const BitRange& range) {
  return range.start < 0 && range.end < 0 && range.start > range.end;
}

// The arguments of BITCOUNT, and what it counts in. Redis 7.0 does not read what it need not know;
// Valkey can do without the end.
bool ReadBitCount(Context& c, BitRange* range, std::string** text) {
  const Arguments words = c.args.subspan(2);
  const Dialect& dialect = c.dialect();
  const auto parse = [&] {
    if (words.size() != 1 || dialect.valkey) return ParseRange(c, words, dialect.valkey, range);
    c.Error(kSyntax);
    return false;
  };
  if (dialect.since_72 && !parse()) return false;
  if (!c.Get(c.args[1], text)) return false;
  if (dialect.since_72 || *text == nullptr) return true;
  if (words.size() == 3) {
    if (!ParseRange(c, words.first(2), /*unit_first=*/false, range)) return false;
    if (IsBackwards(*range)) return true;
  }
  return parse();
}

void BitCount(Context& c) {
  BitRange range;
  std::string* text = nullptr;
  if (!ReadBitCount(c, &range, &text)) return;
  c.Integer(std::int64_t{0});
  if (text == nullptr || IsBackwards(range)) return;
  std::size_t first = 0;
  std::size_t last = 0;
  if (ClampRange(range, text->size(), &first, &last)) c.Integer(CountBits(*text, first, last));
}

// `last` if there is none.
std::size_t FindBit(std::string_view text, bool bit, std::size_t first, std::size_t last) {
  const unsigned char without = bit ? 0 : 0xff;
  while (first < last) {
    const bool skips = first % 8 == 0 && last - first >= 8 &&
                       static_cast<unsigned char>(text[first / 8]) == without;
    if (!skips && BitAt(text, first) == bit) return first;
    first += skips ? 8 : 1;
  }
  return last;
}

void BitPos(Context& c) {
  std::int64_t bit = 0;
  if (!c.ParseInt(c.args[2], &bit)) return;
  if (bit != 0 && bit != 1) return c.Error("ERR The bit argument must be 1 or 0.");
  BitRange range;
  const Arguments words = c.args.subspan(3);
  if (c.dialect().since_72 && !ParseRange(c, words, true, &range)) return;
  std::string* text = nullptr;
  if (!c.Get(c.args[1], &text)) return;
  if (text == nullptr) return c.Integer(std::int64_t{bit == 1 ? -1 : 0});
  if (!c.dialect().since_72 && !ParseRange(c, words, true, &range)) return;
  c.Integer(std::int64_t{-1});
  std::size_t first = 0;
  std::size_t last = 0;
  if (!ClampRange(range, text->size(), &first, &last)) return;
  const std::size_t found = FindBit(*text, bit == 1, first, last);
  // Without an end, the string is followed by zeros.
  if (found != last || (bit == 0 && !range.has_end)) c.Integer(found);
}

constexpr HandlerRow kBitCommands[] = {
    {"setbit", &SetBit},
    {"getbit", &GetBit},
    {"bitcount", &BitCount},
    {"bitpos", &BitPos},
};

}  // namespace

std::span<const HandlerRow> BitCommands() { return kBitCommands; }

}  // namespace interlock::sim::redis
