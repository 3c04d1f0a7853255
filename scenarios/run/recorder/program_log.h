// SPDX-License-Identifier: MIT
//
// Forwards each event of the client programs to the log that records it.
//
// Thread safety: that of the log, see run_log.h.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include <interlock/harness/lock.h>

#include "scenarios/run/client_program.h"
#include "scenarios/run/recorder/access_log.h"
#include "scenarios/run/recorder/attempt_log.h"
#include "scenarios/run/recorder/hold_log.h"
#include "scenarios/run/recorder/operator_log.h"
#include "scenarios/run/recorder/run_log.h"
#include "scenarios/run/recorder/validity_log.h"

namespace interlock::scenarios {

class ProgramLog final : public ProgramEvents {
 public:
  /// `log` outlives it.
  explicit ProgramLog(RunLog& log)
      : log_(log),
        attempts_(log),
        holds_(log),
        validity_(log, holds_),
        accesses_(log),
        operators_(log) {}

  void OnAsk(Party who, const Operation& operation) override { attempts_.OnAsk(who, operation); }
  void OnStop(Party who) override { attempts_.OnStop(who); }
  void OnRefused(Party who, const Status& status) override { attempts_.OnAnswered(who, status); }
  void OnCountDown(Party who, int party) override { attempts_.OnCountDown(who, party); }
  void OnAnswered(Party who, const Status& status) override { attempts_.OnAnswered(who, status); }

  void OnGranted(Party who, const harness::Hold& hold) override { holds_.OnGranted(who, hold); }
  void OnEnter(Party who) override { holds_.OnEnter(who); }
  void OnLeave(Party who) override { holds_.OnLeave(who); }
  void OnExtend(Party who) override { holds_.OnExtend(who); }
  void OnExtended(Party who, const Status& status, const harness::Hold& hold) override {
    holds_.OnExtended(who, status, hold);
  }
  void OnRelease(Party who) override { holds_.OnRelease(who); }
  void OnReleased(Party who, const Status& status) override { holds_.OnReleased(who, status); }
  void OnDrop(Party who) override { holds_.OnDrop(who); }

  void OnAskValid(Party who) override { validity_.OnAskValid(who); }
  void OnAskedValid(Party who, bool valid, const harness::Hold& hold) override {
    validity_.OnAskedValid(who, valid, hold);
  }
  std::function<void()> LossCallOf(Party who) override { return validity_.LossCallOf(who); }
  void OnLost(Party who) override { validity_.OnLost(who); }
  void OnAwaitedLoss(Party who, bool told) override { validity_.OnAwaitedLoss(who, told); }
  void OnAwaitedCall(Party who, bool called) override { validity_.OnAwaitedCall(who, called); }

  bool guarded() const override { return log_.guard != GuardKind::kNone; }
  bool OnRead(Party who, const harness::Hold& hold) override { return accesses_.OnRead(who, hold); }
  void Stall(int client, Duration length) override { accesses_.Stall(client, length); }
  void OnWrite(Party who, const harness::Hold& hold, std::shared_ptr<Event> answered) override {
    accesses_.OnWrite(who, hold, std::move(answered));
  }

  void OnSetLimit(Party who, int limit) override { operators_.OnSetLimit(who, limit); }
  void OnLimitSet(Party who, const Status& status) override { operators_.OnLimitSet(who, status); }
  void OnInspect(Party who) override { operators_.OnInspect(who); }
  void OnInspected(Party who, const Status& status) override {
    operators_.OnInspected(who, status);
  }
  void OnForce(Party who, const harness::SeenHolder& holder) override {
    operators_.OnForce(who, holder);
  }
  void OnForced(Party who, const Status& status) override { operators_.OnForced(who, status); }

  void Step(int client) override {
    // The guarded resource is accessed right after this step.
    if (!log_.closed) log_.world->Step(log_.users.ProcessOf(client), guarded());
  }

 private:
  RunLog& log_;
  AttemptLog attempts_;
  HoldLog holds_;
  ValidityLog validity_;
  AccessLog accesses_;
  OperatorLog operators_;
};

}  // namespace interlock::scenarios
