// SPDX-License-Identifier: MIT
//
// The order in which SCAN meets the keys, and SWAPDB.
#include <algorithm>

#include "sim/redis/keyspace.h"

namespace interlock::sim::redis {

namespace {

// FNV-1a, folded to 1 .. 2^48: a cursor that every client's numbers can hold, and never 0, which
// begins and ends a scan.
std::uint64_t ScanPosition(std::string_view key) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return ((hash ^ (hash >> 32)) & ((std::uint64_t{1} << 48) - 1)) + 1;
}

}  // namespace

std::uint64_t Keyspace::ScanFrom(int database, std::uint64_t cursor, std::uint64_t count,
                                 std::vector<std::string>* page) {
  if (scan_order_database_ != database || scan_order_version_ != key_set_version_) {
    scan_order_.clear();
    for (const auto& [key, entry] : keys(database)) {
      scan_order_.emplace_back(ScanPosition(key), &key);
    }
    // By position alone: keys of one position are met together.
    std::stable_sort(scan_order_.begin(), scan_order_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    scan_order_database_ = database;
    scan_order_version_ = key_set_version_;
  }
  auto at = std::lower_bound(scan_order_.begin(), scan_order_.end(), cursor,
                             [](const auto& a, std::uint64_t from) { return a.first < from; });
  std::uint64_t last = 0;
  for (; at != scan_order_.end() && (page->size() < count || at->first == last); ++at) {
    page->push_back(*at->second);
    last = at->first;
  }
  return at == scan_order_.end() ? 0 : at->first;
}

// Watched keys and waiters stay where they are: they see other data. A watched key is touched if
// there is one before or after, unless it has expired in both.
void Keyspace::TouchSwapped(int database, int other) {
  const Database& before = keys(database);
  const Database& after = keys(other);
  for (Watch& watch : watches_) {
    if (watch.database != database) continue;
    const bool existed = before.find(watch.key) != before.end();
    const auto next = after.find(watch.key);
    const bool exists = next != after.end();
    if (!existed && !exists) continue;
    const bool expired = exists && IsExpired(next->second);
    if (watch.expired && !exists) {
      watch.expired = false;
    } else if (expired && (watch.expired || !existed)) {
      watch.expired = true;
    } else {
      watch.dirty = true;
    }
  }
}

void Keyspace::Swap(int first, int second) {
  ++mutations_;
  ++changes_;
  ++key_set_version_;
  if (first == second) return;
  TouchSwapped(first, second);
  TouchSwapped(second, first);
  recent_.ForgetAll();
  std::swap(databases_[Index(first)], databases_[Index(second)]);
}

}  // namespace interlock::sim::redis
