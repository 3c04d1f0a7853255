// SPDX-License-Identifier: MIT
#include "scenarios/client_program.h"

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "scenarios/scenario.h"

namespace interlock::scenarios {
namespace {

class Program {
 public:
  Program(int client, const ClientPlan& plan, harness::Environment& environment,
          const harness::Traits& traits, std::span<const std::unique_ptr<harness::Lock>> locks,
          ProgramEvents& events)
      : client_(client),
        operations_(plan.operations),
        runtime_(environment.runtime),
        can_extend_(traits.can_extend),
        taken_at_once_(ResourcesAtOnce(traits)),
        locks_(locks),
        events_(events) {}

  /// Does the operation, and what is inside it. False: the world is being torn down.
  bool Run(std::size_t index) {
    const Operation& operation = operations_[index];
    const Party who{client_, operation.resource};
    if (operation.think.count() > 0) SleepUntil(runtime_.Now() + operation.think);
    events_.OnAsk(who, operation);
    Result<std::unique_ptr<harness::Hold>> asked = AskFor(operation);
    if (!asked.ok()) {
      if (asked.code() == StatusCode::kCancelled) return false;
      events_.OnRefused(who, asked.status());
      return true;
    }
    harness::Hold& hold = **asked;
    events_.OnGranted(who, hold);
    Work(operation, hold);
    if (!RunInside(index)) return false;
    if (operation.overstay.count() > 0 && !Overstay(operation, hold)) return false;
    events_.OnRelease(who);
    const Status released = hold.Release();
    if (released.code() == StatusCode::kCancelled) return false;
    events_.OnReleased(who, released);
    return true;
  }

 private:
  using Held = std::bitset<kMostResources + kMostAtOnce - 1>;

  /// Why it leaves its section.
  enum class Left : std::uint8_t { kDone, kOver, kLost };

  /// What stands inside the operation, if its resource is none that the client holds by now.
  bool RunInside(std::size_t outer) {
    const std::size_t index = outer + 1;
    if (index == operations_.size() || !operations_[index].inside) return true;
    const Held its_own = TakenBy(operations_[outer]);
    held_ |= its_own;
    const bool free = (held_ & TakenBy(operations_[index])).none();
    const bool alive = !free || Run(index);
    held_ &= ~its_own;
    return alive;
  }

  Held TakenBy(const Operation& operation) const {
    Held taken;
    for (int i = 0; i < taken_at_once_; ++i) {
      taken.set(static_cast<std::size_t>(operation.resource + i));
    }
    return taken;
  }

  Result<std::unique_ptr<harness::Hold>> AskFor(const Operation& operation) {
    harness::Lock& lock = *locks_[static_cast<std::size_t>(operation.resource)];
    MonotonicTime deadline = kNever;
    switch (operation.ask) {
      case Ask::kTry:
        return operation.shared ? lock.TryAcquireShared() : lock.TryAcquire();
      case Ask::kWaitFor:
        deadline = AddSaturating(runtime_.Now(), operation.wait);
        break;
      case Ask::kWait:
        break;
    }
    return operation.shared ? lock.AcquireSharedUntil(deadline) : lock.AcquireUntil(deadline);
  }

  /// The section. A lease that is over before the section begins keeps the client out.
  void Work(const Operation& operation, harness::Hold& hold) {
    const MonotonicTime now = runtime_.Now();
    if (now >= hold.valid_until()) return;
    const Party who{client_, operation.resource};
    events_.OnEnter(who);
    events_.Step(client_);
    const bool admitted = events_.guarded() && events_.OnRead(who, hold);
    if (events_.guarded() && operation.stall.count() > 0) events_.Stall(client_, operation.stall);
    MonotonicTime end = AddSaturating(now, operation.hold);
    if (operation.extend && can_extend_) {
      SleepUntil(std::min(AddSaturating(now, operation.hold / 2), hold.valid_until()));
      Extend(who, hold);
    }
    const Left left = StayInside(who, end, hold);
    if (admitted && left != Left::kLost && !operation.shared) Write(operation, hold);
    events_.OnLeave(who);
    if (left == Left::kOver && hold.lost() != nullptr) AwaitLoss(who, *hold.lost());
  }

  /// Works until `end`, or until its time is over, which a lock that renews by itself may put off.
  Left StayInside(Party who, MonotonicTime end, harness::Hold& hold) {
    for (;;) {
      const MonotonicTime valid_until = hold.valid_until();
      const MonotonicTime until = std::min(end, valid_until);
      if (hold.lost() == nullptr) {
        SleepUntil(until);
      } else if (hold.lost()->WaitUntil(until)) {
        events_.OnLost(who);
        return Left::kLost;
      }
      if (until == end) return Left::kDone;
      if (hold.valid_until() <= valid_until || !AskValid(who, hold)) return Left::kOver;
    }
  }

  /// A pause meanwhile is not the lock's: only time during which it could have acted counts.
  void AwaitLoss(Party who, Event& lost) {
    for (;;) {
      const MonotonicTime from = runtime_.Now();
      const bool told = lost.WaitUntil(AddSaturating(from, kNotice));
      if (told || runtime_.Now() <= AddSaturating(from, 2 * kNotice)) {
        return events_.OnAwaitedLoss(who, told);
      }
    }
  }

  /// Once the write is under way nobody can call it back: the client waits for the answer as long
  /// as its lease is valid, and leaves without it then.
  void Write(const Operation& operation, const harness::Hold& hold) {
    if (!operation.heedless && runtime_.Now() >= hold.valid_until()) return;
    events_.Step(client_);
    const std::shared_ptr<Event> answered = runtime_.NewEvent();
    events_.OnWrite({client_, operation.resource}, hold, answered);
    answered->WaitUntil(hold.valid_until());
  }

  /// Comes back when the lease is long over, as a client does that forgot the time.
  bool Overstay(const Operation& operation, harness::Hold& hold) {
    const MonotonicTime from =
        std::min(hold.valid_until(), AddSaturating(runtime_.Now(), operation.hold));
    SleepUntil(AddSaturating(from, operation.overstay));
    const Party who{client_, operation.resource};
    AskValid(who, hold);
    return !operation.extend || !can_extend_ || Extend(who, hold);
  }

  bool Extend(Party who, harness::Hold& hold) {
    events_.OnExtend(who);
    const Status extended = hold.Extend();
    if (extended.code() == StatusCode::kCancelled) return false;
    events_.OnExtended(who, extended, hold);
    if (extended.outcome() == Outcome::kFailure) AskValid(who, hold);
    return true;
  }

  /// True: it was told yes.
  bool AskValid(Party who, const harness::Hold& hold) {
    events_.OnAskValid(who);
    const std::optional<bool> valid = hold.valid();
    if (valid.has_value()) events_.OnAskedValid(who, *valid, hold);
    return valid.value_or(false);
  }

  void SleepUntil(MonotonicTime deadline) { runtime_.NewEvent()->WaitUntil(deadline); }

  const int client_;
  const std::vector<Operation>& operations_;
  Runtime& runtime_;
  const bool can_extend_;
  const int taken_at_once_;
  const std::span<const std::unique_ptr<harness::Lock>> locks_;
  ProgramEvents& events_;
  Held held_;  // by operations that others are inside of
};

}  // namespace

void RunClient(int client, const ClientPlan& plan, std::size_t& next,
               harness::Environment& environment, const harness::Traits& traits,
               std::span<const std::unique_ptr<harness::Lock>> locks, ProgramEvents& events) {
  Program program(client, plan, environment, traits, locks, events);
  const auto& operations = plan.operations;
  while (next < operations.size()) {
    if (!program.Run(next)) return;
    do {
      ++next;
    } while (next < operations.size() && operations[next].inside);
  }
}

}  // namespace interlock::scenarios
