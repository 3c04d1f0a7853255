// SPDX-License-Identifier: MIT
//
// Judges what foreign clients do to the keys of their locks, by what a server shows.
//
// What is held: a string, a field of a hash, or a member of a sorted set. Its owner: the client
// whose command created it, or gave it the value that it has; if it or its value is a token (eight
// letters or more) that another client has sent first, that client: a lock is handed over. A lock's
// key is one that matches the pattern, or, without a pattern, one that is asked for atomically: by
// SETNX or its like, or by a script or transaction that looks whether it is there and then creates
// it. Scripts and transactions count by what they do.
//
// Judged of strings and fields, while the owner is alive and the lease has not ended:
//   - foreign-release (LK005): another client's command removes it;
//   - server-exclusion (LK001): another client's command gives it another value;
//   - foreign-extend (LK006): another client's command prolongs it;
// and of what is left of an owner that has ended, or was killed: keys (LK011), it has no end, or
// waiters put its end off. If the owner ended by itself, the key must have been seen to be a lock
// (see asked_keys.h).
//
// When a lease ends: with the key; without a TTL, at the time that is its value. If that is the
// time of the grant, it can be taken some time later, which is not known, so that only its release
// by its owner is innocent for certain, and nobody is judged. Members of sorted sets end by their
// scores in the same way, and are not judged, for they may as well be a queue of waiters.
//
// Non-guarantee: locks that are kept in lists, sets and counters are judged by sections only (see
// sections.h). Thread safety: none. Times are Unix times in ms.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/run/foreign/asked_keys.h"
#include "scenarios/run/foreign/finding.h"
#include "scenarios/run/foreign/held_data.h"
#include "sim/redis/server.h"

namespace interlock::scenarios::drive {

class Holds {
 public:
  /// `pattern`: a glob as for KEYS; empty: none. `clocks_apart_ms`: how far a client's clock may be
  /// from the server's.
  Holds(int clients, std::string pattern, std::int64_t clocks_apart_ms, Findings& findings);

  /// Finds what has ended since the last call: "lock:a expired". Called before each command.
  std::vector<std::string> Expired(int node, const sim::redis::Server& server, std::int64_t now_ms);
  /// Takes in the data after a command of the client; `effects`: what a script or transaction has
  /// run.
  void After(int client, int node, const sim::redis::Argv& argv,
             const std::vector<sim::redis::Argv>& effects, const sim::redis::Server& server,
             std::int64_t now_ms);
  /// The process is gone, and what it owns is nobody's. `killed`: by a fault.
  void Ended(int client, bool killed);
  /// Judges what is left of owners that have ended. `all_ended`: nobody is left, and each end will
  /// come; otherwise those without an end never will.
  void LeftBehind(bool all_ended);
  /// The client enters a section.
  void Entered(int client);
  const AskedKeys& asked() const { return asked_; }
  /// Whether what ends from now on does so by a fault.
  void SetByForce(bool by_force) { by_force_ = by_force; }

  /// By client: a lease of its has run out by a fault.
  std::vector<bool> excused() const;
  bool Owns(int client) const;  ///< a lock's key
  /// The command has the name of a lock's key that the client owns.
  bool NamesItsOwn(int client, const sim::redis::Argv& argv) const;
  struct End {
    std::int64_t ms = 0;
    bool by_value = false;  ///< a client sees to it, not the server
    std::int64_t past_us() const { return (ms + 1) * 1'000; }
  };
  /// The end of the lease, or key, that ends next; nullopt: none will.
  std::optional<End> NextEnd() const;
  /// The same among those that these clients own; `of` is by client.
  std::optional<End> NextEnd(const std::vector<bool>& of) const;
  /// How often a lock's key has been given to a client.
  std::uint64_t grants() const { return grants_; }
  /// The most clients that have owned any one lock's key.
  std::size_t most_owners() const;

 private:
  struct Hold {
    int owner = 0;
    HeldData data;
    std::optional<std::int64_t> end_ms;
    bool by_value = false;  // its end is what its owner has written down
    bool stamped = false;   // that is when it was granted
    bool passed = false;    // its end, with what is held still there
    int kept_alive = 0;     // times, by others, since its owner ended
  };
  struct Command {
    int client;
    std::string text;
    const std::vector<sim::redis::Argv>& effects;
    std::int64_t now_ms;
  };

  void NoteWords(int client, const sim::redis::Argv& argv);
  void NoteAsked(int client, int node, const std::vector<sim::redis::Argv>& effects,
                 std::int64_t now_ms);
  void NoteLooked(int client, int node, const std::string& key, std::set<std::string>& absent);
  std::string WhyForEver(const HeldId& id, const Hold& hold, bool all_ended) const;
  int OwnerOf(const HeldId& id, const HeldData& data, int client) const;
  bool IsLock(const std::string& key) const;
  bool IsJudged(const HeldId& id, const Hold& hold, const Command& command) const;
  void SetEnd(const HeldId& id, std::int64_t now_ms, Hold& hold) const;
  void Gone(const HeldId& id, const Hold& hold, const Command& command);
  void Changed(const HeldId& id, Hold& hold, const HeldData& now, const Command& command);
  void Prolonged(const HeldId& id, const Hold& hold, const HeldData& now, const Command& command);
  void Lapsed(const HeldId& id, const Hold& hold);
  void Granted(const HeldId& id, const Hold& hold);
  bool SharesKey(const HeldId& id, int client) const;
  void Find(std::string_view slug, const HeldId& id, const Hold& hold, std::string_view did,
            const Command& command);

  const std::string pattern_;
  const std::int64_t clocks_apart_ms_;
  Findings& findings_;
  bool by_force_ = false;
  std::uint64_t grants_ = 0;
  std::map<HeldId, Hold> holds_;
  std::vector<bool> alive_;
  std::vector<bool> killed_;
  std::vector<std::set<HeldId>> excused_;  // by client: leases that ran out by force
  AskedKeys asked_;
  std::map<std::string, std::int64_t> age_ms_;   // by key: how old members of it may be
  std::map<std::string, int> first_sent_by_;     // words
  std::map<std::string, std::set<int>> owners_;  // by key: all that ever owned it
};

}  // namespace interlock::scenarios::drive
