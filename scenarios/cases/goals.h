// SPDX-License-Identifier: MIT
//
// "Sometimes" goals: situations that a good campaign must have reached, registered here once, so
// that a goal that never fired is reported rather than forgotten. Green is not silence.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace interlock::scenarios {

enum class Goal : std::uint8_t {
  kContended,              ///< somebody asked while another client held
  kRefused,                ///< a definite "no"
  kWaiterGranted,          ///< a waiter got the lock that was taken when it asked
  kWaiterTimedOut,         ///< a waiter gave up at its deadline
  kUnknownOutcome,         ///< a client was told "unknown"
  kLeaseExpiredWhileHeld,  ///< the server's lease ended before the client called release
  kReleaseOfLostLease,     ///< released after another client had been granted the lock
  kExtended,               ///< an extension succeeded
  kExtendAfterLoss,        ///< an extension was asked for when the server's lease was over
  kCrashWhileHolding,      ///< a client died while the server's promise to it went on
  kCrashInSection,         ///< a client died inside its section
  kReplyLostAfterGrant,    ///< the server had granted, and the client did not learn of it
  kPausedInSection,        ///< a client stood still inside its section
  kPausedPastLease,        ///< ... until after its lease had ended
  kHalfOpenServed,         ///< the server served a blocked pop of a peer that was gone
  kRecoveredAfterCrash,    ///< a grant after the death of a holder
  kGrantCameLate,          ///< the lease was over before its client learned of the grant
  kAskedAfterValidity,     ///< a client asked whether its lease is valid when it was over
  kStaleWriteRefused,      ///< the guarded resource refused a holder whose time was over
  kWriteHeldUp,            ///< a write to the guarded resource took longer than a lease
  kRenewalRacedExpiry,     ///< a lease ended while an extension of it was on its way
  kReleaseReplyLost,       ///< the server had released, and the reply that said so was lost
  kWokenAsTimedOut,        ///< a waiter's awaited lock came free within a message's time of its end
  kFullThenCrash,          ///< one of the holders died while all of several permits were out
  kOvertaken,              ///< a later request was granted before one that stood in line
  kGrantLost,              ///< a server lost a grant that its client still believed in
  kWentOn,             ///< after its faults a client was granted its third request or a later one
  kReadersTogether,    ///< two readers were inside at once
  kWriterWaited,       ///< a writer waited while a reader held
  kReaderWaited,       ///< a reader waited while a writer held
  kRenewedByItself,    ///< a lease was prolonged while its holder had asked for nothing
  kLossTold,           ///< a holder was told in its section that its lease is lost
  kSplitVote,          ///< several have votes, and there is no quorum to be had for anybody
  kMinorityGivenBack,  ///< votes that made no quorum were given back
  kBareExtension,      ///< an extension succeeded on just as many servers as it must
  kAwaitedClosed,      ///< a latch was waited for that not all parties had counted down
  kAwaitedOpen,        ///< a latch was waited for that was open
  kCountedAgain,       ///< a party counted down that had counted already
  kDiedInLine,         ///< a waiter died while it stood in line
  kGrantMetCrash,      ///< a dead waiter was granted, or one that died before it learned of it
  kOtherLimitRefused,  ///< a client was told that another limit than its own is in force
  kLimitSetInUse,      ///< a limit was set while permits were out
  kLimitBelowOut,      ///< ... that was lower than their number
  kLetInByLimit,       ///< a waiter was granted after a limit had been set that let it in
  kLatchForgotten,     ///< a client was told that a latch is not there any more
  kLatchProlonged,     ///< a latch was there for longer than its life, because of count downs
  kWaiterStopped,      ///< a waiter was stopped while it waited
  kGrantMetStop,       ///< a waiter was granted although it had been requested to stop
  kForcedOut,          ///< a live holder lost the lock to an operator
  kToldByCall,         ///< a holder was called because its lease is lost
  kRenewedAfterLoss,   ///< unasked, a lock spoke to the server for a lease that was over
};
inline constexpr std::size_t kGoalCount = 51;

/// "lease expired while held"; stable, used in run.json.
std::string_view Name(Goal goal);

/// A set of goals that one run reached.
class GoalSet {
 public:
  void Add(Goal goal) { bits_ |= std::uint64_t{1} << static_cast<unsigned>(goal); }
  void AddAll(const GoalSet& others) { bits_ |= others.bits_; }
  bool Has(Goal goal) const { return (bits_ >> static_cast<unsigned>(goal) & 1U) != 0; }

 private:
  std::uint64_t bits_ = 0;
};

using GoalCounts = std::array<std::uint64_t, kGoalCount>;
void Count(const GoalSet& reached, GoalCounts& counts);

}  // namespace interlock::scenarios
