// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/asked_keys.h"

#include <algorithm>

#include "scenarios/run/foreign/words.h"

namespace interlock::scenarios::drive {

void AskedKeys::Ask(const std::string& key, int client, bool refused) {
  Key& one = keys_[key];
  if (!refused) return;
  any_refused_ = true;
  one.refused.insert(client);
  const auto last = refused_last_.find(client);
  if (last != refused_last_.end() && last->second == key) one.keeps_out = true;
  refused_last_[client] = key;
}

void AskedKeys::Send(int client, const sim::redis::Argv& argv) {
  const auto last = refused_last_.find(client);
  if (last == refused_last_.end()) return;
  // All words are searched, because a script names its keys late. A look at the same key is no
  // other business.
  const bool same = std::ranges::count(argv, last->second) > 0;
  if (same && !IsReport(argv)) return;
  keys_[last->second].went_on = true;
  refused_last_.erase(last);
}

void AskedKeys::Grant(const std::string& key, int client) {
  refused_last_.erase(client);
  Free(key);
}

void AskedKeys::Release(const std::string& key) {
  const auto found = keys_.find(key);
  if (found != keys_.end()) found->second.released = true;
}

void AskedKeys::Free(const std::string& key) {
  const auto found = keys_.find(key);
  if (found != keys_.end()) found->second.refused.clear();
}

void AskedKeys::Enter(int client, const std::set<std::string>& owned) {
  for (auto& [key, one] : keys_) {
    if (owned.contains(key)) one.guards = true;
    // If several keys are asked for in turn, owning one of them is enough.
    if (one.refused.contains(client) && owned.empty()) one.passed_by = true;
  }
}

void AskedKeys::End(int client) {
  const auto last = refused_last_.find(client);
  if (last == refused_last_.end()) return;
  Key& one = keys_[last->second];
  if (one.guards && one.refused.contains(client)) one.keeps_out = true;
  refused_last_.erase(last);
}

bool AskedKeys::IsLock(const std::string& key) const {
  const auto found = keys_.find(key);
  if (found == keys_.end() || found->second.passed_by) return false;
  return found->second.released || found->second.keeps_out;
}

bool AskedKeys::IsReleased(const std::string& key) const {
  const auto found = keys_.find(key);
  return found != keys_.end() && found->second.released;
}

bool AskedKeys::IsPassedBy(const std::string& key) const {
  const auto found = keys_.find(key);
  return found != keys_.end() && (found->second.passed_by || found->second.went_on);
}

bool AskedKeys::IsRefused(int client) const {
  return std::ranges::any_of(
      keys_, [client](const auto& one) { return one.second.refused.contains(client); });
}

}  // namespace interlock::scenarios::drive
