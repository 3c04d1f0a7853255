// SPDX-License-Identifier: MIT
//
// A ledger that is shown, command by command, what a server has, and what the judge makes of it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "scenarios/log/answers.h"
#include "scenarios/log/ledger.h"
#include "tests/scenarios/judge/histories.h"
#include "tests/scenarios/judge/observed.h"

namespace interlock::scenarios {

class LedgerTest : public ::testing::Test {
 protected:
  void Sync(int client, Doing doing, VirtualTime now, const std::vector<SeenOwner>& owners) {
    SyncAt(0, client, doing, now, owners);
  }

  /// At a server whose clock is the virtual one.
  static Ledger::Look LookAt(VirtualTime now, std::vector<SeenOwner> owners, int node = 0) {
    for (SeenOwner& owner : owners) {
      if (owner.promised_until != kOpen) owner.expires_at_ms = InMs(owner.promised_until);
    }
    return {node, InMs(now), std::move(owners)};
  }
  static std::int64_t InMs(VirtualTime time) { return time.count() / 1'000'000; }

  void SyncAt(int node, int client, Doing doing, VirtualTime now,
              const std::vector<SeenOwner>& owners) {
    SyncWith(ledger_, client, doing, now, LookAt(now, owners, node));
  }

  void SyncWith(Ledger& ledger, int client, Doing doing, VirtualTime now, const Ledger::Look& look,
                const harness::Kind& kind = harness::Exclusive{}) {
    ledger.Sync(client, doing, now, look, history_);
    testing::JudgeObserved(history_, violations_, kind);
  }

  void JudgeExtended(const ClientHold& hold, VirtualTime called, VirtualTime now) {
    JudgeExtended(hold, called, InMs(called), now);
  }
  void JudgeExtended(const ClientHold& hold, VirtualTime called, std::int64_t called_ms,
                     VirtualTime now) {
    CompareExtended(hold, called, called_ms, now, history_);
    testing::JudgeObserved(history_, violations_);
  }

  void JudgeReleased(const ClientHold& hold, VirtualTime now) {
    CompareReleased(hold, now, history_);
    testing::JudgeObserved(history_, violations_);
  }

  /// Client `client` is granted the lock under the token that Believes gives it.
  void Grant(int client, VirtualTime now, VirtualTime until) {
    Sync(client, Doing::kAsking, now, {{"t" + std::to_string(client), until}});
  }

  Ledger ledger_;
  History history_ = testing::NewHistory();
  std::vector<Violation> violations_;
};

}  // namespace interlock::scenarios
