// SPDX-License-Identifier: MIT
//
// The memory limit: how much a key takes, by an estimate with a real server's figures, and which
// keys go when all of it is used up. Where Redis samples candidates, this takes the best of all.
// Source: maxmemory, maxmemory-policy of Redis 7.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace interlock::sim::redis {

class Engine;
struct Entry;

/// Bytes that the key and its value take; of large collections by a few of their elements.
std::size_t EstimateSize(std::string_view key, const Entry& entry);

class Memory {
 public:
  /// What a fresh 7.0.15 takes on a 64-bit machine.
  static constexpr std::size_t kServerSize = 876024;

  explicit Memory(Engine& engine) : engine_(engine) {}
  void Reset() { candidates_.clear(); }
  /// Keys, clients and the server itself.
  std::size_t used() const;
  /// Evicts until the limit is kept, with `beside` bytes added to what used() counts. False: it is
  /// not, and nothing is left to evict.
  bool MakeRoom(std::size_t beside = 0);

 private:
  struct Candidate {
    std::int64_t rank;  // The lowest goes first.
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
