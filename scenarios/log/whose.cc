// SPDX-License-Identifier: MIT
#include "scenarios/log/whose.h"

#include <algorithm>
#include <chrono>

namespace interlock::scenarios {
namespace {

/// A release, an extension or a set-limit grants nothing to its own client.
bool HandsOver(Doing doing) { return doing != Doing::kAsking && doing != Doing::kNothing; }

}  // namespace

int OwnerOfNew(const std::string& token, int client, Doing doing, const History& history) {
  if (token.empty()) return client;
  if (HandsOver(doing)) return -1;
  // A waiter giving up, or looking when the first in line has long been due, may hand over too:
  // then the token is known from another request, possibly finished.
  for (auto attempt = history.attempts.rbegin(); attempt != history.attempts.rend(); ++attempt) {
    if (!attempt->Shows(token)) continue;
    return attempt->client == client && !IsOver(history, *attempt) ? client : -1;
  }
  return client;
}

int AskedBy(const std::string& token, int client, Doing doing, const History& history) {
  const auto attempt =
      std::find_if(history.attempts.rbegin(), history.attempts.rend(),
                   [&](const Attempt& one) { return !token.empty() && one.Shows(token); });
  if (attempt != history.attempts.rend()) return attempt->client;
  return HandsOver(doing) ? -1 : client;
}

bool IsNewGrant(const std::string& token, int client, Doing doing, const History& history) {
  return doing == Doing::kAsking && OwnerOfNew(token, client, doing, history) == client;
}

bool IsOut(const History& history, const ServerHold& entry) {
  return std::ranges::any_of(history.holds, [&](const ClientHold& hold) {
    return entry.IsOf(hold) && hold.used_until() == kOpen;
  });
}

bool StaysTaken(const History& history, const ServerHold& entry, const ClientHold& hold,
                VirtualTime returned) {
  if (history.stays_taken_for == Duration{}) return false;
  if (entry.surely_until() <= hold.release_called) return false;
  // A release may shorten the lease by a clock that is set then, or the server may forget that.
  if (history.server_changed) return true;
  constexpr std::chrono::milliseconds kLastMs(1);  // see harness::LastMs
  return entry.surely_until() <= returned + history.stays_taken_for + kLastMs;
}

bool IsForeign(int client, Doing doing, const ServerHold& entry, const History& history) {
  if (entry.client == client || entry.client < 0) return false;
  if (!ShareProcess(history, entry.client, client)) return true;
  if (doing == Doing::kNothing) return false;
  const auto is_asked_for = [&](const Attempt& attempt) {
    return attempt.client == entry.client && attempt.asked <= entry.granted &&
           !IsOver(history, attempt);
  };
  return IsOut(history, entry) || std::ranges::any_of(history.attempts, is_asked_for);
}

bool ProlongsForAll(int client, const Ledger::Look& look, const History& history) {
  const auto& owners = look.owners;
  if (owners.size() < 2 || look.ttl_ms == kNoDeadline) return false;
  const SeenOwner& first = owners.front();
  const bool one_ttl = std::ranges::all_of(
      owners, [&](const SeenOwner& owner) { return owner.expires_at_ms == look.ttl_ms; });
  if (!one_ttl) return false;
  const ServerHold* other = nullptr;
  for (const ServerHold& hold : history.server_holds) {
    if (hold.node != look.node || hold.end != ServerHoldEnd::kNone) continue;
    if (other != nullptr && hold.expires_at_ms != other->expires_at_ms) return false;
    other = &hold;
  }
  if (other == nullptr) return false;
  // After the clock was stepped back, a full lease granted now may end earlier than before.
  const bool whole = history.server_clock_moved && look.ttl_ms - look.now_ms >= other->leased_ms;
  if (other->promised_until > first.promised_until && !whole) return false;
  return std::ranges::any_of(owners, [&](const SeenOwner& owner) {
    return AskedBy(owner.token, client, Doing::kAsking, history) == client;
  });
}

}  // namespace interlock::scenarios
