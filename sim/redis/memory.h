// SPDX-License-Identifier: MIT
//
// The memory limit: an estimate of each key's size with a real server's figures, and eviction when
// the limit is reached. Where Redis samples candidates, this takes the best of all. Source:
// maxmemory, maxmemory-policy of Redis 7.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace interlock::sim::redis {

class Engine;
struct Entry;

/// Bytes taken by the key and its value; large collections are estimated from a few elements.
std::size_t EstimateSize(std::string_view key, const Entry& entry);

class Memory {
 public:
  /// What a fresh 7.0.15 uses on a 64-bit machine.
  static constexpr std::size_t kServerSize = 876024;

  explicit Memory(Engine& engine) : engine_(engine) {}
  void Reset() { candidates_.clear(); }
  /// Bytes of keys, clients and the server itself.
  std::size_t used() const;
  /// Evicts until the limit holds with `beside` bytes added to used(). Returns false if it does not
  /// and nothing is left to evict.
  bool MakeRoom(std::size_t beside = 0);

 private:
  struct Candidate {
    std::int64_t rank;  // The lowest is evicted first.
    int database;
    std::string key;
  };
  bool EvictOne();
  void CollectCandidates();
  bool RankOf(const Entry& entry, std::int64_t* rank) const;
  void Evict(int database, const std::string& key);

  Engine& engine_;
  std::vector<Candidate> candidates_;  // The best of all at the last look, the first one last.
};

}  // namespace interlock::sim::redis
