// SPDX-License-Identifier: MIT
//
// Judges what foreign clients do to their locks' keys, from the servers' data.
//
// A hold is a string, a field of a hash, or a member of a sorted set. Its owner is the client whose
// command created it or gave it its value; but if it or its value is a token (eight letters or
// more) first sent by another client, it is that client's: a hand-over, unless the command itself
// asks for the lock (SET NX) with that word. A lock's key is one that
// matches the pattern or, without a pattern, one acquired atomically: by SETNX and the like, or by
// a script or transaction that checks whether it exists and then creates it. Scripts and
// transactions count by what they do.
//
// For strings and fields, while the owner is alive and the lease has not ended, it judges:
//   - foreign-release (LK005): another client's command removes it;
//   - server-exclusion (LK001): another client's command gives it another value;
//   - foreign-extend (LK006): another client's command extends it;
// and for what an owner that ended or was killed leaves behind: keys (LK011), it never expires, or
// waiters keep postponing that. If the owner ended by itself, the key must have been seen to be a
// lock (see asked_keys.h). If nothing had disturbed that owner, it has to release, too, what would
// expire, unless it never does, or has shortened the lease or written another value.
//
// A lease ends with its key or, without a TTL, at the time in its value. If that is the time of the
// grant, it can be taken at some unknown later time, so only a release by its owner is surely
// innocent, and nobody is judged. Members of sorted sets end by their scores in the same way, and
// are not judged, since they may be a queue of waiters.
//
// Non-guarantee: locks kept in lists, sets and counters are judged by sections only (see
// sections.h). Thread safety: none. Times are Unix times in ms.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/log/event.h"
#include "scenarios/run/foreign/asked_keys.h"
#include "scenarios/run/foreign/client_exit.h"
#include "scenarios/run/foreign/excuses.h"
#include "scenarios/run/foreign/finding.h"
#include "scenarios/run/foreign/free_marks.h"
#include "scenarios/run/foreign/held_data.h"
#include "scenarios/run/foreign/hold_change.h"
#include "scenarios/run/foreign/lease_ends.h"
#include "scenarios/run/foreign/sent_words.h"
#include "sim/redis/server.h"

namespace interlock::scenarios::drive {

class Holds {
 public:
  /// `pattern`: a glob as for KEYS; empty: none. `clocks_apart_ms`: the most that a client's clock
  /// may differ from the server's.
  Holds(int clients, std::string pattern, std::int64_t clocks_apart_ms, Findings& findings);

  /// What has expired since the last call. Called before each command. `data`: of that node.
  std::vector<KeyDetails> Expired(int node, const HeldMap& data, std::int64_t now_ms);
  /// Takes in the data after a command of the client; `effects`: the commands that a script or
  /// transaction ran.
  void After(int client, int node, const sim::redis::Argv& argv,
             const std::vector<sim::redis::Argv>& effects, const HeldMap& data,
             std::int64_t now_ms);
  /// The process is gone, and what it owns is nobody's.
  void Ended(int client, ClientExit exit);
  /// Judges what ended owners left behind. `all_ended`: nobody is left, so each expiry will come;
  /// otherwise only entries that never expire are judged.
  void LeftBehind(bool all_ended);
  /// The client enters a section.
  void Entered(int client);
  const AskedKeys& asked() const { return asked_; }
  /// What became of strings and fields that are locks since the last call.
  HoldChanges TakeChanges() { return std::exchange(changes_, {}); }
  /// Whether expiries from now on are caused by a fault.
  void SetByForce(bool by_force) { by_force_ = by_force; }
  /// A fault keeps the client from what it is doing: what it holds now may run out because of that.
  void Delayed(int client);
  /// Time has passed while a command of the client waited at the gate, without a fault.
  void Waited(int client, std::int64_t us);

  /// The client is in a section from now on, or no more.
  void SetInside(int client, bool inside) { excuses_.SetInside(client, inside); }
  /// By client: whether a fault let one of its leases run out, or may have, or its waits at the
  /// gate have.
  std::vector<bool> Excused(std::int64_t now_ms) const { return excuses_.At(now_ms * 1'000); }
  bool Owns(int client) const;  ///< a lock's key
  /// Whether the command names a lock's key that the client owns.
  bool NamesItsOwn(int client, const sim::redis::Argv& argv) const;
  struct End {
    std::int64_t ms = 0;
    bool by_value = false;  ///< enforced by a client, not the server
    std::int64_t past_us() const { return (ms + 1) * 1'000; }
  };
  /// The next end of a lease or key; nullopt: there is none.
  std::optional<End> NextEnd() const { return NextEnd(std::vector<bool>(alive_.size(), true)); }
  /// The same among those that these clients own; `of` is by client.
  std::optional<End> NextEnd(const std::vector<bool>& of) const;
  /// Number of times that a lock's key was given to a client.
  std::uint64_t grants() const { return grants_; }
  /// The keys that a client asked for in vain, and had no part of afterwards.
  const std::set<std::string>& kept_out() const { return kept_out_; }
  /// The most clients that have owned any single lock's key.
  std::size_t most_owners() const;

 private:
  struct Hold : LeaseEnd {
    int owner = 0;
    HeldData data;
    bool delayed = false;        // its owner was, since the grant
    bool altered = false;        // its owner has shortened it, or changed its value
    bool left = false;           // its owner has ended without a release, undisturbed
    int kept_alive = 0;          // times extended by others since its owner ended
    std::int64_t since_ms = 0;   // the end that it has now was set
    std::int64_t waited_us = 0;  // its owner at the gate, since then
    // If its owner had not had to wait. REQUIRES: it has an end.
    std::int64_t own_end_us() const { return *end_ms * 1'000 + waited_us; }
    // For a twentieth of the lease, which a renewal has to spare.
    bool has_waited_long() const { return end_ms && waited_us * 20 > (*end_ms - since_ms) * 1'000; }
  };
  struct Command {
    int client;
    const sim::redis::Argv& argv;
    std::string text;
    const std::vector<sim::redis::Argv>& effects;
    std::int64_t now_ms;
  };

  void NoteAsked(int client, int node, const std::vector<sim::redis::Argv>& effects,
                 std::int64_t now_ms);
  void NoteLooked(int client, int node, const std::string& key, std::set<std::string>& absent);
  void FindLeft();
  std::string WhyForEver(const HeldId& id, const Hold& hold, bool all_ended) const;
  int OwnerOf(const HeldId& id, const HeldData& data, const Command& command) const;
  bool IsLock(const std::string& key) const;
  bool IsJudged(const HeldId& id, const Hold& hold, const Command& command) const;
  void SetEnd(const HeldId& id, std::int64_t now_ms, Hold& hold) const;
  void Gone(const HeldId& id, const Hold& hold, const Command& command);
  void Changed(const HeldId& id, Hold& hold, const HeldData& now, const Command& command);
  void Prolonged(const HeldId& id, const Hold& hold, const HeldData& now, const Command& command);
  void Lapsed(const HeldId& id, const Hold& hold, std::int64_t now_ms);
  void Granted(const HeldId& id, const Hold& hold);
  bool HasPart(int client, int node, const std::string& key) const;
  void NoteKeptOut(int client, int node);
  bool HasOthersOf(const HeldId& id, int client) const;
  void NoteLoss(const HeldId& id, const Hold& hold, const Command& command);
  void NoteChange(HoldChange::Kind kind, const HeldId& id, const Hold& hold, bool by_owner = true);
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
  Excuses excuses_;
  std::map<std::string, int> left_;  // by key: the owner that did not release it
  std::set<std::string> met_;        // keys that the command asked for, and found there
  std::set<std::string> kept_out_;
  AskedKeys asked_;
  HoldChanges changes_;
  LeaseEnds ends_;
  SentWords sent_;
  FreeMarks free_;
  std::map<std::string, std::set<int>> owners_;  // by key: all that ever owned it
};

}  // namespace interlock::scenarios::drive
