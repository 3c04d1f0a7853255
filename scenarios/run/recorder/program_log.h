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

  void On(Party who, EventKind kind, const EventDetails& details) override;

  std::function<void()> LossCallOf(Party who) override { return validity_.LossCallOf(who); }

  bool guarded() const override { return log_.guard != GuardKind::kNone; }
  bool OnRead(Party who, const harness::Hold& hold) override { return accesses_.OnRead(who, hold); }
  void Stall(int client, Duration length) override { accesses_.Stall(client, length); }
  void OnWrite(Party who, const harness::Hold& hold, std::shared_ptr<Event> answered) override {
    accesses_.OnWrite(who, hold, std::move(answered));
  }

  void Step(int client) override {
    // The guarded resource is accessed right after this step.
    if (!log_.closed) log_.world->Step(log_.users.ProcessOf(client), guarded());
  }

 private:
  void Take(Party who, EventKind kind, const EventDetails& details);
  void OfOperators(Party who, EventKind kind, const EventDetails& details);
  /// Adds the event, which has been taken, to those that the run keeps.
  void Keep(Party who, EventKind kind, EventDetails details);
  /// When the call was made that returns with such an event; otherwise now.
  VirtualTime CalledAt(Party who, EventKind kind) const;

  RunLog& log_;
  AttemptLog attempts_;
  HoldLog holds_;
  ValidityLog validity_;
  AccessLog accesses_;
  OperatorLog operators_;
};

}  // namespace interlock::scenarios
