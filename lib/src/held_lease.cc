// SPDX-License-Identifier: MIT
#include "src/held_lease.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "src/duration_text.h"
#include "src/handed_over.h"
#include "src/lease_keeper.h"
#include "src/lost_event.h"
#include "src/retry.h"
#include "src/token.h"

namespace interlock::internal {

HeldLease::HeldLease(std::shared_ptr<LeaseBackend> backend, Grant grant)
    : backend_(std::move(backend)),
      granted_(teller().Begin()),
      grant_(std::move(grant)),
      valid_until_(grant_.valid_until) {}

HeldLease::~HeldLease() = default;

const Teller& HeldLease::teller() const { return backend_->keeper().teller(); }

bool HeldLease::HeldAt(MonotonicTime now) {
  {
    MutexGuard guard(mutex_);
    if (state_ != State::kHeld) return false;
    if (now < valid_until_) return true;
  }
  MarkEnded(State::kOver);
  return false;
}

void HeldLease::MarkEnded(State state) {
  std::vector<std::shared_ptr<Event>> lost;
  std::uint64_t ticket = 0;
  bool held = false;
  {
    MutexGuard guard(mutex_);
    if (state_ != State::kHeld && state_ != State::kOver) return;
    held = state_ == State::kHeld;
    state_ = state;
    lost = lost_;
    if (on_lost_) ticket = ticket_;
  }
  for (const std::shared_ptr<Event>& told : lost) told->Set();
  if (ticket != 0) {
    backend_->keeper().losses().Put(ticket, shared_from_this(), {MonotonicTime::min()});
  }
  if (held && teller()) TellLost(state);
}

void HeldLease::TellLost(State state) {
  const bool told = state == State::kLost;
  teller().Tell({.kind = Observation::Kind::kLost,
                 .resource = backend_->resource(),
                 .token = grant_.token,
                 .status = Status(told ? StatusCode::kNotOwner : StatusCode::kLeaseLost),
                 .valid_until = valid_until(),
                 .fencing_token = grant_.fencing_token});
}

bool HeldLease::Valid() { return InUse() && HeldAt(Now()); }

bool HeldLease::InUse() {
  MutexGuard guard(mutex_);
  return state_ == State::kHeld || state_ == State::kOver;
}

MonotonicTime HeldLease::valid_until() {
  MutexGuard guard(mutex_);
  return valid_until_;
}

Duration HeldLease::Remaining() {
  if (!InUse()) return Duration(0);
  const MonotonicTime now = Now();
  return HeldAt(now) ? std::max(valid_until() - now, Duration(0)) : Duration(0);
}

bool HeldLease::Ended() {
  {
    MutexGuard guard(mutex_);
    if (state_ != State::kHeld) return state_ == State::kOver || state_ == State::kLost;
  }
  if (HeldAt(Now())) return false;
  MutexGuard guard(mutex_);  // it may have been released instead
  return state_ == State::kOver || state_ == State::kLost;
}

void HeldLease::End() { MarkEnded(State::kOver); }

MonotonicTime HeldLease::end_of_belief() {
  MutexGuard guard(mutex_);
  return state_ == State::kHeld ? valid_until_ : kNever;
}

Status HeldLease::Extend(std::optional<Duration> lease) {
  if (!InUse()) return Status(StatusCode::kNotOwner, "it is no longer held");
  if (!HeldAt(Now()))
    return Status(StatusCode::kLeaseLost, "the lease was over before it was extended");
  Grant now_held;
  now_held.token = grant_.token;
  now_held.fencing_token = grant_.fencing_token;
  now_held.valid_until = valid_until();
  return Prolong(now_held, lease.value_or(backend_->default_lease()));
}

Status HeldLease::Prolong(const Grant& grant, Duration lease) {
  const MonotonicTime begun = teller().Begin();
  Status extended = Settle(backend_->Extend(grant, lease));
  if (teller()) {
    teller().TellSince(begun, {.kind = Observation::Kind::kExtended,
                               .resource = backend_->resource(),
                               .token = grant.token,
                               .status = extended,
                               .valid_until = valid_until(),
                               .fencing_token = grant.fencing_token});
  }
  return extended;
}

Status HeldLease::Settle(const Result<MonotonicTime>& extended) {
  if (extended.code() == StatusCode::kNotOwner) MarkEnded(State::kLost);
  if (!extended.ok()) return extended.status();
  MutexGuard guard(mutex_);
  if (state_ == State::kOver) {
    return Status(StatusCode::kLeaseLost, "it was over before the answer was looked at");
  }
  if (state_ != State::kHeld) return Status(StatusCode::kNotOwner, "it is no longer held");
  valid_until_ = std::max(valid_until_, *extended);
  return Status();
}

Status HeldLease::KeepAlive(Duration max_hold) {
  if (max_hold <= Duration(0)) {
    return Status(StatusCode::kInvalidArgument,
                  "max_hold is " + DurationText(max_hold) + "; allowed is more than 0");
  }
  const MonotonicTime now = Now();
  const bool held = HeldAt(now);
  Agenda::Entry entry;
  {
    MutexGuard guard(mutex_);
    if (!held) {
      return state_ == State::kOver ? Status(StatusCode::kLeaseLost, "the lease was over before")
                                    : Status(StatusCode::kNotOwner, "it is no longer held");
    }
    hold_until_ = AddSaturating(now, max_hold);
    entry = {RenewAt(now, valid_until_), valid_until_};
  }
  backend_->keeper().renewals().Put(Ticket(), shared_from_this(), entry);
  return Status();
}

std::uint64_t HeldLease::Ticket() {
  MutexGuard guard(mutex_);
  if (ticket_ == 0) ticket_ = backend_->keeper().NewTicket();
  return ticket_;
}

Event& HeldLease::lost() {
  std::call_once(lost_event_made_,
                 [this] { lost_event_ = std::make_unique<LostEvent>(std::vector{this}); });
  return *lost_event_;
}

void HeldLease::TellLossTo(std::shared_ptr<Event> told) {
  MutexGuard guard(mutex_);
  if (state_ == State::kOver || state_ == State::kLost) told->Set();
  lost_.push_back(std::move(told));
}

void HeldLease::OnLost(std::function<void()> callback) {
  const std::uint64_t ticket = Ticket();
  MonotonicTime when = MonotonicTime::min();  // it is lost already
  {
    MutexGuard guard(mutex_);
    if (state_ == State::kReleased || state_ == State::kUnreleased || state_ == State::kClosed) {
      return;
    }
    on_lost_.swap(callback);
    if (state_ == State::kHeld) when = valid_until_;
  }
  backend_->keeper().losses().Put(ticket, shared_from_this(), {when});
}

Status HeldLease::Release() {
  bool lost = false;
  bool on_agendas = false;
  {
    MutexGuard guard(mutex_);
    if (state_ == State::kClosed) {
      return Status(StatusCode::kNotOwner, "this handle holds nothing");
    }
    if (state_ == State::kReleased) return release_status_;
    lost = state_ == State::kLost;
    // Before the call, which may take its time: the belief must not outlive the wish to release.
    if (!lost) state_ = State::kUnreleased;
    on_agendas = ticket_ != 0;
  }
  if (on_agendas) Retire();
  if (lost) return ReleaseLost();
  Status released = backend_->Release(grant_);
  const StatusCode code = released.code();
  if (code == StatusCode::kOk || code == StatusCode::kNotOwner) {
    release_status_ = released;
    MutexGuard guard(mutex_);
    state_ = State::kReleased;
  }
  return Released(std::move(released));
}

Status HeldLease::Released(Status status) {
  if (teller()) {
    teller().TellSince(granted_, {.kind = Observation::Kind::kReleased,
                                  .resource = backend_->resource(),
                                  .token = grant_.token,
                                  .status = status,
                                  .fencing_token = grant_.fencing_token});
  }
  return status;
}

Status HeldLease::ReleaseLost() {
  backend_->ReleaseLost(grant_);
  release_status_ = Status(StatusCode::kNotOwner, "the lease was lost");
  {
    MutexGuard guard(mutex_);
    state_ = State::kReleased;
  }
  return Released(release_status_);
}

bool HeldLease::OwesRelease() {
  MutexGuard guard(mutex_);
  return state_ == State::kHeld || state_ == State::kOver || state_ == State::kLost;
}

void HeldLease::Drop() {
  if (OwesRelease()) {
    (void)Release();
  } else {
    Close();
  }
}

void HeldLease::Close() {
  {
    MutexGuard guard(mutex_);
    state_ = State::kClosed;
    if (ticket_ == 0) return;
  }
  Retire();
}

Result<std::string> HeldLease::HandOver() {
  if (!InUse()) return Status(StatusCode::kNotOwner, "it is no longer held");
  if (!HeldAt(Now())) return Status(StatusCode::kLeaseLost, "the lease was over before");
  // A late extension by this process, to its own lease, could cut short the next one's.
  if (!backend_->may_be_handed_over()) {
    return Status(StatusCode::kInvalidArgument, "a lease without fencing cannot be handed over");
  }
  Close();
  return TextOf(grant_);
}

void HeldLease::Retire() {
  std::function<void()> dropped;
  std::shared_ptr<Event> told;
  std::uint64_t ticket = 0;
  {
    MutexGuard guard(mutex_);
    dropped.swap(on_lost_);
    told = told_;
    ticket = ticket_;
  }
  backend_->keeper().renewals().Remove(ticket);
  backend_->keeper().losses().Remove(ticket);
  if (told != nullptr) told->WaitUntil(kNever);
}

std::optional<HeldLease::Renewal> HeldLease::NextRenewal(MonotonicTime now, MonotonicTime by) {
  MutexGuard guard(mutex_);
  if (state_ != State::kHeld || now >= hold_until_) return std::nullopt;
  Renewal renewal;
  const Duration left = hold_until_ - now;
  renewal.lease = std::min(backend_->default_lease(), left);
  renewal.last = renewal.lease == left;
  if (now + renewal.lease <= valid_until_ || renewal.lease < kMinLease) return std::nullopt;
  renewal.grant.token = grant_.token;
  renewal.grant.fencing_token = grant_.fencing_token;
  renewal.grant.valid_until = std::min(valid_until_, by);
  return renewal;
}

std::optional<Agenda::Entry> HeldLease::RenewLater(MonotonicTime now) {
  MutexGuard guard(mutex_);
  const bool done = state_ != State::kHeld || hold_until_ <= valid_until_ ||
                    hold_until_ < AddSaturating(now, kMinLease);
  if (done) return std::nullopt;
  return Agenda::Entry{RenewAt(now, valid_until_), valid_until_};
}

std::optional<Agenda::Entry> HeldLease::Renew(MonotonicTime by) {
  const MonotonicTime begun = Now();
  if (!HeldAt(begun)) return std::nullopt;
  const std::optional<Renewal> renewal = NextRenewal(begun, by);
  if (!renewal.has_value()) return RenewLater(begun);
  const Status renewed = Prolong(renewal->grant, renewal->lease);
  if (renewed.ok() && renewal->last) return std::nullopt;
  if (renewed.code() == StatusCode::kCancelled) return std::nullopt;
  const MonotonicTime now = Now();
  const std::uint32_t random = renewed.ok() ? 0 : RandomNumber(backend_->runtime());
  MutexGuard guard(mutex_);
  if (state_ != State::kHeld) return std::nullopt;
  failures_ = renewed.ok() ? 0 : failures_ + 1;
  const MonotonicTime when = renewed.ok() ? RenewAt(now, valid_until_)
                                          : RenewAgainAt(now, valid_until_, failures_, random);
  return Agenda::Entry{when, valid_until_};
}

std::optional<Agenda::Entry> HeldLease::TellLoss(MonotonicTime /*by*/) {
  if (!Ended()) {
    MutexGuard guard(mutex_);
    if (state_ != State::kHeld || !on_lost_) return std::nullopt;
    return Agenda::Entry{valid_until_};
  }
  std::function<void()> callback;
  const std::shared_ptr<Event> told = backend_->runtime().NewEvent();
  {
    MutexGuard guard(mutex_);
    if (!on_lost_) return std::nullopt;
    callback.swap(on_lost_);
    told_ = told;
  }
  callback();
  callback = nullptr;
  told->Set();
  return std::nullopt;
}

}  // namespace interlock::internal
