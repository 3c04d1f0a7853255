// SPDX-License-Identifier: MIT
#include "sim/faults.h"

#include <algorithm>
#include <array>

namespace interlock::sim {
namespace {

using enum FaultKind;
using enum FaultScale;
using enum FaultNeeds;
using enum FaultEffect;
using enum FaultRefuses;

constexpr auto kClient = FaultFamily::kClient;
constexpr auto kLink = FaultFamily::kLink;
constexpr auto kClock = FaultFamily::kClock;
constexpr auto kServer = FaultFamily::kServer;
constexpr auto kAdmin = FaultFamily::kAdmin;

constexpr std::string_view kOneClock = "all processes of a machine have its clock";
constexpr std::string_view kOwnRandomness = "a real machine's random bytes do not repeat";
constexpr std::string_view kWholeStreams = "TCP loses no single message";
constexpr std::string_view kNoCluster = "no real cluster is set up for it";
constexpr std::string_view kNoOccasion = "it is an answer that a server has no reason to give here";

constexpr auto kKnownFaults = std::to_array<FaultInfo>({
    {kCrash, "crash", kClient, kNoLength, false, kNothing, kDeath,
     "the process dies and never runs again; nothing of it reaches the server",
     "redis-py #554: death between SETNX and EXPIRE left a lock without a TTL"},
    {kRestart, "restart", kClient, kDowntime, false, kNothing, kDeath,
     "the process dies; after `length` a new one takes its place, with new random bytes",
     "Redisson #2045: the permits that the dead process held never came back to the next one"},
    {kRestartSameIdentity, "restart-same-identity", kClient, kDowntime, false, kNothing, kDeath,
     "as restart after `length`, but the new process draws the random bytes that the old one began "
     "with",
     "mlanett/redis-lock: the owner is host:pid, which a restarted container has once more",
     kOwnRandomness},
    {kPause, "pause", kClient, kStandstill, false, kNothing, kStops,
     "the process stands still for `length` while its clock goes on (GC, SIGSTOP)",
     "Laravel #20709: a holder came back after its TTL and deleted its successor's lock"},
    {kPauseClockFrozen, "pause-clock-frozen", kClient, kStandstill, false, kNothing,
     kStopsWithClock,
     "the process and its clock stand still for `length` (a virtual machine is saved, resumed)",
     "redis-py e6351300: a deadline on a clock that lags behind lets a wait outlive its time",
     kOneClock},
    {kExpiry, "expiry", kClient, kAroundExpiry, false, kNothing, kStops,
     "a pause that ends `length` after the instant at which the nearest key's TTL passes",
     "Spring GH-8699: the key expired and was taken between the owner check and the DEL"},
    {kEntropyRepeat, "entropy-repeat", kClient, kNoLength, false, kNothing, kNone,
     "from now on the process draws the random bytes that client 0 has drawn from its beginning",
     "swarthy/redis-semaphore: one identifier for two acquires made them one member of the set",
     kOwnRandomness},
    {kEntropyAlike, "entropy-alike", kClient, kNoLength, false, kNothing, kNone,
     "from now on the process draws client 0's random bytes, but for the last byte of each draw",
     "none known to us; version 1 UUIDs of one machine differ in a few places only (RFC 4122)",
     kOwnRandomness},
    {kDelayRequest, "delay-request", kLink, kDelay, false, kNothing, kLateRequests,
     "one request travels `length` longer; later ones on its connection queue up behind it",
     "redsync failFast: a late SET NX arrived after its own release and stayed behind"},
    {kDelayReply, "delay-reply", kLink, kDelay, false, kNothing, kLateReplies,
     "one reply travels `length` longer",
     "symfony/lock #31426: the reply came when the TTL had passed, and the key was left"},
    {kLostRequest, "lost-request", kLink, kNoLength, false, kNothing, kLoss,
     "the connection is cut silently before a command is executed",
     "RedLock.net #93: one lost quorum, and the later lock was never renewed"},
    {kLostReply, "lost-reply", kLink, kNoLength, false, kNothing, kLoss,
     "the connection is cut silently after a command was executed",
     "rueidislock #926: the resent SET NX met its own key and left it as an orphan"},
    {kResetBefore, "reset-before", kLink, kNoLength, false, kNothing, kReset,
     "the connection breaks visibly before a command is executed",
     "redis-py #3847: after a connection error during release the owner could not retry it"},
    {kResetAfter, "reset-after", kLink, kNoLength, false, kNothing, kReset,
     "the connection breaks visibly after a command was executed",
     "Redisson #4871: the resent unlock found nothing and reported a lock that was not held"},
    {kHalfOpen, "half-open", kLink, kNoLength, false, kNothing, kSilence,
     "both directions go silent; the server still serves the dead peer's blocked pop",
     "redis-single-file: the token was popped for a waiter that was gone, and was lost"},
    {kPartition, "partition", kLink, kOutage, true, kNothing, kLateRequests,
     "for `length` nothing arrives between the client and the node, either way",
     "node-redlock using(): a hanging extend kept the loss of the lock from being noticed"},
    {kPartitionToServer, "partition-to-server", kLink, kOutage, true, kNothing, kLateRequests,
     "for `length` nothing that the client sends arrives at the node",
     "Redisson: one black-holed master kept the renewals of all the healthy ones waiting"},
    {kPartitionFromServer, "partition-from-server", kLink, kOutage, true, kNothing, kLateReplies,
     "for `length` nothing that the node sends arrives at the client",
     "redlock-rb #76: the SET was applied, the answer timed out, and nobody cleaned up"},
    {kLostPush, "lost-push", kLink, kNoLength, false, kNothing, kNone,
     "the next pub/sub message to the client is lost; its connection goes on",
     "Spring GH-3700: a waiter that counted on one wake-up gave up although time remained",
     kWholeStreams},
    {kClientClockJump, "client-clock-jump", kClock, kJump, false, kNothing, kClockJump,
     "the client's monotonic clock jumps forward by `length`",
     "redlock-rb b823334: a clock that was set while a client waited moved its deadline",
     kOneClock},
    {kClientClockRate, "client-clock-rate", kClock, kRate, false, kNothing, kClockRate,
     "from now on the client's clock runs `length` ppm faster than true time",
     "redis-plus-plus RedMutexTx: a validity without a drift allowance outlives the key",
     kOneClock},
    {kServerClockJump, "server-clock-jump", kClock, kStep, true, kNothing, kClockJump,
     "the node's wall clock, by which keys expire, jumps by `length`, which may be back",
     "Valkey #2651: expiry follows the wall clock, so a time step ends locks early or late",
     kOneClock},
    {kServerClockRate, "server-clock-rate", kClock, kRate, true, kNothing, kClockRate,
     "from now on the node's wall clock runs `length` ppm faster than true time",
     "antirez, 2016: a server that is slewed counts a lease at another rate than its holder",
     kOneClock},
    {kServerKill, "server-kill", kServer, kDowntime, true, kNothing, kUnserved,
     "kill -9 of the node, which starts again after `length` with what it had written to disk",
     "Redis' page on distributed locks: a node that restarts without its data grants a held lock"},
    {kServerPowerLoss, "server-power-loss", kServer, kDowntime, true, kNothing, kUnservedAndSilent,
     "the node's machine loses power for `length`; what it had not synced is gone",
     "redlock-rb #3: without fsync=always a restart must be delayed by the longest TTL"},
    {kServerPause, "server-pause", kServer, kStandstill, true, kNothing, kStops,
     "the node stands still for `length`; what arrives meanwhile is executed afterwards",
     "redsync 62c8209: one slow node without a time-out ate up the validity"},
    {kFailover, "failover", kServer, kDowntime, false, kReplica, kUnservedAndSilent,
     "the primary's machine dies, and a replica is promoted with what it has received; after "
     "`length` the old primary is back, and follows",
     "Redisson #2669: the master acknowledged the lock and died; its replica had never heard of "
     "it"},
    {kSplitBrain, "split-brain", kServer, kOutage, false, kReplica, kUnserved,
     "the primary is cut off from its replicas, one of which is promoted; for `length` both serve "
     "whoever is connected, then the old one follows the new one and loses its writes",
     "Redisson #3965: after a switch clients kept talking to the demoted master"},
    {kReplicationStop, "replication-stop", kServer, kOutage, false, kReplica, kUnserved,
     "for `length` nothing that the primary writes arrives at its replicas",
     "Redisson #6223: how many replicas had the lock was asked by WAIT, and not looked at"},
    {kLoading, "loading", kServer, kOutage, true, kNothing, kUnserved,
     "for `length` the node answers LOADING, as if it read its data",
     "redlock-rb #129: one node's error was raised although the majority was held", kNoOccasion,
     kAllButWhileLoading, "LOADING Redis is loading the dataset in memory"},
    {kReadonly, "readonly", kServer, kOutage, true, kNothing, kUnserved,
     "for `length` the node refuses writes and scripts with READONLY",
     "infrahub #9450: after a Sentinel switch a pinned connection led to what was now a replica",
     "", kWrites, "READONLY You can't write against a read only replica."},
    {kOom, "oom", kServer, kOutage, true, kNothing, kUnserved,
     "for `length` the node's memory is used up: commands that may need more get OOM",
     "redis-server 7.0: a SET NX was refused with OOM while scripts that unlock still ran"},
    {kBusy, "busy", kServer, kOutage, true, kNothing, kUnserved,
     "for `length` the node answers BUSY, as if a script ran for too long",
     "redis-plus-plus lock watcher: the first transient error gives the lock up", "",
     kAllButWhileBusy,
     "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE."},
    {kMoved, "moved", kServer, kOutage, true, kNothing, kUnserved,
     "for `length` the node answers every command that has keys with MOVED",
     "dapr #3973: clients went on asking a server that was no longer theirs", kNoOccasion, kKeyed,
     "MOVED 10.0.0.99:6379"},
    {kShardFailover, "shard-failover", kServer, kDowntime, true, kShardReplica, kUnservedAndSilent,
     "the machine of the node's master dies, and at once its replica serves its slots with what it "
     "has received; after `length` the old master is back, and follows",
     "Redis Cluster's specification: a write that was acknowledged before a failover may be lost",
     kNoCluster},
    {kReshard, "reshard", kServer, kOutage, false, kCluster, kUnserved,
     "each slot with keys moves to the next master, half of its keys at once and the others after "
     "`length`: meanwhile ASK and TRYAGAIN, then MOVED",
     "Redis Cluster's specification: commands of several keys fail while their slot is moved",
     kNoCluster},
    {kSlotMigration, "slot-migration", kServer, kOutage, false, kMigration, kUnserved,
     "each slot with keys moves to the next master at once: for `length`, 10 s at most, all writes "
     "to its master wait, and then it is MOVED",
     "Valkey 9.1.2: a waiter that is blocked on a key of the slot gets MOVED, and is woken no more",
     kNoCluster},
    {kLateClaim, "late-claim", kServer, kOutage, false, kMigration, kUnserved,
     "the pause of a slot-migration has just run out: writes are served again, and are lost when "
     "the next master claims the slots after `length`",
     "Valkey 9.1.2: \"Write loss risk!\" stands in its log when the pause has run out", kNoCluster},
    {kEvict, "evict", kAdmin, kNoLength, true, kNothing, kUnserved,
     "the node removes a key that would expire next, as an eviction does (volatile-ttl)",
     "redis-server 7.0, volatile-lru: a live lock was evicted as the only key with a TTL"},
    {kFlushAll, "flushall", kAdmin, kNoLength, true, kNothing, kUnserved,
     "an operator calls FLUSHALL on the node",
     "swarthy/redis-semaphore #175: an extend made the key anew that was gone under its holder"},
    {kAdminDel, "admin-del", kAdmin, kNoLength, true, kNothing, kUnserved,
     "an operator deletes every key of the client's database on the node",
     "python-redis-lock 0ac7684: unlock_all by hand also removes the locks that are held"},
    {kScriptFlush, "script-flush", kAdmin, kNoLength, true, kNothing, kUnserved,
     "an operator calls SCRIPT FLUSH on the node, and scripts must be sent anew",
     "aioredlock 17f8865: NOSCRIPT after a SCRIPT FLUSH failed everything, unlock included"},
    {kClientKill, "client-kill", kAdmin, kNoLength, false, kNothing, kUnserved,
     "an operator closes the client's most recently used connection by CLIENT KILL",
     "redis-single-file: a pop whose connection was closed was sent again, and took a second "
     "token"},
});

}  // namespace

std::span<const FaultInfo> KnownFaults() { return kKnownFaults; }

const FaultInfo* FindFault(FaultKind kind) {
  const auto* const found = std::find_if(kKnownFaults.begin(), kKnownFaults.end(),
                                         [kind](const FaultInfo& one) { return one.kind == kind; });
  return found != kKnownFaults.end() ? found : nullptr;
}

const FaultInfo* FindFault(std::string_view name) {
  const auto* const found = std::find_if(kKnownFaults.begin(), kKnownFaults.end(),
                                         [name](const FaultInfo& one) { return one.name == name; });
  return found != kKnownFaults.end() ? found : nullptr;
}

FaultLength FaultInfo::length() const {
  switch (scale) {
    case kNoLength:
      return FaultLength::kUnused;
    case kStandstill:
    case kDelay:
    case kOutage:
    case kDowntime:
    case kJump:
      return FaultLength::kDuration;
    case kStep:
    case kAroundExpiry:
      return FaultLength::kSigned;
    case kRate:
      return FaultLength::kPpm;
  }
  return FaultLength::kUnused;
}

std::string_view ToString(FaultKind kind) {
  const FaultInfo* info = FindFault(kind);
  return info != nullptr ? info->name : "?";
}

std::string_view ToString(FaultFamily family) {
  switch (family) {
    case FaultFamily::kClient:
      return "client";
    case FaultFamily::kLink:
      return "link";
    case FaultFamily::kClock:
      return "clock";
    case FaultFamily::kServer:
      return "server";
    case FaultFamily::kAdmin:
      return "admin";
  }
  return "?";
}

}  // namespace interlock::sim
