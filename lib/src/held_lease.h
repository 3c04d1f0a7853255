// SPDX-License-Identifier: MIT
//
// HeldLease: one grant and what has become of it, shared by its holder's Lease and the client's
// tasks that renew it and tell of its loss.
//
// Invariants:
// - The belief ends once and for good: the task that observes its end, by the clock or by the
// server's
//   word, ends it for all others. An extension that was answered in time but looked at later does
//   not revive it, and neither does one that comes back after the release.
// - Once the holder has closed it (Release, Close) no renewal or callback begins, and a running
//   callback has been waited for. A running renewal has not: the server refuses it, or the release
//   comes after it.
//
// Thread safety: the members marked so may be called from any task, the others by the holder only.
// No lock is held while anything YIELDS, except for reading the clock.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <interlock/lease.h>
#include <interlock/result.h>
#include <interlock/runtime.h>
#include <interlock/time.h>

#include "src/agenda.h"
#include "src/annotated_mutex.h"

namespace interlock::internal {

class LostEvent;
class Teller;

class HeldLease final : public std::enable_shared_from_this<HeldLease> {
 public:
  HeldLease(std::shared_ptr<LeaseBackend> backend, Grant grant);
  ~HeldLease();
  HeldLease(const HeldLease&) = delete;
  HeldLease& operator=(const HeldLease&) = delete;

  // For the holder, see Lease.
  bool Valid();
  MonotonicTime valid_until();
  Duration Remaining();
  Status Extend(std::optional<Duration> lease);
  Status KeepAlive(Duration max_hold);
  void OnLost(std::function<void()> callback);
  Status Release();
  /// As a Lease's destructor does: releases what is still held, else ends what goes on.
  void Drop();
  /// Ends it without a word to the server.
  void Close();
  Result<std::string> HandOver();

  // For any task.

  Event& lost();
  /// Whether it is lost. False if it was released before.
  bool Ended();
  /// Makes Ended() true from now on, because somebody says that it is lost.
  void End();
  /// When Ended() turns true by itself; kNever if it does not.
  MonotonicTime end_of_belief();
  /// Sets `told` as soon as any task knows that it is lost; at once if that is known.
  void TellLossTo(std::shared_ptr<Event> told);
  Runtime& runtime() { return backend_->runtime(); }
  MonotonicTime Now() { return backend_->runtime().Now(); }

  // Visits of the client's tasks, see Agenda.
  std::optional<Agenda::Entry> Renew(MonotonicTime by);
  std::optional<Agenda::Entry> TellLoss(MonotonicTime by);

 private:
  enum class State : std::uint8_t {
    kHeld,
    kOver,        ///< by this client's clock, and somebody has seen it
    kLost,        ///< by the server's word
    kUnreleased,  ///< the holder wants to release, or could not
    kReleased,
    kClosed,
  };

  /// True unless it was given back or the server is known to have it as somebody else's.
  bool InUse();
  /// True unless it was given back, or nothing more is to be done for that.
  bool OwesRelease();
  bool HeldAt(MonotonicTime now);
  void MarkEnded(State state);
  /// What to prolong now, and by how much; nullopt: nothing any more.
  struct Renewal {
    Grant grant;
    Duration lease{};
    bool last = false;  ///< up to the end of the hold
  };
  std::optional<Renewal> NextRenewal(MonotonicTime now, MonotonicTime by);
  /// When to look again if there is nothing to prolong at `now`: a lease may have been made longer
  /// than its renewals make it. nullopt: never.
  std::optional<Agenda::Entry> RenewLater(MonotonicTime now);
  Status Settle(const Result<MonotonicTime>& extended);
  /// Asks the server, and settles what it says.
  Status Prolong(const Grant& grant, Duration lease);
  const Teller& teller() const;
  void TellLost(State state);
  Status Released(Status status);
  /// Takes it off the client's agendas and waits for a callback that runs. YIELDS. REQUIRES: it has
  /// a ticket.
  void Retire();
  /// Releases what is left of it on servers other than those that said that it is over.
  Status ReleaseLost();
  std::uint64_t Ticket();

  const std::shared_ptr<LeaseBackend> backend_;
  const MonotonicTime granted_;  ///< if anybody wants to know
  Grant grant_;  ///< valid_until as granted; release_unknown is touched by the holder alone
  Status release_status_;
  std::once_flag lost_event_made_;
  std::unique_ptr<LostEvent> lost_event_;
  AnnotatedMutex mutex_;
  State state_ INTERLOCK_GUARDED_BY(mutex_) = State::kHeld;
  MonotonicTime valid_until_ INTERLOCK_GUARDED_BY(mutex_);
  std::uint64_t ticket_ INTERLOCK_GUARDED_BY(mutex_) = 0;    ///< on the agendas; 0: on none so far
  MonotonicTime hold_until_ INTERLOCK_GUARDED_BY(mutex_){};  ///< when keeping it alive ends
  int failures_ INTERLOCK_GUARDED_BY(mutex_) = 0;            ///< of renewals, in a row
  std::vector<std::shared_ptr<Event>> lost_ INTERLOCK_GUARDED_BY(mutex_);
  std::function<void()> on_lost_ INTERLOCK_GUARDED_BY(mutex_);
  std::shared_ptr<Event> told_ INTERLOCK_GUARDED_BY(mutex_);  ///< set when the callback has run
};

}  // namespace interlock::internal
