// SPDX-License-Identifier: MIT
#include "sim/redis/commands/collections.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "sim/redis/commands/scan_options.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

// Members may repeat in the answer without limit, which could fill any memory.
constexpr std::int64_t kMostRepeats = 10'000'000;

}  // namespace

bool ParseRandomCount(Context& c, std::string_view text, std::int64_t* count) {
  if (!c.ParseInt(text, count)) return false;
  if (*count != INT64_MIN) return true;
  c.Error(kNoNegation);
  return false;
}

std::vector<std::size_t> ChoosePositions(Engine& engine, std::size_t size, std::int64_t count,
                                         bool in_order) {
  std::vector<std::size_t> chosen;
  if (size == 0) return chosen;
  if (count < 0) {
    if (count < -kMostRepeats) {
      engine.SetUnmodelled("a random choice of more than 10,000,000 members");
      return chosen;
    }
    for (; count < 0; ++count) chosen.push_back(engine.dice.Choose(size));
    return chosen;
  }
  if (static_cast<std::uint64_t>(count) >= size) {
    chosen.resize(size);
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    return chosen;
  }
  // A partial shuffle that stops once there are enough; the map has the moved positions.
  std::map<std::size_t, std::size_t> moved;
  const auto at = [&](std::size_t position) {
    const auto found = moved.find(position);
    return found == moved.end() ? position : found->second;
  };
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const std::size_t other = i + static_cast<std::size_t>(engine.dice.Choose(size - i));
    chosen.push_back(at(other));
    moved[other] = at(i);
  }
  if (in_order) std::sort(chosen.begin(), chosen.end());
  return chosen;
}

bool ParseRandomRequest(Context& c, std::string_view pairs_word, RandomRequest* request) {
  if (c.args.size() == 2) return true;
  request->has_count = true;
  if (!ParseRandomCount(c, c.args[2], &request->count)) return false;
  if (c.args.size() == 3) return true;
  if (c.args.size() > 4 || !EqualsIgnoreCase(c.args[3], pairs_word)) {
    c.Error(kSyntax);
    return false;
  }
  request->pairs = true;
  constexpr std::int64_t kMostPairs = INT64_MAX / 2;
  if (request->count >= -kMostPairs && request->count <= kMostPairs) return true;
  c.Error("ERR value is out of range");
  return false;
}

bool ParseScanPage(Context& c, ScanOf what, std::uint64_t cursor, std::size_t size, bool compact,
                   ScanPage* page) {
  ScanOptions options;
  if (!ParseScanOptions(c, 3, what, &options)) return false;
  page->pattern = options.pattern;
  page->names_only = options.names_only;
  page->last = size;
  if (compact) return true;
  if (cursor != 0) page->last = static_cast<std::size_t>(std::min<std::uint64_t>(cursor, size));
  page->first = page->last - std::min(page->last, static_cast<std::size_t>(options.count));
  page->next = page->first;
  return true;
}

void ReplyScanPage(Context& c, const ScanPage& page, std::vector<Value> found) {
  c.Array() = {StringValue(std::to_string(page.next)), ArrayValue(std::move(found))};
}

}  // namespace interlock::sim::redis
