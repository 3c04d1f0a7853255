// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/renewals.h"

#include <fmt/format.h>

#include "scenarios/log/words.h"

namespace interlock::scenarios::drive {

Renewals::Renewals(int clients, Findings& findings)
    : findings_(findings), clients_(static_cast<std::size_t>(clients)) {}

void Renewals::DisturbedAll() {
  for (Client& one : clients_) one.disturbed = true;
}

void Renewals::Note(const HoldChange& change, bool inside, std::int64_t now_ms) {
  using Kind = HoldChange::Kind;
  std::map<int, Lease>& of_key = leases_[change.key];
  const auto found = of_key.find(change.client);
  switch (change.kind) {
    case Kind::kGranted:
    case Kind::kEndMoved:
      if (found != of_key.end()) return EndMoved(change, inside, now_ms, found->second);
      of_key[change.client] = {change.end_ms, change.end_ms};
      return;
    case Kind::kExpired:
      if (!change.end_ms || *change.end_ms >= now_ms) return;  // the server goes on with it
      if (found != of_key.end()) Expired(change, inside);
      break;
    case Kind::kGivenBack:
    case Kind::kTaken:
      break;
  }
  of_key.erase(change.client);
}

void Renewals::EndMoved(const HoldChange& change, bool inside, std::int64_t now_ms, Lease& lease) {
  Client& owner = Of(change.client);
  const bool later = lease.end_ms && change.end_ms && *change.end_ms > *lease.end_ms;
  lease.moved_by_others = lease.moved_by_others || !change.by_owner;
  lease.end_ms = change.end_ms;
  if (!inside || !change.by_owner || !later) return;
  owner.renews = true;
  outlasted_ = outlasted_ || (!owner.disturbed && now_ms > *lease.first_end_ms);
}

void Renewals::Expired(const HoldChange& change, bool inside) {
  const Client& owner = Of(change.client);
  const auto& of_key = leases_.at(change.key);
  const Lease& lease = of_key.at(change.client);
  if (!inside || !owner.renews || owner.disturbed || change.excused) return;
  if (lease.moved_by_others || of_key.size() > 1) return;
  findings_.push_back(
      {"false-validity",
       fmt::format("{} ran out while {}, which held it, was in its section, though this client "
                   "renews its leases and no fault has met it",
                   change.key.key, ClientName(change.client))});
}

}  // namespace interlock::scenarios::drive
