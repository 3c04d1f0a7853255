// SPDX-License-Identifier: MIT
//
// The keys that clients acquire atomically (SETNX and the like), and whether they are locks: a flag
// that says something has been prepared is acquired the same way, and stays for ever.
//
// A lock's key is eventually released by its owner, or keeps refused clients out: they ask again,
// or end without having entered. A key that did not keep a refused client out is no lock.
// Non-guarantee: a key for which neither was seen counts as no lock. Thread safety: none.
#pragma once

#include <map>
#include <set>
#include <string>

#include "sim/redis/server.h"

namespace interlock::scenarios::drive {

class AskedKeys {
 public:
  bool contains(const std::string& key) const { return keys_.contains(key); }
  /// `refused`: the key already existed.
  void Ask(const std::string& key, int client, bool refused);
  /// Called before the command's effects are noted: a client that does something else has stopped
  /// asking.
  void Send(int client, const sim::redis::Argv& argv);
  void Grant(const std::string& key, int client);
  /// The key's owner releases it.
  void Release(const std::string& key);
  /// The key is free.
  void Free(const std::string& key);
  /// The client enters a section.
  void Enter(int client, const std::set<std::string>& owned);
  /// The process is gone.
  void End(int client);

  /// Whether it has been seen to be a lock.
  bool IsLock(const std::string& key) const;
  /// Whether an owner has ever released it.
  bool IsReleased(const std::string& key) const;
  /// Whether a refused client got in anyway, or went on to something else.
  bool IsPassedBy(const std::string& key) const;
  /// Whether the client was refused and has been granted nothing since.
  bool IsRefused(int client) const;
  /// Whether any client has been refused.
  bool any_refused() const { return any_refused_; }

 private:
  struct Key {
    std::set<int> refused;  // clients, since it was free
    bool guards = false;    // its owner has been in a section
    bool keeps_out = false;
    bool passed_by = false;
    bool went_on = false;
    bool released = false;
  };
  std::map<std::string, Key> keys_;
  std::map<int, std::string> refused_last_;  // by client: the key, if it has sent nothing since
  bool any_refused_ = false;
};

}  // namespace interlock::scenarios::drive
