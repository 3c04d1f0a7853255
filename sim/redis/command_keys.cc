// SPDX-License-Identifier: MIT
#include "sim/redis/command_keys.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>

#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

using Args = std::span<const std::string_view>;
using Positions = std::vector<KeyPosition>;
using Index = std::int64_t;

Index Count(Args args) { return static_cast<Index>(args.size()); }

bool Is(Args args, Index i, std::string_view lower_case) {
  return EqualsIgnoreCase(args[static_cast<std::size_t>(i)], lower_case);
}

void Add(Positions* out, Index index, std::uint16_t flags) {
  out->push_back({static_cast<std::size_t>(index), flags});
}

// Where the keys of a specification begin; nullopt if its keyword is not among the arguments.
std::optional<Index> FindBegin(const KeySpec& spec, Args args) {
  if (spec.begin == KeySpec::Begin::kIndex) return spec.index;
  const std::string keyword = ToLower(spec.keyword);
  if (spec.index >= 0) {
    for (Index i = spec.index; i < Count(args); ++i) {
      if (Is(args, i, keyword)) return i + 1;
    }
  } else {
    for (Index i = Count(args) + spec.index; i >= 1; --i) {
      if (Is(args, i, keyword)) return i + 1;
    }
  }
  return std::nullopt;
}

// Returns false if the specification is not enough.
bool ApplySpec(const KeySpec& spec, Args args, Positions* out) {
  if (spec.begin == KeySpec::Begin::kUnknown || (spec.flags & kKeyIncomplete) != 0) return false;
  const std::optional<Index> begin = FindBegin(spec, args);
  if (!begin) return true;
  Index first = *begin;
  Index last = 0;
  if (spec.find == KeySpec::Find::kCounted) {
    std::int64_t keys = 0;
    if (first >= Count(args) || !ParseInteger(args[static_cast<std::size_t>(first)], &keys)) {
      return false;
    }
    const auto counted = static_cast<std::int32_t>(keys);
    if (keys < 0 || (counted != keys && !spec.cuts_count)) return false;
    ++first;
    last = first + (Index{counted} - 1) * spec.step;
  } else if (spec.last >= 0) {
    last = first + spec.last;
  } else if (spec.limit > 1) {
    last = first + (Count(args) - first) / spec.limit + spec.last;
  } else {
    last = Count(args) + spec.last;
  }
  if (first >= Count(args) || last >= Count(args) || last < first) return false;
  for (Index i = first; i <= last; i += spec.step) Add(out, i, spec.flags);
  return true;
}

// Returns false if one of the specifications is not enough.
bool ApplySpecs(const Command& command, Args args, bool channels, Positions* out) {
  for (const KeySpec& spec : command.keys) {
    if (spec.begin == KeySpec::Begin::kNone) break;
    if (!channels && (spec.flags & kKeyNot) != 0) continue;
    if (!ApplySpec(spec, args, out)) {
      out->clear();
      return false;
    }
  }
  return true;
}

// Options, some of which take arguments of their own.
struct Option {
  std::string_view name;
  Index arguments;
};

Index Skip(Args args, Index i, std::span<const Option> options) {
  for (const Option& option : options) {
    if (Is(args, i, option.name)) return option.arguments;
  }
  return 0;
}

void SortKeys(const Command& command, Args args, Positions* out) {
  constexpr Option kSkipped[] = {{"limit", 2}, {"get", 1}, {"by", 1}};
  Add(out, 1, kKeyRo | kKeyAccess);
  if ((command.flags & kWrite) == 0) return;
  Index store = 0;  // The last one counts.
  for (Index i = 2; i < Count(args); ++i) {
    const Index skipped = Skip(args, i, kSkipped);
    if (skipped == 0 && Is(args, i, "store") && i + 1 < Count(args)) store = ++i;
    i += skipped;
  }
  if (store != 0) Add(out, store, kKeyOw | kKeyUpdate);
}

void MigrateKeys(const Command&, Args args, Positions* out) {
  constexpr Option kSkipped[] = {{"auth", 1}, {"auth2", 2}};
  constexpr std::uint16_t kFlags = kKeyRw | kKeyAccess | kKeyDelete;
  for (Index i = 6; i + 1 < Count(args); ++i) {
    if (Is(args, i, "keys")) {
      // With a key in the usual place it is a syntax error.
      if (!args[3].empty()) return;
      for (Index key = i + 1; key < Count(args); ++key) Add(out, key, kFlags);
      return;
    }
    i += Skip(args, i, kSkipped);
  }
  Add(out, 3, kFlags);
}

void GeoRadiusKeys(const Command&, Args args, Positions* out) {
  Add(out, 1, kKeyRo | kKeyAccess);
  Index store = 0;
  for (Index i = 5; i + 1 < Count(args); ++i) {
    if (Is(args, i, "store") || Is(args, i, "storedist")) store = ++i;
  }
  if (store != 0) Add(out, store, kKeyOw | kKeyUpdate);
}

void SetKeys(const Command&, Args args, Positions* out) {
  bool reads = false;
  for (Index i = 3; i < Count(args); ++i) reads = reads || Is(args, i, "get");
  Add(out, 1, reads ? kKeyRw | kKeyAccess | kKeyUpdate : kKeyOw | kKeyUpdate);
}

void BitFieldKeys(const Command&, Args args, Positions* out) {
  constexpr Option kReading[] = {{"get", 2}, {"overflow", 1}};
  bool reads = true;
  for (Index i = 2; i < Count(args) && reads; ++i) {
    const Index skipped = Skip(args, i, kReading);
    reads = skipped != 0 && i + skipped < Count(args);
    i += skipped;
  }
  Add(out, 1, reads ? kKeyRo | kKeyAccess : kKeyRw | kKeyAccess | kKeyUpdate);
}

// Like atoi: accepts any text that begins with a number.
Index LenientNumber(std::string_view text) {
  return static_cast<std::int32_t>(std::strtol(std::string(text).c_str(), nullptr, 10));
}

// A count that only atoi can read: the keys are found, but not their flags.
void CountedLeniently(const Command& command, Args args, Positions* out) {
  Index store = 0;
  for (const KeySpec& spec : command.keys) {
    if (spec.begin == KeySpec::Begin::kIndex && spec.find == KeySpec::Find::kRange) {
      store = spec.index;
    }
    if (spec.find != KeySpec::Find::kCounted) continue;
    const Index keys = LenientNumber(args[static_cast<std::size_t>(spec.index)]);
    if (keys < 1 || keys > Count(args) - spec.index - 1) return;
    for (Index i = 1; i <= keys; ++i) Add(out, spec.index + i, 0);
  }
  if (store != 0) Add(out, store, 0);
}

// Its specification alone tells where they are.
void NoKeys(const Command&, Args, Positions*) {}

struct OwnSearch {
  std::string_view name;
  void (*find)(const Command&, Args, Positions*);
};

constexpr OwnSearch kOwnSearches[] = {
    {"bitfield", &BitFieldKeys},
    {"georadius", &GeoRadiusKeys},
    {"georadiusbymember", &GeoRadiusKeys},
    {"migrate", &MigrateKeys},
    {"msetex", &NoKeys},
    {"set", &SetKeys},
    {"sort", &SortKeys},
    {"sort_ro", &SortKeys},
};

bool IsCounted(const KeySpec& spec) { return spec.find == KeySpec::Find::kCounted; }

// Returns false if the command has no search of its own.
bool SearchOwnWay(const Command& command, Args args, Positions* out) {
  for (const OwnSearch& own : kOwnSearches) {
    if (own.name != command.name) continue;
    own.find(command, args, out);
    return true;
  }
  if (std::none_of(command.keys.begin(), command.keys.end(), &IsCounted)) return false;
  CountedLeniently(command, args, out);
  return true;
}

}  // namespace

std::vector<KeyPosition> FindKeys(const Command& command, Args args) {
  Positions found;
  const bool variable =
      std::any_of(command.keys.begin(), command.keys.end(),
                  [](const KeySpec& spec) { return (spec.flags & kKeyVariableFlags) != 0; });
  if (variable || !ApplySpecs(command, args, false, &found)) SearchOwnWay(command, args, &found);
  return found;
}

std::vector<std::size_t> KeyPositions(const Command& command, Args args) {
  std::vector<std::size_t> indices;
  Positions found;
  if (ApplySpecs(command, args, true, &found) || SearchOwnWay(command, args, &found)) {
    for (const KeyPosition& position : found) indices.push_back(position.index);
    return indices;
  }
  const KeyRange& range = command.range;
  if (range.first == 0) return indices;
  const Index last = range.last < 0 ? Count(args) + range.last : range.last;
  for (Index i = range.first; i <= last && i < Count(args); i += range.step) {
    indices.push_back(static_cast<std::size_t>(i));
  }
  return indices;
}

void DeriveKeyRange(Command* command) {
  int first = std::numeric_limits<std::int8_t>::max();
  unsigned last = 0;
  int step = 0;
  bool movable = false;
  const bool single = command->keys[1].begin == KeySpec::Begin::kNone;
  for (const KeySpec& spec : command->keys) {
    if (spec.begin == KeySpec::Begin::kNone) break;
    const bool fixed = spec.begin == KeySpec::Begin::kIndex && spec.find == KeySpec::Find::kRange;
    const bool follows = last == 0 || static_cast<int>(last) == spec.index - 1;
    if ((spec.flags & kKeyIncomplete) != 0) movable = true;
    if (!fixed || (!single && (spec.step != 1 || !follows))) {
      movable = true;
      continue;
    }
    first = std::min<int>(first, spec.index);
    // Compared as unsigned, because -1 is after all others.
    last =
        std::max(last, static_cast<unsigned>(spec.last < 0 ? spec.last : spec.index + spec.last));
    step = spec.step;
  }
  if (movable) command->flags |= kMovableKeys;
  if (step == 0) return;
  command->range = {static_cast<std::int8_t>(first), static_cast<std::int8_t>(last),
                    static_cast<std::int8_t>(step)};
}

}  // namespace interlock::sim::redis
