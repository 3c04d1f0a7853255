// SPDX-License-Identifier: MIT
#include "scenarios/run/client_program.h"

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <utility>
#include <vector>

#include "scenarios/cases/scenario.h"

namespace interlock::scenarios {
namespace {

class Program {
 public:
  Program(int client, const ClientPlan& plan, const Progress& progress,
          harness::Environment& environment, const harness::Traits& traits,
          std::span<const std::unique_ptr<harness::Lock>> locks, ProgramEvents& events)
      : client_(client),
        operations_(plan.operations),
        progress_(progress),
        runtime_(environment.runtime),
        can_extend_(traits.can_extend),
        taken_at_once_(ResourcesAtOnce(traits)),
        locks_(locks),
        events_(events) {}

  /// Performs the operation and those inside it. Returns false if the world is being torn down.
  bool Run(std::size_t index) {
    const Operation& operation = operations_[index];
    const Party who{client_, operation.resource};
    Begin(operation, OperationPart::kThink);
    if (operation.think.count() > 0) SleepUntil(runtime_.Now() + operation.think);
    Begin(operation, OperationPart::kAsk);
    if (operation.sets_limit > 0) return SetLimit(operation);
    if (operation.forces) return Force(who, operation);
    TellAsk(who, operation);
    std::optional<Stopper> stopper;
    if (operation.stops && operation.ask != Ask::kTry) {
      stopper.emplace(runtime_, operation.stop_after, [this, who] { Tell(who, EventKind::kStop); });
    }
    Result<std::unique_ptr<harness::Hold>> asked =
        AskFor(operation, LockFor(operation), runtime_, stopper);
    if (!asked.ok()) {
      if (asked.code() == StatusCode::kCancelled) return false;
      Tell(who, EventKind::kRefused, Answer(asked.status()));
      return true;
    }
    harness::Hold& hold = **asked;
    TellOf(who, EventKind::kGranted, hold, [](const harness::Hold& part) {
      return GrantDetails{.token = part.owner_token(),
                          .fencing_token = part.fencing_token(),
                          .valid_until = part.valid_until().time_since_epoch()};
    });
    stopper.reset();
    const std::shared_ptr<Event> called = AskToBeCalled(who, hold);
    Work(operation, hold, called.get());
    const std::size_t kept = outliving_.size();
    if (!RunInside(index)) return false;
    if (operation.inside && operation.outlives) {
      outliving_.push_back({&operation, std::move(*asked)});
      return true;
    }
    if (!GiveBack(operation, *asked)) return false;
    while (outliving_.size() > kept) {
      Outliving next = std::move(outliving_[kept]);
      outliving_.erase(outliving_.begin() + static_cast<std::ptrdiff_t>(kept));
      if (!GiveBack(*next.operation, next.hold)) return false;
    }
    return true;
  }

 private:
  harness::Lock& LockFor(const Operation& operation) {
    return *locks_[static_cast<std::size_t>(operation.resource)];
  }

  void Begin(const Operation& operation, OperationPart part) const {
    if (!progress_.tell) return;
    progress_.tell(static_cast<std::size_t>(&operation - operations_.data()), part);
  }

  static AnswerDetails Answer(const Status& status) { return {.status = status.code()}; }

  /// Tells of each of the resources that the client takes at once.
  void Tell(Party who, EventKind kind, const EventDetails& details = {}) {
    for (int i = 0; i < taken_at_once_; ++i) {
      events_.On({who.client, who.resource + i}, kind, details);
    }
  }
  template <typename Details>
  void TellOf(Party who, EventKind kind, const harness::Hold& hold, const Details& details_of) {
    for (int i = 0; i < taken_at_once_; ++i) {
      const auto part = static_cast<std::size_t>(i);
      events_.On({who.client, who.resource + i}, kind, details_of(hold.Part(part)));
    }
  }
  void TellAsk(Party who, const Operation& operation) {
    AskDetails details = DetailsOf(operation);
    for (int i = 0; i < taken_at_once_; ++i) {
      details.beside = i > 0;
      events_.On({who.client, who.resource + i}, EventKind::kAsk, details);
    }
  }

  /// A hold that is given back only after the one around it.
  struct Outliving {
    const Operation* operation = nullptr;
    std::unique_ptr<harness::Hold> hold;
  };

  /// Releases the hold or, if the operation says so, drops it: then nothing more is done about it.
  bool GiveBack(const Operation& operation, std::unique_ptr<harness::Hold>& hold) {
    const Party who{client_, operation.resource};
    Begin(operation, OperationPart::kReturn);
    if (operation.overstay.count() > 0 && !Overstay(operation, *hold)) return false;
    if (operation.drops) {
      Tell(who, EventKind::kDrop);
      hold.reset();
      return true;
    }
    Tell(who, EventKind::kRelease);
    const Status released = hold->Release();
    if (released.code() == StatusCode::kCancelled) return false;
    Tell(who, EventKind::kReleased, Answer(released));
    return true;
  }

  bool SetLimit(const Operation& operation) {
    const Party who{client_, operation.resource};
    harness::Lock& lock = LockFor(operation);
    for (int said = 0; said < kMostSaid; ++said) {
      events_.On(who, EventKind::kSetLimit, LimitDetails{operation.sets_limit});
      const Status set = lock.SetLimit(operation.sets_limit);
      if (set.code() == StatusCode::kCancelled) return false;
      events_.On(who, EventKind::kLimitSet, Answer(set));
      if (!IsToBeSaidAgain(set)) break;
    }
    return true;
  }

  using Held = std::bitset<kMostResources + kMostAtOnce - 1>;

  /// Why the client leaves its section.
  enum class Left : std::uint8_t { kDone, kOver, kLost };

  /// Runs the operation inside the outer one, unless it asks for a resource that the client already
  /// holds.
  bool RunInside(std::size_t outer) {
    const std::size_t index = outer + 1;
    if (index == operations_.size() || !operations_[index].inside) return true;
    const Held its_own = TakenBy(operations_[outer]);
    held_ |= its_own;
    const bool free =
        operations_[index].sets_limit > 0 || (held_ & TakenBy(operations_[index])).none();
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

  /// Acts as an operator. The holder may have changed between the operator's look and its action.
  bool Force(Party who, const Operation& operation) {
    harness::Lock& lock = LockFor(operation);
    events_.On(who, EventKind::kInspect);
    const Result<std::vector<harness::SeenHolder>> seen = lock.Inspect();
    if (seen.code() == StatusCode::kCancelled) return false;
    events_.On(who, EventKind::kInspected, Answer(seen.status()));
    if (!seen.ok()) return true;
    const Forcing forcing = ForcingOf(operation);
    if (forcing.thinks.count() > 0) SleepUntil(runtime_.Now() + forcing.thinks);
    for (const harness::SeenHolder& holder : *seen) {
      for (int said = 0; said < (forcing.twice ? 2 : 1); ++said) {
        events_.On(who, EventKind::kForce, HolderDetails{holder.token});
        const Status forced = lock.ForceRelease(holder);
        if (forced.code() == StatusCode::kCancelled) return false;
        events_.On(who, EventKind::kForced, Answer(forced));
      }
    }
    return true;
  }

  /// Returns an event that is set when the lock calls, or null if the lock offers no call or nobody
  /// wants it. The callback shares the event, because a lock may call when nobody listens any more.
  std::shared_ptr<Event> AskToBeCalled(Party who, harness::Hold& hold) {
    std::function<void()> call = events_.LossCallOf(who);
    if (!call) return nullptr;
    std::shared_ptr<Event> called = runtime_.NewEvent();
    const bool offered = hold.OnLost([called, call = std::move(call)] {
      call();
      called->Set();
    });
    return offered ? called : nullptr;
  }

  /// Runs the section, unless the lease is over before the section begins.
  void Work(const Operation& operation, harness::Hold& hold, Event* called) {
    const MonotonicTime now = runtime_.Now();
    if (now >= hold.valid_until()) return;
    const Party who{client_, operation.resource};
    Begin(operation, OperationPart::kSection);
    Tell(who, EventKind::kEnter);
    events_.Step(client_);
    const bool admitted = events_.guarded() && events_.OnRead(who, hold.Part(0));
    if (events_.guarded() && operation.stall.count() > 0) events_.Stall(client_, operation.stall);
    MonotonicTime end = AddSaturating(now, operation.hold);
    if (operation.extend && can_extend_) {
      SleepUntil(std::min(AddSaturating(now, operation.hold / 2), hold.valid_until()));
      Begin(operation, OperationPart::kExtend);
      Extend(who, hold);
      Begin(operation, OperationPart::kSection);
    }
    const Left left = StayInside(who, end, hold);
    if (admitted && left != Left::kLost && !operation.shared) Write(operation, hold);
    Tell(who, EventKind::kLeave);
    if (left == Left::kOver && hold.lost() != nullptr) {
      events_.On(who, EventKind::kAwaitedLoss, ToldDetails{IsSetInTime(*hold.lost())});
    }
    if (left != Left::kDone && called != nullptr) {
      events_.On(who, EventKind::kAwaitedCall, ToldDetails{IsSetInTime(*called)});
    }
  }

  /// Works until `end` or the end of the validity, which a lock that renews by itself may put off.
  Left StayInside(Party who, MonotonicTime end, harness::Hold& hold) {
    for (;;) {
      const MonotonicTime valid_until = hold.valid_until();
      const MonotonicTime until = std::min(end, valid_until);
      if (hold.lost() == nullptr) {
        SleepUntil(until);
      } else if (hold.lost()->WaitUntil(until)) {
        Tell(who, EventKind::kLost);
        return Left::kLost;
      }
      if (until == end) return Left::kDone;
      if (hold.valid_until() <= valid_until || !AskValid(who, hold, true)) return Left::kOver;
    }
  }

  /// Whether the event is set in time. A pause meanwhile is not the lock's fault: only time during
  /// which the lock could have acted counts.
  bool IsSetInTime(Event& told) {
    for (;;) {
      const MonotonicTime from = runtime_.Now();
      const bool set = told.WaitUntil(AddSaturating(from, kNotice));
      if (set || runtime_.Now() <= AddSaturating(from, 2 * kNotice)) return set;
    }
  }

  /// A write under way cannot be called back: the client waits for the answer only as long as its
  /// lease is valid, and then leaves without it.
  void Write(const Operation& operation, const harness::Hold& hold) {
    if (!operation.heedless && runtime_.Now() >= hold.valid_until()) return;
    events_.Step(client_);
    const std::shared_ptr<Event> answered = runtime_.NewEvent();
    events_.OnWrite({client_, operation.resource}, hold.Part(0), answered);
    answered->WaitUntil(hold.valid_until());
  }

  /// Returns long after the lease is over, like a client that forgot the time.
  bool Overstay(const Operation& operation, harness::Hold& hold) {
    const MonotonicTime from =
        std::min(hold.valid_until(), AddSaturating(runtime_.Now(), operation.hold));
    SleepUntil(AddSaturating(from, operation.overstay));
    const Party who{client_, operation.resource};
    AskValid(who, hold);
    return !operation.extend || !can_extend_ || Extend(who, hold);
  }

  bool Extend(Party who, harness::Hold& hold) {
    Tell(who, EventKind::kExtend);
    const Status extended = hold.Extend();
    if (extended.code() == StatusCode::kCancelled) return false;
    TellOf(who, EventKind::kExtended, hold, [&](const harness::Hold& part) {
      return ExtendedDetails{extended.code(), part.valid_until().time_since_epoch()};
    });
    if (extended.outcome() == Outcome::kFailure) AskValid(who, hold);
    return true;
  }

  /// Returns whether the client was told yes or, if the lock does not answer and the end of the
  /// validity has `moved`, whether that end is yet to come.
  bool AskValid(Party who, const harness::Hold& hold, bool moved = false) {
    Tell(who, EventKind::kAskValid);
    const std::optional<bool> valid = hold.valid();
    const bool yes = valid.value_or(moved && runtime_.Now() < hold.valid_until());
    if (!valid.has_value() && !yes) return yes;
    // A client that is told "no" does not learn which of the resources is meant.
    TellOf(who, EventKind::kAskedValid, hold, [&](const harness::Hold& part) {
      return ValidDetails{yes, part.valid_until().time_since_epoch()};
    });
    return yes;
  }

  void SleepUntil(MonotonicTime deadline) { runtime_.NewEvent()->WaitUntil(deadline); }

  const int client_;
  const std::vector<Operation>& operations_;
  const Progress& progress_;
  Runtime& runtime_;
  const bool can_extend_;
  const int taken_at_once_;
  const std::span<const std::unique_ptr<harness::Lock>> locks_;
  ProgramEvents& events_;
  Held held_;  // by the operations around the current one
  std::vector<Outliving> outliving_;
};

}  // namespace

AskDetails DetailsOf(const Operation& operation) {
  AskDetails details{.ask = operation.ask, .shared = operation.shared};
  const bool stops = operation.ask != Ask::kTry && operation.stops;
  details.stopped = stops && operation.stop_after.count() == 0;
  if (operation.ask == Ask::kWaitFor) details.patience = operation.wait;
  return details;
}

Result<std::unique_ptr<harness::Hold>> AskFor(const Operation& operation, harness::Lock& lock,
                                              Runtime& runtime,
                                              const std::optional<Stopper>& stopper) {
  if (operation.ask == Ask::kTry) {
    return operation.shared ? lock.TryAcquireShared() : lock.TryAcquire();
  }
  const bool limited = operation.ask == Ask::kWaitFor;
  const MonotonicTime deadline = limited ? AddSaturating(runtime.Now(), operation.wait) : kNever;
  if (stopper.has_value()) {
    const std::stop_token stop = stopper->token();
    return operation.shared ? lock.AcquireSharedUnlessStopped(deadline, stop)
                            : lock.AcquireUnlessStopped(deadline, stop);
  }
  return operation.shared ? lock.AcquireSharedUntil(deadline) : lock.AcquireUntil(deadline);
}

void RunClient(int client, const ClientPlan& plan, Progress& progress,
               harness::Environment& environment, const harness::Traits& traits,
               std::span<const std::unique_ptr<harness::Lock>> locks, ProgramEvents& events) {
  Program program(client, plan, progress, environment, traits, locks, events);
  const auto& operations = plan.operations;
  std::size_t& next = progress.next;
  while (next < operations.size()) {
    if (!program.Run(next)) return;
    do {
      ++next;
    } while (next < operations.size() && operations[next].inside);
  }
}

}  // namespace interlock::scenarios
