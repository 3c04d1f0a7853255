// SPDX-License-Identifier: MIT
//
// BITOP: strings combined bit by bit. Shorter ones are taken to go on with zeros.
#include <algorithm>

#include "sim/redis/commands/collections.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

// One byte of the result: of the first source, and of all others combined.
struct Bytes {
  unsigned first = 0;
  unsigned all = 0xff;     // of all sources
  unsigned any = 0;        // of all sources
  unsigned any_other = 0;  // of all but the first
  unsigned odd = 0;        // set in an odd number of them
  unsigned more_than_one = 0;
};

struct Operation {
  std::string_view name;
  unsigned (*combine)(const Bytes&);
  DialectSet in;
  bool needs_two = false;
};

constexpr DialectSet kEverywhere = Of(DialectId::kRedis70) | kAllButRedis70;
constexpr DialectSet kSince82 = Of(DialectId::kRedis84);

constexpr Operation kOperations[] = {
    {"and", [](const Bytes& b) { return b.all; }, kEverywhere},
    {"or", [](const Bytes& b) { return b.any; }, kEverywhere},
    {"xor", [](const Bytes& b) { return b.odd; }, kEverywhere},
    {"not", [](const Bytes& b) { return ~b.first; }, kEverywhere},
    {"diff", [](const Bytes& b) { return b.first & ~b.any_other; }, kSince82, true},
    {"diff1", [](const Bytes& b) { return ~b.first & b.any_other; }, kSince82, true},
    {"andor", [](const Bytes& b) { return b.first & b.any_other; }, kSince82, true},
    {"one", [](const Bytes& b) { return b.any & ~b.more_than_one; }, kSince82},
};

Bytes BytesAt(const std::vector<std::string_view>& sources, std::size_t at) {
  Bytes bytes;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const unsigned byte = at < sources[i].size() ? static_cast<unsigned char>(sources[i][at]) : 0U;
    if (i == 0) bytes.first = byte;
    if (i != 0) bytes.any_other |= byte;
    bytes.more_than_one |= bytes.any & byte;
    bytes.all &= byte;
    bytes.any |= byte;
    bytes.odd ^= byte;
  }
  return bytes;
}

void BitOp(Context& c) {
  const auto* operation =
      std::find_if(std::begin(kOperations), std::end(kOperations), [&](const Operation& one) {
        return c.dialect().IsIn(one.in) && EqualsIgnoreCase(c.args[1], one.name);
      });
  if (operation == std::end(kOperations)) return c.Error(kSyntax);
  const Arguments keys = c.args.subspan(3);
  if (operation->name == "not" && keys.size() != 1) {
    return c.Error("ERR BITOP NOT must be called with a single source key.");
  }
  if (operation->needs_two && keys.size() == 1) {
    return c.Unmodelled("BITOP " + ToUpper(operation->name) + " of a single source key");
  }
  std::vector<std::string_view> sources;
  std::size_t longest = 0;
  for (const std::string_view key : keys) {
    std::string* text = nullptr;
    if (!c.GetToRead(key, &text)) return;
    sources.push_back(text == nullptr ? std::string_view() : *text);
    longest = std::max(longest, sources.back().size());
  }
  std::string result;
  result.reserve(longest);
  for (std::size_t at = 0; at < longest; ++at) {
    result.push_back(static_cast<char>(operation->combine(BytesAt(sources, at))));
  }
  StoreResult(c, c.args[2], std::move(result), kNotifyString, "set");
  if (longest != 0) c.FindToWrite(c.args[2])->form = StringForm::kRaw;
}

constexpr HandlerRow kBitOperationCommands[] = {{"bitop", &BitOp}};

}  // namespace

std::span<const HandlerRow> BitOperationCommands() { return kBitOperationCommands; }

}  // namespace interlock::sim::redis
