// SPDX-License-Identifier: MIT
#include "sim/redis/memory.h"

#include <algorithm>

#include "sim/redis/engine.h"

namespace interlock::sim::redis {

namespace {

// Of an idle client.
constexpr std::size_t kClientSize = 37632;

// Rounds up like the allocator.
std::size_t Rounded(std::size_t size) {
  constexpr std::size_t kQuantum = 16;
  return (size + kQuantum - 1) / kQuantum * kQuantum;
}

std::size_t TextSize(std::string_view text) {
  constexpr std::size_t kHeader = 4;  // Lengths, flags and the NUL of a short string.
  return Rounded(text.size() + kHeader);
}

struct ValueSize {
  static constexpr std::size_t kObject = 16;
  static constexpr std::size_t kSamples = 5;
  static constexpr std::size_t kCompactItem = 3;  // Lengths around a listpack's element.
  static constexpr std::size_t kNode = 32;        // Of a hash table, with its slot.
  static constexpr std::size_t kSkipNode = 40;
  static constexpr std::size_t kExpiry = 16;  // Of a field.

  // Extrapolates from the average of a few.
  template <typename At>
  static std::size_t Sampled(std::size_t count, At at) {
    if (count == 0) return 0;
    const std::size_t samples = std::min(count, kSamples);
    std::size_t size = 0;
    for (std::size_t i = 0; i < samples; ++i) size += at(i);
    return size * count / samples;
  }

  std::size_t operator()(const std::string& text) const {
    return Rounded(kObject + text.size() + 4);
  }
  std::size_t operator()(const List& list) const {
    return kObject + 40 +
           Sampled(list.size(), [&](std::size_t i) { return list.items[i].size() + kCompactItem; });
  }
  std::size_t operator()(const Hash& hash) const {
    return kObject + 8 + kExpiry * hash.ttls().size() + Sampled(hash.size(), [&](std::size_t i) {
             const auto& [field, value] = hash.items()[i];
             if (hash.compact()) return field.size() + value.size() + 2 * kCompactItem;
             return kNode + TextSize(field) + TextSize(value);
           });
  }
  std::size_t operator()(const Set& set) const {
    return kObject + 8 + Sampled(set.size(), [&](std::size_t i) {
             if (set.of_integers()) return sizeof(std::int64_t);
             if (set.compact()) return set.Member(i).size() + kCompactItem;
             return kNode + TextSize(set.Member(i));
           });
  }
  std::size_t operator()(const SortedSet& zset) const {
    return kObject + 8 + Sampled(zset.size(), [&](std::size_t i) {
             const std::string& member = zset.unordered()[i].first;
             if (zset.compact()) return member.size() + sizeof(double) + 2 * kCompactItem;
             return kNode + kSkipNode + TextSize(member);
           });
  }
};

}  // namespace

std::size_t EstimateSize(std::string_view key, const Entry& entry) {
  constexpr std::size_t kDictionaryEntry = 40;  // Including its slot in the table.
  const std::size_t expiry = entry.expires_at_ms == kNoExpiry ? 0 : kDictionaryEntry;
  return kDictionaryEntry + expiry + TextSize(key) + std::visit(ValueSize(), entry.data);
}

std::size_t Memory::used() const {
  return kServerSize + engine_.clients.connected() * kClientSize + engine_.keyspace.used_memory();
}

bool Memory::MakeRoom(std::size_t beside) {
  const auto limit = static_cast<std::uint64_t>(engine_.config().maxmemory);
  // A paused server changes nothing by itself, and a replica keeps what its master keeps.
  if (limit == 0 || engine_.keyspace.expiry_mode() != ExpiryMode::kDelete) return true;
  while (used() + beside > limit) {
    if (!EvictOne()) return false;
  }
  return true;
}

bool Memory::RankOf(const Entry& entry, std::int64_t* rank) const {
  const bool has_ttl = entry.expires_at_ms != kNoExpiry;
  switch (engine_.config().maxmemory_policy) {
    case kVolatileTtl:
      *rank = entry.expires_at_ms;
      return has_ttl;
    case kVolatileLru:
      *rank = entry.accessed_ms;
      return has_ttl;
    case kAllkeysLru:
      *rank = entry.accessed_ms;
      return true;
    case kVolatileRandom:
      *rank = 0;
      return has_ttl;
    default:
      *rank = 0;
      return true;
  }
}

void Memory::CollectCandidates() {
  constexpr std::size_t kKept = 1024;
  const std::int64_t policy = engine_.config().maxmemory_policy;
  const bool random = policy == kVolatileRandom || policy == kAllkeysRandom;
  for (int database = 0; database < kDatabases; ++database) {
    for (const auto& [key, entry] : engine_.keyspace.keys(database)) {
      Candidate candidate{0, database, key};
      if (RankOf(entry, &candidate.rank)) candidates_.push_back(std::move(candidate));
    }
  }
  if (random) {  // Any candidate is as good.
    for (std::size_t i = candidates_.size(); i > 1; --i) {
      std::swap(candidates_[i - 1], candidates_[engine_.dice.Choose(i)]);
    }
    return;
  }
  std::stable_sort(candidates_.begin(), candidates_.end(),
                   [](const Candidate& a, const Candidate& b) { return a.rank < b.rank; });
  if (candidates_.size() > kKept) candidates_.resize(kKept);
  std::reverse(candidates_.begin(), candidates_.end());
}

bool Memory::EvictOne() {
  const std::int64_t policy = engine_.config().maxmemory_policy;
  if (policy == kNoEviction) return false;
  if (policy == kVolatileLfu || policy == kAllkeysLfu) {
    engine_.SetUnmodelled("maxmemory-policy with LFU");
    return false;
  }
  for (const bool again : {true, false}) {
    while (!candidates_.empty()) {
      const Candidate candidate = std::move(candidates_.back());
      candidates_.pop_back();
      const auto& keys = engine_.keyspace.keys(candidate.database);
      const auto at = keys.find(candidate.key);
      std::int64_t rank = 0;
      // It may have been used since it was collected.
      if (at == keys.end() || !RankOf(at->second, &rank) || rank != candidate.rank) continue;
      Evict(candidate.database, candidate.key);
      return true;
    }
    if (again) CollectCandidates();
  }
  return false;
}

void Memory::Evict(int database, const std::string& key) {
  engine_.keyspace.Remove(database, key);
  engine_.keyspace.Touch(database, key);
  const std::string_view effect[] = {engine_.dialect().removal, key};
  engine_.journal.Add(database, effect);
  engine_.journal.EndUnit();
  ++engine_.statistics.evicted_keys;
  engine_.events.Publish(kNotifyEvicted, "evicted", database, key);
}

}  // namespace interlock::sim::redis
