// SPDX-License-Identifier: MIT
//
// What commands have touched, by effect and not by name: keys and channels read or written, as
// hashes. Anything uncertain counts as everything.
//
// Guarantee: if the footprints of two commands, of different clients and at the same instant, are
// Independent, then both orders leave the same data, and each command gets the same reply. Hash
// collisions only make commands look dependent. Thread safety: none.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace interlock::sim::redis {

class Footprint {
 public:
  void ReadKey(int database, std::string_view key) { Add(reads_, database, key); }
  void WriteKey(int database, std::string_view key) { Add(writes_, database, key); }
  void ReadChannel(std::string_view channel) { Add(reads_, kChannels, channel); }
  void WriteChannel(std::string_view channel) { Add(writes_, kChannels, channel); }
  /// Something outside the servers, identified by a number.
  void ReadOther(std::uint64_t number) { Add(reads_, kOthers, {}, number); }
  void WriteOther(std::uint64_t number) { Add(writes_, kOthers, {}, number); }
  /// Makes it dependent on everything.
  void TouchAll() { global_ = true; }
  void Clear();

  bool global() const { return global_; }
  /// In ascending order, each once.
  const std::vector<std::uint64_t>& reads() const { return reads_; }
  const std::vector<std::uint64_t>& writes() const { return writes_; }
  /// The inverse of reads() and writes(), for one that is not global.
  static Footprint Of(std::vector<std::uint64_t> reads, std::vector<std::uint64_t> writes);

 private:
  static constexpr int kChannels = -1;
  static constexpr int kOthers = -2;
  static void Add(std::vector<std::uint64_t>& names, int kind, std::string_view name,
                  std::uint64_t number = 0);

  std::vector<std::uint64_t> reads_;
  std::vector<std::uint64_t> writes_;
  bool global_ = false;
};

class Server;

/// Records what the server executes in `footprint`, until null is set or Reset is called.
void SetFootprint(Server& server, Footprint* footprint);

bool Independent(const Footprint& one, const Footprint& other);

}  // namespace interlock::sim::redis
