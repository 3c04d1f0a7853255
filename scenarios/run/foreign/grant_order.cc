// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/grant_order.h"

namespace interlock::scenarios::drive {

void GrantOrder::Note(const HoldChange& change) {
  using Kind = HoldChange::Kind;
  if (change.kind == Kind::kGranted) return Granted(change.key, change.client);
  if (change.kind == Kind::kEndMoved) return;
  Ended(change.key, change.client, change.kind == Kind::kGivenBack);
}

void GrantOrder::Granted(const LockKey& key, int client) {
  Last& last = last_[key];
  if (last.live && last.client == client) return;
  last = {client, last.number + 1, true, last.shared || last.live};
  clients_[static_cast<std::size_t>(client)][key] = {last.number};
}

void GrantOrder::Ended(const LockKey& key, int client, bool given_back) {
  Last& last = last_[key];
  if (last.client == client) last.live = false;
  auto& taken = clients_[static_cast<std::size_t>(client)];
  const auto found = taken.find(key);
  if (found != taken.end() && (given_back || found->second.left)) taken.erase(found);
}

void GrantOrder::Entered(int client) {
  for (auto& [key, one] : clients_[static_cast<std::size_t>(client)]) one.left = false;
}

void GrantOrder::Left(int client) {
  auto& taken = clients_[static_cast<std::size_t>(client)];
  std::erase_if(taken, [&](const auto& one) { return !IsHolder(client, one.first); });
  for (auto& [key, one] : taken) one.left = true;
}

Grants GrantOrder::Of(int client) const {
  Grants grants;
  for (const auto& [key, one] : clients_[static_cast<std::size_t>(client)]) {
    if (!last_.at(key).shared) grants.emplace(key, one.number);
  }
  return grants;
}

bool GrantOrder::IsHolder(int client, const LockKey& key) const {
  const auto found = last_.find(key);
  return found != last_.end() && found->second.live && found->second.client == client;
}

}  // namespace interlock::scenarios::drive
