// SPDX-License-Identifier: MIT
#include "scenarios/oracles/ledger.h"

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/oracles/words.h"

namespace interlock::scenarios {
namespace {

const SeenOwner* FindOwner(const std::vector<SeenOwner>& owners, const std::string& token) {
  for (const SeenOwner& owner : owners) {
    if (owner.token == token) return &owner;
  }
  return nullptr;
}

bool IsKnown(const History& history, const std::string& token) {
  return std::any_of(history.server_holds.begin(), history.server_holds.end(),
                     [&](const ServerHold& hold) {
                       return hold.end == ServerHoldEnd::kNone && hold.token == token;
                     });
}

}  // namespace

const ServerHold* FindServerHold(const History& history, int client, const std::string& token) {
  for (auto hold = history.server_holds.rbegin(); hold != history.server_holds.rend(); ++hold) {
    if (hold->client == client && hold->token == token) return &*hold;
  }
  return nullptr;
}

void Ledger::Sync(int client, Doing doing, VirtualTime now, const std::vector<SeenOwner>& owners,
                  History& history, std::vector<Violation>& violations) {
  const bool somebody_new = std::any_of(owners.begin(), owners.end(), [&](const SeenOwner& owner) {
    return !IsKnown(history, owner.token);
  });
  for (ServerHold& hold : history.server_holds) {
    if (hold.end != ServerHoldEnd::kNone) continue;
    const SeenOwner* seen = FindOwner(owners, hold.token);
    const bool over = hold.promised_until <= now;
    if (seen == nullptr) {
      if (over) {
        hold.end = ServerHoldEnd::kExpired;
        hold.ended = hold.promised_until;
      } else if (hold.client == client || hold.client < 0) {
        hold.end = ServerHoldEnd::kReleased;
        hold.ended = now;
      } else {
        hold.end = ServerHoldEnd::kForeign;
        hold.ended = now;
        // A grant that overwrites is judged as a grant; anything else that removes is a release.
        if (!(doing == Doing::kAsking && somebody_new)) {
          violations.push_back(
              {Judged::kForeignRelease, now, client,
               fmt::format("{} removed the lock while {} owned it (lease to {})", Client(client),
                           Client(hold.client), Instant(hold.promised_until))});
        }
      }
      continue;
    }
    if (seen->promised_until == hold.promised_until) continue;
    const bool foreign = hold.client != client && hold.client >= 0;
    if (over || (foreign && doing == Doing::kAsking)) {
      hold.end = over ? ServerHoldEnd::kExpired : ServerHoldEnd::kForeign;
      hold.ended = over ? hold.promised_until : now;
      if (doing == Doing::kExtending) {
        violations.push_back({Judged::kForeignExtend, now, client,
                              fmt::format("{} extended a lease that was over since {}",
                                          Client(client), Instant(hold.promised_until))});
      }
      continue;  // below, the entry counts as a new grant
    }
    if (foreign) {
      violations.push_back({Judged::kForeignExtend, now, client,
                            fmt::format("{} changed the lease of {} from {} to {}", Client(client),
                                        Client(hold.client), Instant(hold.promised_until),
                                        Instant(seen->promised_until))});
    }
    hold.promised_until = seen->promised_until;
    hold.renewed = now;
  }
  for (const SeenOwner& owner : owners) {
    // Who releases or extends does not grant to itself: a hand-over.
    const bool hand_over = doing == Doing::kReleasing || doing == Doing::kExtending;
    const int to = hand_over && !owner.token.empty() ? -1 : client;
    if (!IsKnown(history, owner.token)) Grant(to, owner, now, history, violations);
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

void Ledger::Grant(int client, const SeenOwner& owner, VirtualTime now, History& history,
                   std::vector<Violation>& violations) const {
  int others = 0;
  const ServerHold* other = nullptr;
  for (const ServerHold& hold : history.server_holds) {
    if (hold.granted <= now && hold.promise_end() > now) {
      ++others;
      other = &hold;
    }
  }
  if (others >= permits_) {
    violations.push_back(
        {semaphore_ ? Judged::kPermitsServer : Judged::kServerExclusion, now, client,
         fmt::format("the server granted to {} while {} was promised the lock until {}",
                     Client(client), Client(other->client), Instant(other->promise_end()))});
  }
  ServerHold hold;
  hold.client = client;
  hold.token = owner.token;
  hold.granted = now;
  hold.renewed = now;
  hold.promised_until = owner.promised_until;
  history.server_holds.push_back(std::move(hold));
}

void Ledger::JudgeReleased(const ClientHold& hold, VirtualTime now, const History& history,
                           std::vector<Violation>& violations) {
  const ServerHold* entry = FindServerHold(history, hold.client, hold.token);
  if (entry == nullptr || entry->end == ServerHoldEnd::kReleased) return;
  const VirtualTime ended = std::min(entry->ended, entry->promised_until);
  violations.push_back(
      {Judged::kForeignRelease, now, hold.client,
       fmt::format("{} was told \"released\", but released nothing of its own: its ownership {} {}",
                   Client(hold.client), ended <= now ? "had ended at" : "goes on until",
                   Instant(ended))});
}

void Ledger::JudgeExtended(const ClientHold& hold, VirtualTime called, VirtualTime now,
                           const History& history, std::vector<Violation>& violations) {
  const ServerHold* entry = FindServerHold(history, hold.client, hold.token);
  if (entry == nullptr) return;
  // An extension within the millisecond of the last one changes nothing: the deadline is the test.
  const VirtualTime ended = std::min(entry->ended, entry->promised_until);
  if (ended > called && entry->promised_until >= called + history.lease) return;
  violations.push_back({Judged::kForeignExtend, now, hold.client,
                        fmt::format("{} was told \"extended\", but its lease was to end at {}",
                                    Client(hold.client), Instant(ended))});
}

}  // namespace interlock::scenarios
