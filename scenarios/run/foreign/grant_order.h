// SPDX-License-Identifier: MIT
//
// The order in which each lock's key was granted, and the grants by which a client may still take
// itself for the holder: those that it has not given back, though their leases may be over.
//
// A grant is forgotten when its client gives it back, is granted that key again, or is outside of
// all sections when the lease is over and has been inside before. Keys that several clients hold at
// once, such as a hash with a field for each waiter, have no order. Thread safety: none.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "scenarios/run/foreign/hold_change.h"

namespace interlock::scenarios::drive {

/// By key: the grant's number among those of that key.
using Grants = std::map<LockKey, std::uint64_t>;

class GrantOrder {
 public:
  explicit GrantOrder(int clients) : clients_(static_cast<std::size_t>(clients)) {}

  void Note(const HoldChange& change);
  /// The client enters a section, or leaves its last one.
  void Entered(int client);
  void Left(int client);

  /// By which the client may take itself for the holder.
  Grants Of(int client) const;
  /// Whether the key has been granted to nobody after the client, and its lease goes on.
  bool IsHolder(int client, const LockKey& key) const;

 private:
  struct Last {
    int client = -1;
    std::uint64_t number = 0;
    bool live = false;
    bool shared = false;  // it was granted to another one although it was held
  };
  struct Taken {
    std::uint64_t number = 0;
    bool left = false;  // its client has left the section since
  };

  void Granted(const LockKey& key, int client);
  void Ended(const LockKey& key, int client, bool given_back);

  std::map<LockKey, Last> last_;
  std::vector<std::map<LockKey, Taken>> clients_;
};

}  // namespace interlock::scenarios::drive
