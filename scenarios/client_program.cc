// SPDX-License-Identifier: MIT
#include "scenarios/client_program.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace interlock::scenarios {
namespace {

class Program {
 public:
  Program(int client, harness::Environment& environment, const harness::Traits& traits,
          harness::Lock& lock, ProgramEvents& events)
      : client_(client),
        runtime_(environment.runtime),
        can_extend_(traits.can_extend),
        lock_(lock),
        events_(events) {}

  /// False: the world is being torn down.
  bool Run(const Operation& operation) {
    if (operation.think.count() > 0) SleepUntil(runtime_.Now() + operation.think);
    events_.OnAsk(client_, operation);
    Result<std::unique_ptr<harness::Hold>> asked = AskFor(operation);
    if (!asked.ok()) {
      if (asked.code() == StatusCode::kCancelled) return false;
      events_.OnRefused(client_, asked.status());
      return true;
    }
    harness::Hold& hold = **asked;
    events_.OnGranted(client_, hold);
    Work(operation, hold);
    if (operation.overstay.count() > 0 && !Overstay(operation, hold)) return false;
    events_.OnRelease(client_);
    const Status released = hold.Release();
    if (released.code() == StatusCode::kCancelled) return false;
    events_.OnReleased(client_, released);
    return true;
  }

 private:
  Result<std::unique_ptr<harness::Hold>> AskFor(const Operation& operation) {
    switch (operation.ask) {
      case Ask::kTry:
        return lock_.TryAcquire();
      case Ask::kWaitFor:
        return lock_.AcquireUntil(AddSaturating(runtime_.Now(), operation.wait));
      case Ask::kWait:
        break;
    }
    return lock_.AcquireUntil(kNever);
  }

  /// The section. A lease that is over before the section begins keeps the client out.
  void Work(const Operation& operation, harness::Hold& hold) {
    const MonotonicTime now = runtime_.Now();
    if (now >= hold.valid_until()) return;
    events_.OnEnter(client_);
    events_.Step(client_);
    const bool admitted = events_.guarded() && events_.OnRead(client_, hold);
    if (events_.guarded() && operation.stall.count() > 0) events_.Stall(client_, operation.stall);
    MonotonicTime end = AddSaturating(now, operation.hold);
    if (operation.extend && can_extend_) {
      SleepUntil(std::min(AddSaturating(now, operation.hold / 2), hold.valid_until()));
      Extend(hold);
    }
    end = std::min(end, hold.valid_until());
    SleepUntil(end);
    if (admitted) Write(operation, hold);
    events_.OnLeave(client_);
  }

  /// Once the write is under way nobody can call it back: the client waits for the answer as long
  /// as its lease is valid, and leaves without it then.
  void Write(const Operation& operation, const harness::Hold& hold) {
    if (!operation.heedless && runtime_.Now() >= hold.valid_until()) return;
    events_.Step(client_);
    const std::shared_ptr<Event> answered = runtime_.NewEvent();
    events_.OnWrite(client_, hold, answered);
    answered->WaitUntil(hold.valid_until());
  }

  /// Comes back when the lease is long over, as a client does that forgot the time.
  bool Overstay(const Operation& operation, harness::Hold& hold) {
    const MonotonicTime from =
        std::min(hold.valid_until(), AddSaturating(runtime_.Now(), operation.hold));
    SleepUntil(AddSaturating(from, operation.overstay));
    AskValid(hold);
    return !operation.extend || !can_extend_ || Extend(hold);
  }

  bool Extend(harness::Hold& hold) {
    events_.OnExtend(client_);
    const Status extended = hold.Extend();
    if (extended.code() == StatusCode::kCancelled) return false;
    events_.OnExtended(client_, extended, hold);
    if (extended.outcome() == Outcome::kFailure) AskValid(hold);
    return true;
  }

  void AskValid(const harness::Hold& hold) {
    events_.OnAskValid(client_);
    const std::optional<bool> valid = hold.valid();
    if (valid.has_value()) events_.OnAskedValid(client_, *valid);
  }

  void SleepUntil(MonotonicTime deadline) { runtime_.NewEvent()->WaitUntil(deadline); }

  const int client_;
  Runtime& runtime_;
  const bool can_extend_;
  harness::Lock& lock_;
  ProgramEvents& events_;
};

}  // namespace

void RunClient(int client, const ClientPlan& plan, std::size_t& next,
               harness::Environment& environment, const harness::Traits& traits,
               harness::Lock& lock, ProgramEvents& events) {
  Program program(client, environment, traits, lock, events);
  for (; next < plan.operations.size(); ++next) {
    if (!program.Run(plan.operations[next])) return;
  }
}

}  // namespace interlock::scenarios
