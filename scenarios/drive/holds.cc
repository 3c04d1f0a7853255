// SPDX-License-Identifier: MIT
#include "scenarios/drive/holds.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scenarios/oracles/words.h"
#include "sim/redis/text.h"

namespace interlock::scenarios::drive {
namespace {

/// Clients have the machine's clock, which the server's follows.
constexpr std::int64_t kClocksApartMs = 2'000;
constexpr int kDatabases = 16;             // of a server without a configuration file
constexpr std::size_t kShortestToken = 8;  // letters

using sim::redis::Argv;
using sim::redis::EqualsIgnoreCase;

/// The key that a SETNX, or a SET with NX, is for.
std::optional<std::string> AskedFor(const Argv& argv) {
  if (argv.size() < 3) return std::nullopt;
  if (EqualsIgnoreCase(argv[0], "setnx")) return argv[1];
  if (!EqualsIgnoreCase(argv[0], "set")) return std::nullopt;
  const bool nx = std::any_of(argv.begin() + 3, argv.end(),
                              [](const std::string& word) { return EqualsIgnoreCase(word, "nx"); });
  return nx ? std::optional(argv[1]) : std::nullopt;
}

/// It gives the key a value, whatever stood there.
bool Overwrites(const Argv& argv, const std::string& key) {
  if (argv.size() < 3 || argv[1] != key) return false;
  for (const std::string_view name : {"setex", "psetex", "getset"}) {
    if (EqualsIgnoreCase(argv[0], name)) return true;
  }
  return EqualsIgnoreCase(argv[0], "set") && !AskedFor(argv);
}

/// A Unix time in s or ms that is less than a day away, in ms.
std::optional<double> TimeIn(const std::vector<std::string>& words, std::int64_t now_ms) {
  constexpr double kDayMs = 86'400'000;
  for (const std::string& word : words) {
    double number = 0;
    if (!sim::redis::ParseDouble(word, &number)) continue;
    for (const double ms : {number, number * 1000}) {
      if (std::abs(ms - static_cast<double>(now_ms)) < kDayMs) return ms;
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> EndOf(const real::Entry& entry, std::int64_t now_ms) {
  if (!entry.left_ms) return std::nullopt;
  return now_ms + *entry.left_ms;
}

}  // namespace

Holds::Holds(int clients, std::string pattern, int permits)
    : pattern_(std::move(pattern)),
      permits_(permits),
      alive_(static_cast<std::size_t>(clients), true),
      excused_(static_cast<std::size_t>(clients)) {}

bool Holds::IsLock(const std::string& key) const {
  return pattern_.empty() ? asked_.contains(key) : sim::redis::GlobMatch(pattern_, key);
}

void Holds::Find(std::string slug, std::string sentence) {
  findings_.push_back({std::move(slug), std::move(sentence), 0});
}

Holds::Data Holds::DataOf(int node, const sim::redis::Server& server, std::int64_t now_ms) {
  Data data;
  for (int database = 0; database < kDatabases; ++database) {
    for (auto& [key, entry] : real::DataOf(server, database, now_ms)) {
      data.emplace(KeyId{node, database, key}, std::move(entry));
    }
  }
  return data;
}

std::vector<std::string> Holds::Expired(int node, const sim::redis::Server& server,
                                        std::int64_t now_ms) {
  const Data data = DataOf(node, server, now_ms);
  std::vector<std::string> expired;
  std::erase_if(holds_, [&](const auto& one) {
    if (one.first.node != node || data.contains(one.first)) return false;
    Lapsed(one.first, one.second);
    expired.push_back(one.first.key);
    return true;
  });
  return expired;
}

/// Of what is not a string there may be more owners than one.
void Holds::Lapsed(const KeyId& id, const Hold& hold) {
  if (!by_force_) return;
  excused_[static_cast<std::size_t>(hold.owner)].insert(id);
  if (hold.words.size() == 1) return;
  for (const int client : named_by_[id.key]) excused_[static_cast<std::size_t>(client)].insert(id);
}

void Holds::Granted(const KeyId& id, int owner) {
  excused_[static_cast<std::size_t>(owner)].erase(id);
}

bool Holds::IsExcused(int client) const {
  return !excused_[static_cast<std::size_t>(client)].empty();
}

void Holds::NoteWords(int client, const Argv& argv) {
  for (const std::string& word : argv) {
    first_sent_by_.try_emplace(word, client);
    named_by_[word].insert(client);
  }
  if (const auto key = AskedFor(argv)) asked_.insert(*key);
}

int Holds::OwnerOf(const std::vector<std::string>& words, int client) const {
  // A short one, such as "1", may be everybody's.
  for (const std::string& word : words) {
    const auto sent = first_sent_by_.find(word);
    if (word.size() >= kShortestToken && sent != first_sent_by_.end()) return sent->second;
  }
  return client;
}

bool Holds::IsForeign(const Hold& hold, int client) const {
  return hold.owner != client && alive_[static_cast<std::size_t>(hold.owner)];
}

/// A key with a TTL is a lease by that, whatever its value.
bool Holds::HasPassed(const Hold& hold, std::int64_t now_ms) {
  if (hold.end_ms) return false;
  const auto time = TimeIn(hold.words, now_ms);
  return time && *time <= static_cast<double>(now_ms + kClocksApartMs);
}

void Holds::Gone(const KeyId& id, const Hold& hold, int client, const Argv& argv,
                 std::int64_t now_ms) {
  if (!IsLock(id.key) || !IsForeign(hold, client) || HasPassed(hold, now_ms)) return;
  Find("foreign-release", fmt::format("{} removed {}, which {} held, by {}", Client(client), id.key,
                                      Client(hold.owner), sim::redis::ToText(argv)));
}

void Holds::Changed(const KeyId& id, Hold& hold, const Hold& now, int client, const Argv& argv,
                    std::int64_t now_ms) {
  const bool judged = IsLock(id.key) && IsForeign(hold, client);
  if (now.words != hold.words || (hold.owner != client && Overwrites(argv, id.key))) {
    if (judged && !HasPassed(hold, now_ms)) {
      Find("server-exclusion", fmt::format("{} took {}, which {} held, by {}", Client(client),
                                           id.key, Client(hold.owner), sim::redis::ToText(argv)));
    }
    hold.owner = now.owner;
    Granted(id, hold.owner);
  } else if (judged && hold.end_ms && (!now.end_ms || *now.end_ms > *hold.end_ms)) {
    Find("foreign-extend", fmt::format("{} prolonged {}, which {} held, by {}", Client(client),
                                       id.key, Client(hold.owner), sim::redis::ToText(argv)));
  }
  hold.words = now.words;
  hold.end_ms = now.end_ms;
}

void Holds::After(int client, int node, const Argv& argv, const sim::redis::Server& server,
                  std::int64_t now_ms) {
  NoteWords(client, argv);
  const Data data = DataOf(node, server, now_ms);
  for (auto one = holds_.begin(); one != holds_.end();) {
    const bool gone = one->first.node == node && !data.contains(one->first);
    if (gone) Gone(one->first, one->second, client, argv, now_ms);
    one = gone ? holds_.erase(one) : std::next(one);
  }
  for (const auto& [id, entry] : data) {
    const Hold now{OwnerOf(entry.words, client), entry.words, EndOf(entry, now_ms)};
    const auto known = holds_.find(id);
    if (known != holds_.end()) {
      Changed(id, known->second, now, client, argv, now_ms);
    } else {
      holds_.emplace(id, now);
      Granted(id, now.owner);
    }
    if (IsLock(id.key)) owners_[id.key].insert(holds_.at(id).owner);
  }
}

void Holds::Enter(int client, const std::string& section) {
  std::set<int>& inside = inside_[section];
  inside.insert(client);
  entrants_[section].insert(client);
  if (static_cast<int>(inside.size()) <= permits_) return;
  if (std::any_of(inside.begin(), inside.end(), [this](int one) { return IsExcused(one); })) return;
  std::vector<std::string> names;
  for (const int one : inside) {
    if (one != client) names.push_back(Client(one));
  }
  Find("section-exclusion",
       fmt::format("{} entered {} while {} {} inside", Client(client), section,
                   fmt::join(names, " and "), names.size() > 1 ? "were" : "was"));
}

void Holds::Leave(int client, const std::string& section) { inside_[section].erase(client); }

void Holds::Ended(int client) {
  alive_[static_cast<std::size_t>(client)] = false;
  for (auto& [section, inside] : inside_) inside.erase(client);
}

bool Holds::Inside(int client) const {
  return std::any_of(inside_.begin(), inside_.end(),
                     [client](const auto& one) { return one.second.contains(client); });
}

bool Holds::Owns(int client) const {
  return std::any_of(holds_.begin(), holds_.end(), [this, client](const auto& one) {
    return one.second.owner == client && IsLock(one.first.key);
  });
}

bool Holds::NamesItsOwn(int client, const Argv& argv) const {
  return std::any_of(holds_.begin(), holds_.end(), [&](const auto& one) {
    return one.second.owner == client && IsLock(one.first.key) &&
           std::find(argv.begin(), argv.end(), one.first.key) != argv.end();
  });
}

std::optional<std::int64_t> Holds::NextEndMs() const {
  return NextEndMs(std::vector<bool>(alive_.size(), true));
}

std::optional<std::int64_t> Holds::NextEndMs(const std::vector<bool>& of) const {
  std::optional<std::int64_t> next;
  for (const auto& [id, hold] : holds_) {
    if (!of[static_cast<std::size_t>(hold.owner)]) continue;
    if (hold.end_ms && (!next || *hold.end_ms < *next)) next = hold.end_ms;
  }
  return next;
}

bool Holds::WaitsForATime(std::int64_t now_ms) const {
  return std::any_of(holds_.begin(), holds_.end(), [now_ms](const auto& one) {
    const auto time = TimeIn(one.second.words, now_ms);
    return time && *time > static_cast<double>(now_ms - kClocksApartMs);
  });
}

namespace {

std::size_t Most(const std::map<std::string, std::set<int>>& sets) {
  std::size_t most = 0;
  for (const auto& [name, set] : sets) most = std::max(most, set.size());
  return most;
}

}  // namespace

std::size_t Holds::most_owners() const { return Most(owners_); }

std::size_t Holds::most_entrants() const { return Most(entrants_); }

}  // namespace interlock::scenarios::drive
