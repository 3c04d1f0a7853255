// SPDX-License-Identifier: MIT
//
// SORT and SORT_RO, in the C locale.
//
// Redis, other than Valkey, does not clear errno before it reads a number, so that one that an
// earlier command found too large may spoil a SORT of good numbers. Here each is read by itself.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "sim/redis/commands/collections.h"
#include "sim/redis/commands/sort_options.h"
#include "sim/redis/list_form.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

struct Sorted {
  std::string element;
  double score = 0;
  std::optional<std::string> weight;  // Of an alphabetic BY; nothing: there is none.
};

// Newer servers have a parser of their own: no blanks, nothing hexadecimal; that of Redis takes
// what is too large for infinite, that of Valkey refuses it, and the empty text.
bool ParseSortScore(const Dialect& dialect, std::string_view given, double* score) {
  const std::string_view text = UntilNul(given);
  const bool plain = dialect.plain_score_bounds;
  const bool strict = dialect.plain_scores;
  if (text.empty()) return !strict;
  if (plain && (IsBlank(text[0]) || IsHexadecimal(text))) return false;
  errno = 0;
  char* end = nullptr;
  *score = std::strtod(text.data(), &end);
  if (end != text.data() + text.size() || std::isnan(*score)) return false;
  if (errno != ERANGE) return true;
  return plain && (!strict || (*score != 0 && !std::isinf(*score)));
}

// In the order in which they are stored; sets and sorted sets have none that anybody may rely on,
// except by score.
std::vector<Sorted> Elements(const Data& data, const SortOptions& options) {
  std::vector<Sorted> elements;
  const auto add = [&](std::string_view element) { elements.emplace_back().element = element; };
  if (const auto* list = std::get_if<List>(&data)) {
    for (const std::string& item : list->items) add(item);
  } else if (const auto* set = std::get_if<Set>(&data)) {
    for (const std::string& member : set->Members()) add(member);
    return elements;
  } else {
    for (const SortedSet::Item& item : std::get<SortedSet>(data).items()) add(item.member);
  }
  if (options.unsorted && options.descending) std::reverse(elements.begin(), elements.end());
  return elements;
}

// Looks all of them up, even if one is no number; false: one is none.
bool Weigh(Context& c, const SortOptions& options, std::vector<Sorted>* elements) {
  bool numbers = true;
  for (Sorted& one : *elements) {
    std::optional<std::string_view> weight = one.element;
    if (options.by) weight = FindBySortPattern(c, *options.by, one.element);
    if (!weight) continue;
    if (options.alphabetic) {
      if (options.by) one.weight = *weight;
    } else if (!ParseSortScore(c.dialect(), *weight, &one.score)) {
      numbers = false;
    }
  }
  return numbers;
}

// As memcmp if the result is stored; else as strcoll in the C locale, which ends at a NUL.
int CompareTexts(const SortOptions& options, std::string_view a, std::string_view b) {
  return options.store ? a.compare(b) : UntilNul(a).compare(UntilNul(b));
}

int Compare(const SortOptions& options, const Sorted& a, const Sorted& b) {
  if (!options.alphabetic) {
    if (a.score != b.score) return a.score < b.score ? -1 : 1;
    return a.element.compare(b.element);
  }
  if (!options.by) return CompareTexts(options, a.element, b.element);
  if (a.weight && b.weight) return CompareTexts(options, *a.weight, *b.weight);
  return static_cast<int>(a.weight.has_value()) - static_cast<int>(b.weight.has_value());
}

// For a part of the result Redis sorts only that part, which leaves equal ones in any order.
bool IsOrderUnknown(const SortOptions& options, const std::vector<Sorted>& sorted, bool in_part) {
  constexpr std::size_t kMostInserted = 6;  // Fewer are sorted by insertion.
  if (!in_part || !options.by || sorted.size() <= kMostInserted) return false;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (Compare(options, sorted[i - 1], sorted[i]) == 0 &&
        sorted[i - 1].element != sorted[i].element) {
      return true;
    }
  }
  return false;
}

struct Part {
  std::size_t first = 0;
  std::size_t last = 0;  // not included
};

Part PartOf(const SortOptions& options, std::size_t size) {
  const auto all = static_cast<std::int64_t>(size);
  const std::int64_t first = std::clamp<std::int64_t>(options.offset, 0, all);
  const std::int64_t count = options.count < 0 ? all : std::min(options.count, all - first);
  return {static_cast<std::size_t>(first), static_cast<std::size_t>(std::min(first + count, all))};
}

// What the reply is made of, element by element.
std::vector<Value> Results(Context& c, const SortOptions& options,
                           std::span<const Sorted> elements) {
  std::vector<Value> results;
  for (const Sorted& one : elements) {
    if (options.gets.empty()) results.push_back(StringValue(one.element));
    for (const std::string_view pattern : options.gets) {
      const auto value = FindBySortPattern(c, pattern, one.element);
      results.push_back(value ? StringValue(*value) : NilValue());
    }
  }
  return results;
}

// Sorts, unless it may not; false: the reply says why.
bool PutInOrder(Context& c, const SortOptions& options, std::vector<Sorted>* elements) {
  if (options.unsorted) return true;
  if (!Weigh(c, options, elements)) {
    c.Error("ERR One or more scores can't be converted into double");
    return false;
  }
  std::stable_sort(elements->begin(), elements->end(), [&](const Sorted& a, const Sorted& b) {
    const int order = Compare(options, a, b);
    return options.descending ? order > 0 : order < 0;
  });
  const Part part = PartOf(options, elements->size());
  const bool in_part = part.last - part.first != elements->size();
  if (!IsOrderUnknown(options, *elements, in_part)) return true;
  c.Unmodelled("SORT BY ... ALPHA LIMIT of equal weights");
  return false;
}

void Sort(Context& c) {
  SortOptions options;
  if (!ParseSortOptions(c, &options)) return;
  Entry* entry = c.FindToRead(c.args[1]);
  std::vector<Sorted> elements;
  if (entry != nullptr) {
    const bool is_set = std::holds_alternative<Set>(entry->data);
    auto* sorted_set = std::get_if<SortedSet>(&entry->data);
    if (!is_set && sorted_set == nullptr && !std::holds_alternative<List>(entry->data)) {
      return c.Error(kWrongType);
    }
    if (sorted_set != nullptr) sorted_set->EndCompact();
    // What a set's order decides must be the same everywhere.
    if (options.unsorted && is_set && (options.store || c.client.in_script)) {
      options.unsorted = false;
      options.alphabetic = true;
      options.by.reset();
    }
    elements = Elements(entry->data, options);
  }
  if (!PutInOrder(c, options, &elements)) return;
  const Part part = PartOf(options, elements.size());
  std::vector<Value> results =
      Results(c, options, std::span(elements).subspan(part.first, part.last - part.first));
  if (!options.store) {
    c.Array() = std::move(results);
    return;
  }
  List list;
  for (const Value& result : results) list.Push(false, result.text);
  AfterMaking(list, 1, c.engine.encoding_limits);
  StoreResult(c, *options.store, std::move(list), kNotifyList, "sortstore", results.size());
}

constexpr HandlerRow kSortCommands[] = {{"sort", &Sort}, {"sort_ro", &Sort}};

}  // namespace

std::span<const HandlerRow> SortCommands() { return kSortCommands; }

}  // namespace interlock::sim::redis
