// SPDX-License-Identifier: MIT
//
// Judges what foreign clients do, by what a server and the clients' own reports show.
//
// Who owns a key: whose command created it, or gave it the value that it has; if the value is a
// token (eight letters or more) that another client has sent first, that one: a lock is handed
// over. A lock's key is one that matches the pattern, or, without a pattern, one that some SETNX,
// or SET with NX, was for. Judged while the owner is alive and the key has not expired:
//   - foreign-release (LK005): another client's command removes a lock's key;
//   - server-exclusion (LK001): another client's command gives it another value;
//   - foreign-extend (LK006): another client's command prolongs it;
// and section-exclusion (LK003): more clients than permits are between INTERLOCK.ENTER and
// INTERLOCK.LEAVE of one name. That is not demanded once a fault has let the lease of one of them
// run out (a key of its own has expired by force), for no lease lock can promise it then. Nor is
// anything of a key without a TTL whose value is a time that has passed: a lease by agreement.
//
// Non-guarantee: locks that are kept in other types than strings and hashes of one owner, such as
// semaphores in sorted sets, are judged by sections only. Thread safety: none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scenarios/real/dataset.h"
#include "sim/redis/server.h"

namespace interlock::scenarios::drive {

struct Finding {
  std::string slug;  ///< "foreign-release"
  std::string sentence;
  std::size_t row = 0;  ///< it is seen behind so many rows of the run's table
};

class Holds {
 public:
  /// `pattern`: a glob as for KEYS; empty: none. REQUIRES: permits >= 1.
  Holds(int clients, std::string pattern, int permits);

  /// Looks which keys have expired since it was called last, and returns them. To be called before
  /// each command. Times are Unix times in ms.
  std::vector<std::string> Expired(int node, const sim::redis::Server& server, std::int64_t now_ms);
  /// The data behind a command of the client.
  void After(int client, int node, const sim::redis::Argv& argv, const sim::redis::Server& server,
             std::int64_t now_ms);
  void Enter(int client, const std::string& section);
  void Leave(int client, const std::string& section);
  /// The process is gone: its sections are over, and what it owns is nobody's.
  void Ended(int client);
  /// Whether what expires from now on does so by a fault.
  void SetByForce(bool by_force) { by_force_ = by_force; }

  const std::vector<Finding>& findings() const { return findings_; }

  bool Inside(int client) const;  ///< a section
  bool Owns(int client) const;    ///< a lock's key
  /// The command has the name of a lock's key that the client owns.
  bool NamesItsOwn(int client, const sim::redis::Argv& argv) const;
  /// When the next key ends, in ms; nullopt: none will.
  std::optional<std::int64_t> NextEndMs() const;
  /// The same of those that these clients own; `of` is by client.
  std::optional<std::int64_t> NextEndMs(const std::vector<bool>& of) const;
  /// A key's value is a time yet to come, so that it may be taken over then.
  bool WaitsForATime(std::int64_t now_ms) const;
  /// So many clients have owned one lock's key, or been in one section: the most of any.
  std::size_t most_owners() const;
  std::size_t most_entrants() const;
  bool has_sections() const { return !entrants_.empty(); }

 private:
  struct KeyId {
    int node = 0;
    int database = 0;
    std::string key;
    auto operator<=>(const KeyId&) const = default;
  };
  struct Hold {
    int owner = 0;
    std::vector<std::string> words;
    std::optional<std::int64_t> end_ms;
  };

  using Data = std::map<KeyId, real::Entry>;
  static Data DataOf(int node, const sim::redis::Server& server, std::int64_t now_ms);
  void NoteWords(int client, const sim::redis::Argv& argv);
  int OwnerOf(const std::vector<std::string>& words, int client) const;
  bool IsLock(const std::string& key) const;
  /// Its value is a time that has passed.
  static bool HasPassed(const Hold& hold, std::int64_t now_ms);
  void Gone(const KeyId& id, const Hold& hold, int client, const sim::redis::Argv& argv,
            std::int64_t now_ms);
  void Changed(const KeyId& id, Hold& hold, const Hold& now, int client,
               const sim::redis::Argv& argv, std::int64_t now_ms);
  void Lapsed(const KeyId& id, const Hold& hold);
  void Granted(const KeyId& id, int owner);
  bool IsExcused(int client) const;
  bool IsForeign(const Hold& hold, int client) const;
  void Find(std::string slug, std::string sentence);

  const std::string pattern_;
  const int permits_;
  bool by_force_ = false;
  std::map<KeyId, Hold> holds_;
  std::vector<bool> alive_;
  std::vector<std::set<KeyId>> excused_;           // by client: leases that ran out by force
  std::map<std::string, std::set<int>> named_by_;  // who has sent a command with the key
  std::set<std::string> asked_;                    // keys that some SETNX was for
  std::map<std::string, int> first_sent_by_;       // words
  std::map<std::string, std::set<int>> inside_;    // by section
  std::map<std::string, std::set<int>> owners_;    // by key: who ever was
  std::map<std::string, std::set<int>> entrants_;  // by section
  std::vector<Finding> findings_;
};

}  // namespace interlock::scenarios::drive
