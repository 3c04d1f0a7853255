// SPDX-License-Identifier: MIT
//
// The keys that clients ask for atomically (SETNX and its like), and whether they are locks: a flag
// that says that something has been prepared is asked for in the same way, and stays for ever.
//
// A key that is a lock is released by its owner at some time; or keeps out those that are refused:
// they ask again, or end without having been inside. A key that did not keep out a refused client
// is no lock. Non-guarantee: a key for which neither is seen is taken for no lock. Thread safety:
// none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "sim/redis/server.h"

namespace interlock::scenarios::drive {

class AskedKeys {
 public:
  bool contains(const std::string& key) const { return keys_.contains(key); }
  /// `refused`: it was there already.
  void Ask(const std::string& key, int client, bool refused);
  /// Called before the command's effects are noted: a client that does something else does not ask
  /// again.
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

  /// It has been seen to be one.
  bool IsLock(const std::string& key) const;
  /// A refused client has got in all the same, or has gone on to something else.
  bool IsPassedBy(const std::string& key) const;
  /// It has been refused, and has not been granted anything since.
  bool IsRefused(int client) const;
  /// A client has been refused.
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
