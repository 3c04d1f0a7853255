// SPDX-License-Identifier: MIT
//
// BITFIELD and BITFIELD_RO: integers of any width anywhere in a string.
#include <algorithm>
#include <limits>

#include "sim/redis/commands/bits.h"
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

enum class Overflow : std::uint8_t { kWrap, kSaturate, kFail };

struct FieldStep {
  enum class Kind : std::uint8_t { kGet, kSet, kIncrease };
  Kind kind = Kind::kGet;
  bool is_signed = false;
  std::size_t bits = 0;
  std::size_t offset = 0;
  std::int64_t number = 0;
  Overflow overflow = Overflow::kWrap;
};

bool ParseFieldType(Context& c, std::string_view text, FieldStep* step) {
  step->is_signed = text.starts_with('i');
  std::int64_t bits = 0;
  const bool valid = (step->is_signed || text.starts_with('u')) &&
                     ParseInteger(text.substr(1), &bits) && bits >= 1 &&
                     bits <= (step->is_signed ? 64 : 63);
  step->bits = static_cast<std::size_t>(bits);
  if (valid) return true;
  c.Error(
      "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but "
      "i64 is.");
  return false;
}

bool ParseOverflow(Context& c, std::string_view word, Overflow* overflow) {
  if (EqualsIgnoreCase(word, "wrap")) {
    *overflow = Overflow::kWrap;
  } else if (EqualsIgnoreCase(word, "sat")) {
    *overflow = Overflow::kSaturate;
  } else if (EqualsIgnoreCase(word, "fail")) {
    *overflow = Overflow::kFail;
  } else {
    c.Error("ERR Invalid OVERFLOW type specified");
    return false;
  }
  return true;
}

// Reads one step that begins with this word; the number of its words, or 0 after an error.
std::size_t ParseStep(Context& c, Arguments words, FieldStep* step) {
  if (EqualsIgnoreCase(words[0], "get") && words.size() > 2) {
    step->kind = FieldStep::Kind::kGet;
  } else if (EqualsIgnoreCase(words[0], "set") && words.size() > 3) {
    step->kind = FieldStep::Kind::kSet;
  } else if (EqualsIgnoreCase(words[0], "incrby") && words.size() > 3) {
    step->kind = FieldStep::Kind::kIncrease;
  } else {
    c.Error(kSyntax);
    return 0;
  }
  if (!ParseFieldType(c, words[1], step) ||
      !ParseBitOffset(c, words[2], step->bits, &step->offset)) {
    return 0;
  }
  if (step->kind == FieldStep::Kind::kGet) return 3;
  return c.ParseInt(words[3], &step->number) ? 4 : 0;
}

bool ParseSteps(Context& c, std::vector<FieldStep>* steps) {
  Overflow overflow = Overflow::kWrap;
  for (std::size_t i = 2; i < c.args.size();) {
    const Arguments words = c.args.subspan(i);
    if (EqualsIgnoreCase(words[0], "overflow") && words.size() > 1) {
      if (!ParseOverflow(c, words[1], &overflow)) return false;
      i += 2;
      continue;
    }
    FieldStep step;
    step.overflow = overflow;
    const std::size_t used = ParseStep(c, words, &step);
    if (used == 0) return false;
    steps->push_back(step);
    i += used;
  }
  return true;
}

// What a field of so many bits keeps of a number.
std::int64_t Cut(std::uint64_t number, const FieldStep& step) {
  const std::size_t unused = 64 - step.bits;
  if (step.is_signed) return static_cast<std::int64_t>(number << unused) >> unused;
  return static_cast<std::int64_t>(number << unused >> unused);
}

std::int64_t ReadField(std::string_view text, const FieldStep& step) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < step.bits; ++i) {
    number = number << 1 | (BitAt(text, step.offset + i) ? 1U : 0U);
  }
  return Cut(number, step);
}

void WriteField(std::string* text, const FieldStep& step, std::int64_t number) {
  for (std::size_t i = 0; i < step.bits; ++i) {
    const bool bit = ((static_cast<std::uint64_t>(number) >> (step.bits - 1 - i)) & 1) != 0;
    PutBit(text, step.offset + i, bit);
  }
}

enum class Excess : std::uint8_t { kNone, kAbove, kBelow };

// The distances to the limits are taken modulo 2^64, so that the smallest numbers, if they are SET
// in a narrow field, count as too large.
Excess SignedExcess(std::int64_t number, std::int64_t by, std::size_t bits) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() >> (64 - bits);
  const std::int64_t least = -most - 1;
  const auto distance = [number](std::int64_t limit) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(limit) -
                                     static_cast<std::uint64_t>(number));
  };
  const bool narrow = bits != 64;
  if (number > most || ((narrow || (number >= 0 && by > 0)) && by > distance(most))) {
    return Excess::kAbove;
  }
  if (number < least || ((narrow || (number < 0 && by < 0)) && by < distance(least))) {
    return Excess::kBelow;
  }
  return Excess::kNone;
}

Excess UnsignedExcess(std::uint64_t number, std::int64_t by, std::size_t bits) {
  const std::uint64_t most = (std::uint64_t{1} << bits) - 1;
  if (number > most || (by > 0 && by > static_cast<std::int64_t>(most - number))) {
    return Excess::kAbove;
  }
  return by < 0 && by < -static_cast<std::int64_t>(number) ? Excess::kBelow : Excess::kNone;
}

// Adds, as the step has it; false: nothing is to be written.
bool Add(const FieldStep& step, std::int64_t number, std::int64_t by, std::int64_t* sum) {
  const Excess excess = step.is_signed
                            ? SignedExcess(number, by, step.bits)
                            : UnsignedExcess(static_cast<std::uint64_t>(number), by, step.bits);
  *sum = Cut(static_cast<std::uint64_t>(number) + static_cast<std::uint64_t>(by), step);
  if (excess == Excess::kNone) return true;
  if (step.overflow == Overflow::kSaturate) {
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() >>
                              (step.is_signed ? 64 - step.bits : 63 - step.bits);
    const std::int64_t least = step.is_signed ? -most - 1 : 0;
    *sum = excess == Excess::kAbove ? most : least;
  }
  return step.overflow != Overflow::kFail;
}

// Returns whether it has written. `text` is null for a key that is only read and not there.
bool TakeStep(const FieldStep& step, bool grown, std::string* text, Value* reply) {
  const std::int64_t before = ReadField(text == nullptr ? std::string_view() : *text, step);
  *reply = IntegerValue(before);
  if (step.kind == FieldStep::Kind::kGet) return false;
  const bool sets = step.kind == FieldStep::Kind::kSet;
  std::int64_t after = 0;
  if (!Add(step, sets ? step.number : before, sets ? 0 : step.number, &after)) {
    reply->Clear();
    return false;
  }
  if (!sets) *reply = IntegerValue(after);
  WriteField(text, step, after);
  return grown || before != after;
}

void BitField(Context& c, bool may_write) {
  std::vector<FieldStep> steps;
  if (!ParseSteps(c, &steps)) return;
  bool writes = false;
  std::size_t last_bit = 0;
  for (const FieldStep& step : steps) {
    if (step.kind == FieldStep::Kind::kGet) continue;
    writes = true;
    last_bit = std::max(last_bit, step.offset + step.bits - 1);
  }
  if (writes && !may_write) return c.Error("ERR BITFIELD_RO only supports the GET subcommand");
  WrittenBits bits;
  if (writes ? !FindBitsToWrite(c, last_bit, &bits) : !c.GetToRead(c.args[1], &bits.text)) return;
  std::size_t changes = 0;
  std::vector<Value>& replies = c.Array();
  for (const FieldStep& step : steps) {
    changes += TakeStep(step, bits.grown, bits.text, &replies.emplace_back()) ? 1U : 0U;
  }
  if (changes == 0) return;
  c.Touch(c.args[1], changes);
  c.Notify(kNotifyString, "setbit", c.args[1]);
}

constexpr HandlerRow kBitFieldCommands[] = {
    {"bitfield", [](Context& c) { BitField(c, true); }},
    {"bitfield_ro", [](Context& c) { BitField(c, false); }},
};

}  // namespace

std::span<const HandlerRow> BitFieldCommands() { return kBitFieldCommands; }

}  // namespace interlock::sim::redis
