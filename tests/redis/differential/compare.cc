// SPDX-License-Identifier: MIT
#include "tests/redis/differential/compare.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/redis/text.h"
#include "tests/redis/differential/arguments.h"
#include "tests/redis/differential/tested_server.h"

namespace interlock::testing {

namespace {

using sim::redis::Argv;
using sim::redis::EqualsIgnoreCase;
using sim::redis::Value;

constexpr std::string_view kUnordered[] = {
    "zscan", "keys",        "smembers",   "sinter",      "sunion", "sdiff",  "scan",    "sscan",
    "spop",  "srandmember", "hrandfield", "zrandmember", "pubsub", "config", "command", "function"};
constexpr std::string_view kChoosing[] = {"spop", "srandmember", "hrandfield", "zrandmember",
                                          "randomkey"};
constexpr std::string_view kPaging[] = {"scan", "sscan", "hscan", "zscan"};
constexpr std::string_view kSorting[] = {"sort", "sort_ro"};
// Valkey has no order for a hash whose fields have had TTLs.
constexpr std::string_view kUnorderedFields[] = {"hgetall", "hkeys", "hvals", "hscan"};
constexpr std::string_view kIncomparable[] = {"time", "info", "lastsave", "idletime"};

// The word itself, or in a script as the name of a command.
bool Names(const std::string& word, std::string_view name) {
  if (word.size() <= name.size()) return EqualsIgnoreCase(word, name);
  const std::size_t at = word.find(name);
  return at != std::string::npos && at >= 6 && word.compare(at - 6, 6, "call('") == 0;
}

template <std::size_t N>
bool NamesOneOf(const std::string& word, const std::string_view (&names)[N]) {
  return std::any_of(std::begin(names), std::end(names),
                     [&](std::string_view name) { return Names(word, name); });
}

bool Before(const Value& a, const Value& b) { return ToText(a) < ToText(b); }

void Sort(Value* value) {
  for (Value& element : value->elements) Sort(&element);
  if (value->type != Value::Type::kMap) {
    std::sort(value->elements.begin(), value->elements.end(), Before);
    return;
  }
  std::vector<std::pair<std::string, std::array<Value, 2>>> entries;
  for (std::size_t i = 0; i + 1 < value->elements.size(); i += 2) {
    entries.push_back({ToText(value->elements[i]), {value->elements[i], value->elements[i + 1]}});
  }
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  value->elements.clear();
  for (auto& [text, entry] : entries) {
    for (Value& element : entry) value->elements.push_back(std::move(element));
  }
}

bool SameId(std::int64_t real, std::int64_t fake, const Surroundings& surroundings) {
  for (std::size_t i = 0; i < surroundings.real_ids.size(); ++i) {
    if (real == surroundings.real_ids[i] && fake == surroundings.fake_ids[i]) return true;
  }
  return false;
}

// In the answer to HELLO, before anything is sorted by it.
void HideIds(Value* value, std::span<const std::int64_t> ids) {
  for (std::size_t i = 0; i < value->elements.size(); ++i) {
    Value& element = value->elements[i];
    HideIds(&element, ids);
    if (i == 0 || value->elements[i - 1].text != "id") continue;
    const auto found = std::find(ids.begin(), ids.end(), element.integer);
    if (found != ids.end()) element.integer = found - ids.begin();
  }
}

bool Within(std::int64_t low, std::int64_t number, std::int64_t high) {
  return low <= number && number <= high;
}

// Two readings of one TTL: both as large as TTLs of the generator are, relative or absolute, and
// with less between them than a run lasts.
bool SameTime(std::int64_t a, std::int64_t b, std::int64_t now_ms) {
  constexpr std::int64_t kSlackSeconds = 5;
  const auto [low, high] = std::minmax(a, b);
  for (const std::int64_t scale : {std::int64_t{1}, std::int64_t{1000}}) {
    if (high - low > kSlackSeconds * scale) continue;
    const std::int64_t now = now_ms * scale / 1000;
    for (const std::int64_t base : {std::int64_t{0}, now, kFarAway * scale - now}) {
      const std::int64_t least = base + (kLeastTtl - 2 * kSlackSeconds) * scale;
      const std::int64_t most = base + (kMostTtl + 2 * kSlackSeconds) * scale;
      if (Within(least, low, most) && Within(least, high, most)) return true;
    }
  }
  return false;
}

bool SameNumber(std::int64_t real, std::int64_t fake, const Surroundings& surroundings) {
  return real == fake || SameId(real, fake, surroundings) ||
         SameTime(real, fake, surroundings.now_ms);
}

bool Same(const Value& real, const Value& fake, bool content, const Surroundings& surroundings) {
  if (real.type != fake.type || real.elements.size() != fake.elements.size()) return false;
  for (std::size_t i = 0; i < real.elements.size(); ++i) {
    if (!Same(real.elements[i], fake.elements[i], content, surroundings)) return false;
  }
  if (!content && real.type != Value::Type::kError) return true;
  std::int64_t number = 0;
  std::int64_t other = 0;
  if (real.type == Value::Type::kString && sim::redis::ParseInteger(real.text, &number) &&
      sim::redis::ParseInteger(fake.text, &other)) {
    return SameNumber(number, other, surroundings);
  }
  return real.text == fake.text && SameNumber(real.integer, fake.integer, surroundings);
}

}  // namespace

void Tolerance::Add(const Tolerance& other) {
  order |= other.order;
  content |= other.content;
}

Tolerance ToleranceFor(const Argv& argv) {
  Tolerance tolerance;
  for (std::size_t i = 0; i < argv.size(); ++i) {
    const std::string& word = argv[i];
    // Addresses, descriptors and sizes: a test of their own compares the rest.
    if (i > 0 && EqualsIgnoreCase(argv[i - 1], "client") && EqualsIgnoreCase(word, "list")) {
      tolerance.content = true;
    }
    if (NamesOneOf(word, kUnordered)) tolerance.order = true;
    if (TestedDialect().IsIn(sim::redis::kValkeyFrom90) && NamesOneOf(word, kUnorderedFields)) {
      tolerance.order = true;
    }
    if (NamesOneOf(word, kIncomparable)) tolerance.content = true;
    // Members of sets may stay unsorted, or weigh the same.
    if (NamesOneOf(word, kSorting)) {
      tolerance.order |= std::any_of(argv.begin(), argv.end(), [](const std::string& option) {
        return EqualsIgnoreCase(option, "alpha") || EqualsIgnoreCase(option, "by");
      });
    }
    // A newer server without replicas counts what it was asked since its start.
    if (Names(word, "role") && TestedDialect().since_72) tolerance.content = true;
  }
  return tolerance;
}

bool IsRandomChoice(const Argv& argv) {
  const bool chooses = std::any_of(
      std::begin(kChoosing), std::end(kChoosing),
      [&](std::string_view name) { return !argv.empty() && EqualsIgnoreCase(argv[0], name); });
  if (!chooses || argv.size() < 3) return chooses;
  std::int64_t count = 0;
  return sim::redis::ParseInteger(argv[2], &count) && count != 0 && count < 1000;
}

bool AgreeInChoice(const Value& real, const Value& fake, const std::set<std::string>& among) {
  if (real.type != fake.type || real.elements.size() != fake.elements.size()) return false;
  for (std::size_t i = 0; i < real.elements.size(); ++i) {
    if (!AgreeInChoice(real.elements[i], fake.elements[i], among)) return false;
  }
  if (real.type != Value::Type::kString && real.type != Value::Type::kDouble)
    return real.text == fake.text;
  return among.contains(real.text) && among.contains(fake.text);
}

bool IsFirstPage(const Argv& argv) {
  const bool pages = std::any_of(
      std::begin(kPaging), std::end(kPaging),
      [&](std::string_view name) { return !argv.empty() && EqualsIgnoreCase(argv[0], name); });
  const std::size_t cursor = pages && argv[0].size() > 4 ? 2 : 1;
  return pages && argv.size() > cursor && argv[cursor] == "0" && argv.back() != "1000";
}

void SortMessages(std::vector<Value>* values) {
  const auto one_message = [](const Value& a, const Value& b) {
    return a.elements.size() == 4 && b.elements.size() == 4 && a.elements[0].text == "pmessage" &&
           b.elements[0].text == "pmessage" && a.elements[2] == b.elements[2] &&
           a.elements[3] == b.elements[3];
  };
  const auto one_end = [](const Value& a, const Value& b) {
    return a.elements.size() == 3 && b.elements.size() == 3 &&
           a.elements[0].text.ends_with("unsubscribe") && a.elements[0] == b.elements[0] &&
           (a.elements[0].text != "punsubscribe" || TestedDialect().since_72);
  };
  for (std::size_t begin = 0; begin < values->size();) {
    Value& first = (*values)[begin];
    std::size_t end = begin + 1;
    constexpr std::size_t kNamed = 1;  // What goes in any order: the pattern, or the channel.
    while (end < values->size() &&
           (one_message(first, (*values)[end]) || one_end(first, (*values)[end]))) {
      ++end;
    }
    std::vector<std::string> names;
    for (std::size_t i = begin; end - begin > 1 && i < end; ++i) {
      names.push_back((*values)[i].elements[kNamed].text);
    }
    std::sort(names.begin(), names.end());
    for (std::size_t i = 0; i < names.size(); ++i) {
      (*values)[begin + i].elements[kNamed].text = names[i];
    }
    SortMessages(&first.elements);
    begin = end;
  }
}

bool Agree(Value real, Value fake, const Tolerance& tolerance, const Surroundings& surroundings) {
  if (tolerance.order) {
    HideIds(&real, surroundings.real_ids);
    HideIds(&fake, surroundings.fake_ids);
    Sort(&real);
    Sort(&fake);
  }
  return Same(real, fake, !tolerance.content, surroundings);
}

}  // namespace interlock::testing
