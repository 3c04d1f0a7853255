// SPDX-License-Identifier: MIT
#include "scenarios/judge/ledger.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "scenarios/judge/forced.h"
#include "scenarios/judge/violated.h"
#include "scenarios/judge/whose.h"
#include "scenarios/log/words.h"

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

/// The latest entry of the client and token on each server. A hand-over belongs to the client even
/// if it has not asked for it again.
std::vector<const ServerHold*> EntriesOf(const History& history, int client,
                                         const std::string& token) {
  std::vector<const ServerHold*> entries;
  for (auto hold = history.server_holds.rbegin(); hold != history.server_holds.rend(); ++hold) {
    const bool unclaimed = hold->client < 0 && !token.empty();
    if ((hold->client != client && !unclaimed) || hold->token != token) continue;
    const bool later = std::ranges::any_of(
        entries, [&](const ServerHold* other) { return other->node == hold->node; });
    if (!later) entries.push_back(&*hold);
  }
  return entries;
}

/// Of the quorum of entries that end last, the one that ends first.
const ServerHold* FindQuorumth(const History& history, int client, const std::string& token) {
  std::vector<const ServerHold*> entries = EntriesOf(history, client, token);
  const auto quorum = static_cast<std::size_t>(history.quorum);
  if (entries.size() < quorum) return nullptr;
  std::ranges::stable_sort(entries, [](const ServerHold* a, const ServerHold* b) {
    return a->had_until() > b->had_until();
  });
  return entries[quorum - 1];
}

/// Whether enough entries meet the condition: one, or a quorum.
template <typename Condition>
bool HoldsForEnough(const std::vector<const ServerHold*>& entries, const History& history,
                    const Condition& condition) {
  return std::ranges::count_if(entries, condition) >= history.quorum;
}

/// Whether it reappeared after its release, with data the server recovered, or was made by a late
/// request under the token that had been released.
bool WasReleased(const History& history, const ServerHold& again, const ClientHold& told) {
  return std::ranges::any_of(history.server_holds, [&](const ServerHold& hold) {
    const bool its_own = hold.client == again.client || hold.client == told.client;
    return hold.node == again.node && its_own && hold.token == again.token &&
           hold.end == ServerHoldEnd::kReleased &&
           (again.copied || hold.ended >= told.release_called);
  });
}

/// Why the client should not have been granted anything, as half a sentence.
std::string OtherLimit(const Limits& limits, int client) {
  const int wish = limits.WishOf(client);
  if (wish == 0) return "which follows the limit in force, while none was";
  return fmt::format("which has a limit of {}, while one of {} was in force", wish,
                     limits.MostNow());
}

Violation ForeignRelease(int client, const ServerHold& hold, VirtualTime now) {
  return Violated(Judged::kForeignRelease, now, client,
                  "{} removed the lock while {} owned it (lease to {})", ClientName(client),
                  ClientName(hold.client), hold.promised_until);
}

/// A release is to touch another's lease as little as an extension is.
Violation ForeignChange(int client, Doing doing, const ServerHold& hold, const SeenOwner& seen,
                        VirtualTime now) {
  return Violated(doing == Doing::kReleasing ? Judged::kForeignRelease : Judged::kForeignExtend,
                  now, client, "{} changed the lease of {} from {} to {}", ClientName(client),
                  ClientName(hold.client), hold.promised_until, seen.promised_until);
}

/// An extension made a new grant; `before` it, its token had another one.
void JudgeRevived(int client, const ServerHold* before, VirtualTime now,
                  std::vector<Violation>& violations) {
  if (before == nullptr || before->end != ServerHoldEnd::kExpired) return;
  violations.push_back(Violated(Judged::kForeignExtend, now, client,
                                "{} extended a lease that was over since {}", ClientName(client),
                                before->promised_until));
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

const ServerHold* FindServerHold(const History& history, int client, const std::string& token) {
  if (history.quorum > 1) return FindQuorumth(history, client, token);
  for (auto hold = history.server_holds.rbegin(); hold != history.server_holds.rend(); ++hold) {
    if (hold->client == client && hold->token == token) return &*hold;
  }
  return nullptr;
}

void Ledger::Settle(VirtualTime now, std::span<const ServerHold> holds) {
  while (settled_ < holds.size() && holds[settled_].end != ServerHoldEnd::kNone &&
         holds[settled_].promise_end() < now) {
    ++settled_;
  }
}

void Ledger::Sync(int client, Doing doing, VirtualTime now, const Look& look, History& history,
                  std::vector<Violation>& violations) {
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
          violations.push_back(ForeignRelease(client, hold, now));
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
      violations.push_back(ForeignChange(client, doing, hold, *seen, now));
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
  bool beside = false;
  for (const SeenOwner& owner : owners) {
    if (IsKnown(From(settled_, holds), look.node, owner.token)) continue;
    int to = OwnerOfNew(owner.token, client, doing, history);
    if (to < 0) to = OwnerElsewhere(history, owner.token);
    if (doing == Doing::kExtending) {
      JudgeRevived(client, LatestOf(history, look.node, owner.token), now, violations);
    }
    const int under = to >= 0 ? to : AskedBy(owner.token, client, doing, history);
    Grant({to, under}, owner, now, look, history, violations);
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
                   History& history, std::vector<Violation>& violations) const {
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
  if (!history.limits.NoteGrant(grantee.under, now, others.empty())) {
    violations.push_back(Violated(Judged::kPermitsServer, now, client,
                                  "the server granted to {}, {}", ClientName(client),
                                  OtherLimit(history.limits, grantee.under)));
  } else if (static_cast<int>(others.size()) >= history.limits.MostNow()) {
    const ServerHold* other = others.back();
    violations.push_back(Violated(
        exclusion_, now, client, "the server granted to {} while {} was promised the lock until {}",
        ClientName(client), ClientName(other->client), other->promise_end()));
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

void Ledger::JudgeReleased(const ClientHold& hold, VirtualTime now, const History& history,
                           std::vector<Violation>& violations) {
  const std::vector<const ServerHold*> entries = EntriesOf(history, hold.client, hold.token);
  if (entries.empty()) return;
  const bool released = HoldsForEnough(entries, history, [&](const ServerHold* entry) {
    if (entry->given_back()) return true;
    if (WasReleased(history, *entry, hold) || StaysTaken(history, *entry, hold, now)) return true;
    // It owned what its server has forgotten, which it cannot know. Nothing of others was touched.
    const bool lost = entry->end == ServerHoldEnd::kLost || IsOutOfReach(history, *entry);
    return lost && entry->promise_end() > std::min(hold.release_called, now);
  });
  if (released) return;
  const VirtualTime ended = entries.front()->had_until();
  violations.push_back(
      Violated(Judged::kForeignRelease, now, hold.client,
               "{} was told \"released\", but released nothing of its own: its ownership {} {}",
               ClientName(hold.client), ended <= now ? "had ended at" : "goes on until", ended));
}

void Ledger::JudgeExtended(const ClientHold& hold, VirtualTime called, std::int64_t called_ms,
                           VirtualTime now, const History& history,
                           std::vector<Violation>& violations) {
  const std::vector<const ServerHold*> entries = EntriesOf(history, hold.client, hold.token);
  if (entries.empty()) return;
  const std::int64_t lease_ms = LeaseOf(history, hold.client).count() / 1'000'000;
  const std::int64_t last_ms = 1;  // during which it is owned, too, see harness::LastMs
  const bool extended = HoldsForEnough(entries, history, [&](const ServerHold* entry) {
    if (entry->had_until() <= called) return false;
    // An entry made by the extension itself does not prove that there was something to extend.
    const bool own_doing = entry->client < 0 && entry->made_by == hold.client;
    if (own_doing && entry->granted >= called) return false;
    // By the server's own clock, which may have been set since. An extension within a millisecond
    // of the last one changes nothing: then the deadline decides.
    const bool anew = entry->renewed >= called && entry->leased_ms + last_ms >= lease_ms;
    return anew || entry->expires_at_ms + last_ms >= called_ms + lease_ms;
  });
  if (extended) return;
  const VirtualTime ended = entries.front()->had_until();
  violations.push_back(Violated(Judged::kForeignExtend, now, hold.client,
                                "{} was told \"extended\", but its lease was to end at {}",
                                ClientName(hold.client), ended));
}

}  // namespace interlock::scenarios
