// SPDX-License-Identifier: MIT
//
// Faults as plain data: what goes wrong, for which client, when. A plan is generated before the
// run, and the shrinker deletes its entries one by one.
//
// "When" is a step of the client: steps are counted from 0 at every visible operation (connect,
// before a send, after a send, a reply's arrival, a clock reading, a wait, and World::Step, by
// which a scenario marks places of its own, such as "inside the section"). A message fault affects
// the client's first message sent at or after that step. Faults of servers and operators also
// strike at a client's step, which defines when.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <interlock/time.h>

namespace interlock::sim {

/// The numbers are part of replay tokens: never change them. KnownFaults has the meanings, and
/// lists exactly the kinds that the simulated world supports.
enum class FaultKind : std::uint8_t {
  // Client.
  kCrash = 0,
  kRestart = 1,
  kRestartSameIdentity = 2,
  kPause = 3,
  kPauseClockFrozen = 4,
  kExpiry = 5,
  kEntropyRepeat = 6,
  kEntropyAlike = 7,
  // Link.
  kDelayRequest = 10,
  kDelayReply = 11,
  kLostRequest = 12,
  kLostReply = 13,
  kResetBefore = 14,
  kResetAfter = 15,
  kHalfOpen = 16,
  kPartition = 17,
  kPartitionToServer = 18,
  kPartitionFromServer = 19,
  kLostPush = 20,
  // Clock.
  kClientClockJump = 30,
  kClientClockRate = 31,
  kServerClockJump = 32,
  kServerClockRate = 33,
  // Server.
  kServerKill = 40,
  kServerPowerLoss = 41,
  kServerPause = 42,
  kFailover = 43,
  kSplitBrain = 44,
  kReplicationStop = 45,
  kLoading = 46,
  kReadonly = 47,
  kOom = 48,
  kBusy = 49,
  kMoved = 50,
  kShardFailover = 51,
  kReshard = 52,
  kSlotMigration = 53,
  kLateClaim = 54,
  // Operator.
  kEvict = 60,
  kFlushAll = 61,
  kAdminDel = 62,
  kScriptFlush = 63,
  kClientKill = 64,
};

enum class FaultFamily : std::uint8_t { kClient, kLink, kClock, kServer, kAdmin };

/// The meaning of Fault::length.
enum class FaultLength : std::uint8_t {
  kUnused,
  kDuration,  ///< how long; >= 0
  kSigned,    ///< how far; may be negative
  kPpm,       ///< its count is a rate in parts per million; may be negative
};

/// What its length measures, which says what lengths are worth trying.
enum class FaultScale : std::uint8_t {
  kNoLength,
  kStandstill,    ///< how long somebody stands still
  kDelay,         ///< how late one message is
  kOutage,        ///< how long messages or answers fail to come
  kDowntime,      ///< how long somebody is dead
  kJump,          ///< how far forward a clock is set
  kStep,          ///< how far either way a clock is set
  kAroundExpiry,  ///< how long after the end of a key's life, or before it
  kRate,          ///< how much faster a clock runs, in ppm
};

/// What those who are struck notice of it. Clients that a fault of a server strikes are all that
/// use it.
enum class FaultEffect : std::uint8_t {
  kNone,
  kDeath,
  kStops,              ///< stands still, and later does what has come meanwhile
  kStopsWithClock,     ///< as kStops, and so does its clock
  kLateRequests,       ///< requests, and so their replies, arrive later
  kLateReplies,        ///< replies arrive later
  kReset,              ///< a connection breaks visibly
  kLoss,               ///< a connection goes silent at a message
  kSilence,            ///< a connection goes silent while the server serves it
  kClockJump,          ///< a clock is not where it was
  kClockRate,          ///< a clock runs at another rate for good
  kUnserved,           ///< for its length the server does not do as it is asked
  kUnservedAndSilent,  ///< as kUnserved, and connections to it stay silent for good
};

/// Which commands the struck node refuses for the fault's length, with FaultInfo::answer.
enum class FaultRefuses : std::uint8_t {
  kNoCommand,
  kAllButWhileLoading,  ///< all that Redis does not allow while it loads its data
  kAllButWhileBusy,     ///< all that it does not allow while a script runs for too long
  kWrites,              ///< writes and scripts
  kKeyed,               ///< all that have keys; their slot comes behind the answer's first word
};

/// What the world must have for the fault to make sense; otherwise it does nothing.
enum class FaultNeeds : std::uint8_t {
  kNothing,
  kReplica,       ///< a primary with replicas
  kCluster,       ///< a cluster of two masters or more
  kShardReplica,  ///< a cluster whose masters have replicas
  kMigration,     ///< a cluster of servers that move slots at once: Valkey from 9.0 on
};

struct FaultInfo {
  FaultKind kind;
  std::string_view name;  ///< stable: lower-case words with dashes
  FaultFamily family;
  FaultScale scale;
  bool uses_node;
  FaultNeeds needs;
  FaultEffect effect;
  std::string_view meaning;
  std::string_view incident;  ///< where it did harm
  /// Why real processes cannot be made to suffer it; empty: they can.
  std::string_view unreal = {};
  FaultRefuses refuses = FaultRefuses::kNoCommand;
  std::string_view answer = {};  ///< the error, if it refuses anything

  FaultLength length() const;
};

/// All that is known of each, in the order of the kinds' numbers.
std::span<const FaultInfo> KnownFaults();
/// Null: no such fault.
const FaultInfo* FindFault(FaultKind kind);
const FaultInfo* FindFault(std::string_view name);

/// The stable name; "?" for an unknown kind.
std::string_view ToString(FaultKind kind);
std::string_view ToString(FaultFamily family);

struct Fault {
  FaultKind kind = FaultKind::kCrash;
  int process = 0;
  int step = 0;
  Duration length{};  ///< see FaultLength
  int node = 0;       ///< index of the server, if the kind uses it
  bool operator==(const Fault&) const = default;
};

using FaultPlan = std::vector<Fault>;

}  // namespace interlock::sim
