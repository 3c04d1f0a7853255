// SPDX-License-Identifier: MIT
#include "scenarios/log/ledger.h"

#include <algorithm>
#include <span>
#include <utility>

#include "scenarios/log/forced.h"
#include "scenarios/log/whose.h"

namespace interlock::scenarios {
namespace {

const SeenOwner* FindOwner(const std::vector<SeenOwner>& owners, const std::string& token) {
  for (const SeenOwner& owner : owners) {
    if (owner.token == token) return &owner;
  }
  return nullptr;
}

void SetEnd(const SeenOwner& seen, ServerHold& hold) {
  hold.promised_until = seen.promised_until;
  hold.left_open = seen.left_open;
  hold.expires_at_ms = seen.expires_at_ms;
}

std::span<ServerHold> From(std::size_t first, std::vector<ServerHold>& holds) {
  return std::span(holds).subspan(first);
}

/// Whether `holds` has the server's entry with this token.
bool IsKnown(std::span<const ServerHold> holds, int node, const std::string& token) {
  return std::ranges::any_of(holds, [&](const ServerHold& hold) {
    return hold.node == node && hold.end == ServerHoldEnd::kNone && hold.token == token;
  });
}

/// With a quorum, one server may grant while others are already releasing; -1: nobody's.
int OwnerElsewhere(const History& history, const std::string& token) {
  for (const ServerHold& hold : history.server_holds) {
    if (history.quorum > 1 && hold.token == token) return hold.client;
  }
  return -1;
}

/// What the client gave back on one server it has given back on all of these.
void Waive(const ServerHold& released, VirtualTime now, std::span<ServerHold> holds) {
  if (released.token.empty()) return;
  for (ServerHold& hold : holds) {
    if (hold.node == released.node || hold.token != released.token) continue;
    if (hold.client == released.client) hold.waived = std::min(hold.waived, now);
  }
}

/// The server's latest entry under that token; nullptr: none.
const ServerHold* LatestOf(const History& history, int node, const std::string& token) {
  for (auto hold = history.server_holds.rbegin(); hold != history.server_holds.rend(); ++hold) {
    if (hold->node == node && hold->token == token) return &*hold;
  }
  return nullptr;
}

/// A request may also renew what the lock holds for other users of the process.
bool ForMates(int client, Doing doing, const ServerHold& entry, const History& history) {
  return doing == Doing::kAsking && ShareProcess(history, entry.client, client);
}

/// An entry that the server has although no command made it there.
ServerHold CopyOf(const SeenOwner& owner, VirtualTime now, int node, const History& history) {
  ServerHold copy;
  copy.waived = now;
  for (auto hold = history.server_holds.rbegin(); hold != history.server_holds.rend(); ++hold) {
    if (hold->token != owner.token) continue;
    copy.client = hold->client;
    copy.sent = hold->sent;
    if (hold->promise_end() > now) copy.waived = kOpen;
    break;
  }
  copy.token = owner.token;
  copy.granted = now;
  copy.renewed = now;
  SetEnd(owner, copy);
  copy.node = node;
  copy.shared = owner.shared;
  copy.copied = true;
  return copy;
}

}  // namespace

void Ledger::Settle(VirtualTime now, std::span<const ServerHold> holds) {
  while (settled_ < holds.size() && holds[settled_].end != ServerHoldEnd::kNone &&
         holds[settled_].promise_end() < now) {
    ++settled_;
  }
}

void Ledger::Sync(int client, Doing doing, VirtualTime now, const Look& look, History& history) {
  std::vector<ServerHold>& holds = history.server_holds;
  Settle(now, holds);
  const auto& owners = look.owners;
  const bool somebody_new = std::ranges::any_of(owners, [&](const SeenOwner& owner) {
    return !IsKnown(From(settled_, holds), look.node, owner.token);
  });
  const bool for_all = ProlongsForAll(client, look, history);
  for (ServerHold& hold : From(settled_, holds)) {
    if (hold.node != look.node || hold.end != ServerHoldEnd::kNone) continue;
    const SeenOwner* seen = FindOwner(owners, hold.token);
    const bool over = hold.promised_until <= now;
    const bool void_already = hold.waived <= now;
    const bool foreign = IsForeign(client, doing, hold, history);
    const bool forced = seen == nullptr && IsForced(history, client, hold);
    if (seen == nullptr) {
      if (over || (foreign && !forced && hold.surely_until() <= now)) {
        hold.end = ServerHoldEnd::kExpired;
        hold.ended = std::min(hold.promised_until, now);
      } else if (forced || !foreign) {
        hold.end = forced ? ServerHoldEnd::kForced : ServerHoldEnd::kReleased;
        hold.ended = now;
        hold.grants_before_end = history.server_holds.size();
        // With a quorum, each server's promise counts by itself.
        if (history.quorum == 1) Waive(hold, now, From(settled_, holds));
      } else {
        hold.end = ServerHoldEnd::kForeign;
        hold.ended = now;
        // Overwriting by a grant is judged as a grant; any other removal is a release.
        if (!void_already && !(doing == Doing::kAsking && somebody_new)) {
          history.observed.push_back(
              {now, client, RemovedAnothers{hold.client, hold.promised_until}});
        }
      }
      continue;
    }
    if (seen->expires_at_ms == hold.expires_at_ms) continue;
    if (over || (foreign && IsNewGrant(hold.token, client, doing, history))) {
      hold.end = over ? ServerHoldEnd::kExpired : ServerHoldEnd::kForeign;
      hold.ended = over ? hold.promised_until : now;
      continue;  // judged below as a new grant
    }
    if (foreign && !void_already && !for_all && !ForMates(client, doing, hold, history)) {
      history.observed.push_back(
          {now, client,
           AlteredAnothers{hold.client, hold.promised_until, seen->promised_until,
                           doing == Doing::kReleasing}});
    }
    // A hand-over belongs to the client that asks for it by its token.
    if (hold.client < 0 && doing == Doing::kAsking) {
      hold.client = OwnerOfNew(hold.token, client, doing, history);
    }
    SetEnd(*seen, hold);
    hold.leased_ms = seen->expires_at_ms - look.now_ms;
    // A newcomer extends existing entries only for its own sake.
    if (for_all && (foreign || doing == Doing::kAsking || !IsOut(history, hold))) continue;
    hold.renewed = now;
    hold.renewed_by_others = foreign;
  }
  GrantToNewcomers(client, doing, now, look, history);
}

void Ledger::GrantToNewcomers(int client, Doing doing, VirtualTime now, const Look& look,
                              History& history) const {
  bool beside = false;
  for (const SeenOwner& owner : look.owners) {
    if (IsKnown(From(settled_, history.server_holds), look.node, owner.token)) continue;
    int to = OwnerOfNew(owner.token, client, doing, history);
    if (to < 0) to = OwnerElsewhere(history, owner.token);
    if (doing == Doing::kExtending) {
      const ServerHold* before = LatestOf(history, look.node, owner.token);
      if (before != nullptr && before->end == ServerHoldEnd::kExpired) {
        history.observed.push_back({now, client, RevivedItsOwn{before->promised_until}});
      }
    }
    const int under = to >= 0 ? to : AskedBy(owner.token, client, doing, history);
    Grant({to, under}, owner, now, look, history);
    history.server_holds.back().made_by = client;
    history.server_holds.back().beside = std::exchange(beside, true);
  }
}

void Ledger::Rebase(VirtualTime now, const Look& look, bool clock_only, History& history) {
  for (ServerHold& hold : history.server_holds) {
    if (hold.node != look.node || hold.end != ServerHoldEnd::kNone) continue;
    if (const SeenOwner* seen = FindOwner(look.owners, hold.token)) {
      SetEnd(*seen, hold);
      continue;
    }
    // By its own clock the server has kept its promise.
    if (clock_only) hold.promised_until = std::min(hold.promised_until, now);
    const bool over = hold.promised_until <= now;
    hold.end = over ? ServerHoldEnd::kExpired : ServerHoldEnd::kLost;
    hold.ended = over ? hold.promised_until : now;
  }
  for (const SeenOwner& owner : look.owners) {
    if (IsKnown(history.server_holds, look.node, owner.token)) continue;
    history.server_holds.push_back(CopyOf(owner, now, look.node, history));
  }
}

void Ledger::Lose(VirtualTime now, int node, History& history) {
  for (ServerHold& hold : history.server_holds) {
    if (hold.node != node || hold.end != ServerHoldEnd::kNone) continue;
    hold.end = hold.promised_until <= now ? ServerHoldEnd::kExpired : ServerHoldEnd::kLost;
    hold.ended = std::min(hold.promised_until, now);
  }
}

void Ledger::Claim(int client, const std::string& token, VirtualTime asked, History& history) {
  if (token.empty()) return;
  for (auto hold = history.server_holds.rbegin(); hold != history.server_holds.rend(); ++hold) {
    if (hold->token != token || hold->granted < asked) continue;
    hold->client = client;
    return;
  }
}

void Ledger::Grant(Grantee grantee, const SeenOwner& owner, VirtualTime now, const Look& look,
                   History& history) const {
  const int client = grantee.client;
  std::vector<const ServerHold*> others;
  for (const ServerHold& hold : From(settled_, history.server_holds)) {
    if (hold.granted > now || hold.promise_end() <= now || !Conflict(owner, hold)) continue;
    // With a quorum, a server answers for what it still has; lost votes are judged later.
    const bool elsewhere = hold.node != look.node || hold.end == ServerHoldEnd::kLost;
    if (history.quorum > 1 && elsewhere) continue;
    // It is one promise, though two servers have it.
    const bool counted = hold.copied && std::ranges::any_of(others, [&](auto* other) {
                           return other->client == hold.client && other->token == hold.token;
                         });
    if (!counted) others.push_back(&hold);
  }
  Limits& limits = history.limits;
  if (!limits.NoteGrant(grantee.under, now, others.empty())) {
    history.observed.push_back(
        {now, client, GrantedUnderAnotherLimit{limits.WishOf(grantee.under), limits.MostNow()}});
  } else if (static_cast<int>(others.size()) >= limits.MostNow()) {
    const ServerHold* other = others.back();
    history.observed.push_back({now, client, GrantedBeside{other->client, other->promise_end()}});
  }
  ServerHold hold;
  hold.client = client;
  hold.asked_by = grantee.under;
  hold.token = owner.token;
  hold.granted = now;
  hold.renewed = now;
  SetEnd(owner, hold);
  hold.leased_ms = owner.expires_at_ms - look.now_ms;
  hold.node = look.node;
  hold.shared = owner.shared;
  history.server_holds.push_back(std::move(hold));
}

}  // namespace interlock::scenarios
