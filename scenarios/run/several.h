// SPDX-License-Identifier: MIT
//
// A lock that takes several resources at once (Traits::several): reports its clients' actions for
// each of the resources. Only the first one guards anything, and a loss, which concerns the whole,
// is awaited there.
//
// A request for resource i takes i + 1 as well, so a run has one resource more than its workload,
// and each is judged by itself. The answer to a request is judged at resource i, which such a lock
// takes first; what a refused request got is judged at each. Every second client names the two in
// reverse order, so clients are not interchangeable when such a lock is explored.
//
// Thread safety: that of ProgramEvents.
#pragma once

#include <functional>
#include <memory>

#include "scenarios/run/client_program.h"

namespace interlock::scenarios {

class EventsOfEach final : public ProgramEvents {
 public:
  /// `events` outlives it.
  explicit EventsOfEach(ProgramEvents& events) : events_(events) {}

  void OnAsk(Party who, const Operation& operation) override;
  void OnStop(Party who) override;
  void OnRefused(Party who, const Status& status) override;
  void OnGranted(Party who, const harness::Hold& hold) override;
  void OnEnter(Party who) override;
  bool guarded() const override { return events_.guarded(); }
  bool OnRead(Party who, const harness::Hold& hold) override;
  void Stall(int client, Duration length) override { events_.Stall(client, length); }
  void OnWrite(Party who, const harness::Hold& hold, std::shared_ptr<Event> answered) override;
  void OnLeave(Party who) override;
  void OnExtend(Party who) override;
  void OnExtended(Party who, const Status& status, const harness::Hold& hold) override;
  void OnAskValid(Party who) override;
  void OnAskedValid(Party who, bool valid, const harness::Hold& hold) override;
  std::function<void()> LossCallOf(Party who) override { return events_.LossCallOf(who); }
  void OnLost(Party who) override;
  void OnAwaitedLoss(Party who, bool told) override { events_.OnAwaitedLoss(who, told); }
  void OnAwaitedCall(Party who, bool called) override { events_.OnAwaitedCall(who, called); }
  void OnRelease(Party who) override;
  void OnReleased(Party who, const Status& status) override;
  void OnDrop(Party who) override;
  void Step(int client) override { events_.Step(client); }

 private:
  ProgramEvents& events_;
};

}  // namespace interlock::scenarios
