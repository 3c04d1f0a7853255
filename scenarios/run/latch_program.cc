// SPDX-License-Identifier: MIT
#include "scenarios/run/latch_program.h"

#include <algorithm>
#include <optional>

namespace interlock::scenarios {
namespace {

class LatchProgram {
 public:
  LatchProgram(int client, harness::Environment& environment,
               std::span<const std::unique_ptr<harness::Lock>> locks, ProgramEvents& events)
      : client_(client), runtime_(environment.runtime), locks_(locks), events_(events) {}

  void Think(const Operation& operation) { Pause(operation.think); }

  /// Returns false if the world is being torn down.
  bool Count(const LatchUse& use, int party) {
    if (!use.counts) return true;
    if (!CountDown(use.request, party)) return false;
    if (!use.again_after.has_value()) return true;
    // The count may have been forgotten, or another party's may still be missing.
    Pause(*use.again_after);
    return CountDown(use.request, party);
  }

  /// Returns false if the world is being torn down.
  bool CountDown(const Operation& operation, int party) {
    for (int said = 0; said < kMostSaid; ++said) {
      events_.On(Who(operation), EventKind::kCountDown, PartyDetails{party});
      const Status status = LockFor(operation).CountDown(NameOfParty(party));
      if (status.code() == StatusCode::kCancelled) return false;
      Answered(operation, status);
      if (!IsToBeSaidAgain(status)) break;
    }
    return true;
  }

  /// Returns the answer; kCancelled if the world is being torn down.
  StatusCode Await(const Operation& operation) {
    events_.On(Who(operation), EventKind::kAsk, DetailsOf(operation));
    std::optional<Stopper> stopper;
    if (operation.stops && operation.ask != Ask::kTry) {
      stopper.emplace(runtime_, operation.stop_after,
                      [this, who = Who(operation)] { events_.On(who, EventKind::kStop); });
    }
    const auto passed = AskFor(operation, LockFor(operation), runtime_, stopper);
    if (passed.code() != StatusCode::kCancelled) Answered(operation, passed.status());
    return passed.code();
  }

 private:
  void Pause(Duration length) {
    if (length.count() == 0) return;
    runtime_.NewEvent()->WaitUntil(runtime_.Now() + length);
  }
  void Answered(const Operation& operation, const Status& status) {
    events_.On(Who(operation), EventKind::kAnswered, AnswerDetails{.status = status.code()});
  }
  Party Who(const Operation& operation) const { return {client_, operation.resource}; }
  harness::Lock& LockFor(const Operation& operation) {
    return *locks_[static_cast<std::size_t>(operation.resource)];
  }

  const int client_;
  Runtime& runtime_;
  const std::span<const std::unique_ptr<harness::Lock>> locks_;
  ProgramEvents& events_;
};

bool CountsLater(const std::vector<Operation>& operations, std::size_t index) {
  const auto later = operations.begin() + static_cast<std::ptrdiff_t>(index) + 1;
  return std::any_of(later, operations.end(), [&](const Operation& other) {
    return LatchUseOf(other).counts && other.resource == operations[index].resource;
  });
}

}  // namespace

void RunLatchClient(int client, const ClientPlan& plan, Progress& progress,
                    harness::Environment& environment,
                    std::span<const std::unique_ptr<harness::Lock>> locks, ProgramEvents& events) {
  LatchProgram program(client, environment, locks, events);
  for (std::size_t& next = progress.next; next < plan.operations.size(); ++next) {
    const LatchUse use = LatchUseOf(plan.operations[next]);
    if (progress.tell) progress.tell(next, OperationPart::kThink);
    program.Think(use.request);
    if (progress.tell) progress.tell(next, OperationPart::kAsk);
    events.Step(client);
    if (!program.Count(use, PartyOf(client, next))) return;
    if (use.request.ask == Ask::kWait && CountsLater(plan.operations, next)) continue;
    if (program.Await(use.request) == StatusCode::kCancelled) return;
  }
}

void CountForAll(int client, const Operation& operation, const LateComer& late_comer,
                 harness::Environment& environment,
                 std::span<const std::unique_ptr<harness::Lock>> locks, ProgramEvents& events) {
  LatchProgram program(client, environment, locks, events);
  program.Think(operation);
  Operation look = operation;
  look.ask = Ask::kTry;
  if (late_comer.looks_first && program.Await(look) == StatusCode::kCancelled) return;
  for (const int party : late_comer.counts_for) {
    if (!program.CountDown(operation, party)) return;
  }
  if (program.Await(operation) != StatusCode::kOk) return;
  if (program.CountDown(operation, late_comer.one_too_many)) program.Await(look);
}

}  // namespace interlock::scenarios
