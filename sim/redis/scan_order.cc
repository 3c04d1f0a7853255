// SPDX-License-Identifier: MIT
#include "sim/redis/scan_order.h"

#include <algorithm>
#include <string_view>

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

void ScanOrder::Take(int database, std::uint64_t version, const Database& keys) {
  keys_.clear();
  for (const auto& [key, entry] : keys) keys_.emplace_back(ScanPosition(key), &key);
  // By position alone: keys of one position are met together.
  std::stable_sort(keys_.begin(), keys_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  database_ = database;
  version_ = version;
}

std::uint64_t ScanOrder::PageFrom(std::uint64_t cursor, std::uint64_t count,
                                  std::vector<std::string>* page) const {
  auto at = std::lower_bound(keys_.begin(), keys_.end(), cursor,
                             [](const auto& a, std::uint64_t from) { return a.first < from; });
  std::uint64_t last = 0;
  for (; at != keys_.end() && (page->size() < count || at->first == last); ++at) {
    page->push_back(*at->second);
    last = at->first;
  }
  return at == keys_.end() ? 0 : at->first;
}

}  // namespace interlock::sim::redis
