// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/fencing.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "scenarios/log/words.h"

namespace interlock::scenarios::drive {

Fencing::Fencing(int clients, int permits, bool by_keys, const GrantOrder& order,
                 Findings& findings)
    : permits_(permits),
      by_keys_(by_keys),
      order_(order),
      findings_(findings),
      turns_(static_cast<std::size_t>(clients)) {}

void Fencing::Entered(int client, const std::string& section) {
  Turn& turn = turns_[static_cast<std::size_t>(client)];
  turn.entered_at = ++now_;
  turn.section = section;
}

void Fencing::Left(int client) {
  turns_[static_cast<std::size_t>(client)] = {++now_, std::nullopt, {}};
}

void Fencing::Find(std::string_view slug, std::string sentence) {
  if (std::ranges::count(found_, slug) > 0) return;
  found_.emplace_back(slug);
  findings_.push_back({std::string(slug), std::move(sentence)});
}

/// Unknown, too, if one key says this and another one that.
Fencing::Order Fencing::ByKeys(const Writes& one, const Writes& other) {
  bool before = false;
  bool after = false;
  for (const auto& [key, number] : one.grants) {
    const auto found = other.grants.find(key);
    if (found == other.grants.end()) continue;
    before = before || number < found->second;
    after = after || number > found->second;
  }
  if (before == after) return Order::kUnknown;
  return before ? Order::kBefore : Order::kAfter;
}

bool Fencing::IsBefore(const Turn& one, const Turn& other) {
  return one.entered_at && other.entered_at && one.section == other.section &&
         other.free_at > *one.entered_at;
}

Fencing::Order Fencing::OrderOf(const Writes& one, const Writes& other) const {
  const bool in_common = std::ranges::any_of(
      one.grants, [&](const auto& grant) { return other.grants.contains(grant.first); });
  if (in_common) return ByKeys(one, other);
  if (IsBefore(one.turn, other.turn) && !GoesOn(other)) return Order::kBefore;
  if (IsBefore(other.turn, one.turn) && !GoesOn(one)) return Order::kAfter;
  return Order::kUnknown;
}

/// Whether the tokens are those of the client's turn before, under whose grant it may have entered
/// again.
bool Fencing::GoesOn(const Writes& mine) const {
  return std::ranges::any_of(writes_, [&](const auto& of_resource) {
    return std::ranges::any_of(of_resource.second, [&](const Writes& one) {
      return one.client == mine.client && one.turn.free_at < mine.turn.free_at &&
             one.least <= mine.most && mine.least <= one.most;
    });
  });
}

Fencing::Writes& Fencing::NoteWrite(int client, const GuardedWrite& write, bool accepted) {
  const Turn& turn = turns_[static_cast<std::size_t>(client)];
  Grants grants = by_keys_ ? order_.Of(client) : Grants();
  auto& all = writes_[write.resource];
  auto mine = std::ranges::find_if(all, [&](const Writes& one) {
    return one.client == client && one.turn.free_at == turn.free_at &&
           one.turn.entered_at == turn.entered_at && one.grants == grants;
  });
  if (mine == all.end()) {
    all.push_back({client, turn, std::move(grants), write.token, write.token, std::nullopt});
    mine = all.end() - 1;
  }
  mine->least = std::min(mine->least, write.token);
  mine->most = std::max(mine->most, write.token);
  if (accepted) mine->accepted = write.token;  // not less than those before
  return *mine;
}

void Fencing::Wrote(int client, const GuardedWrite& write, bool accepted) {
  ++now_;
  const Compared of{write.resource, write.token, accepted, NoteWrite(client, write, accepted)};
  for (const Writes& other : writes_[write.resource]) {
    if (other.client == client) continue;
    const Order order = OrderOf(other, of.mine);
    if (order == Order::kUnknown) continue;
    compared_ = true;
    order == Order::kBefore ? AfterEarlier(other, of) : AfterLater(other, of);
  }
}

/// Whether the client has the lock, of which the keys that both were granted tell.
bool Fencing::IsHolder(const Writes& mine, const Writes& other) const {
  return mine.turn.entered_at && std::ranges::any_of(mine.grants, [&](const auto& grant) {
           return other.grants.contains(grant.first) && order_.IsHolder(mine.client, grant.first);
         });
}

void Fencing::AfterEarlier(const Writes& earlier, const Compared& of) {
  if (of.token > earlier.most) return;
  const std::string me = ClientName(of.mine.client);
  const std::string other = ClientName(earlier.client);
  Find("tokens", fmt::format("{} wrote to {} with fencing token {}, though it was granted the lock "
                             "after {}, which had written with {}",
                             me, of.resource, of.token, other, earlier.most));
  const bool in_the_way = earlier.accepted && *earlier.accepted > of.token;
  if (of.accepted || permits_ > 1 || !in_the_way || !IsHolder(of.mine, earlier)) return;
  Find("fenced-writes",
       fmt::format("{} refused what {} wrote with fencing token {}, though it holds the lock: it "
                   "had accepted {} from {}, which was granted the lock before",
                   of.resource, me, of.token, *earlier.accepted, other));
}

void Fencing::AfterLater(const Writes& later, const Compared& of) {
  if (of.token < later.least) return;
  const std::string me = ClientName(of.mine.client);
  const std::string other = ClientName(later.client);
  Find("tokens", fmt::format("{} wrote to {} with fencing token {}, though it was granted the lock "
                             "before {}, which had written with {}",
                             me, of.resource, of.token, other, later.least));
  if (!of.accepted || permits_ > 1 || !later.accepted) return;
  Find("fenced-writes",
       fmt::format("{} accepted what {} wrote with fencing token {}, after it had accepted {} from "
                   "{}, which was granted the lock later",
                   of.resource, me, of.token, *later.accepted, other));
}

}  // namespace interlock::scenarios::drive
