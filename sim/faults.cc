// SPDX-License-Identifier: MIT
#include "sim/faults.h"

#include <algorithm>
#include <array>

namespace interlock::sim {
namespace {

using enum FaultKind;
using enum FaultLength;
using enum FaultNeeds;

constexpr auto kClient = FaultFamily::kClient;
constexpr auto kLink = FaultFamily::kLink;
constexpr auto kClock = FaultFamily::kClock;

constexpr auto kKnownFaults = std::to_array<FaultInfo>({
    {kCrash, "crash", kClient, kUnused, false, kNothing,
     "the process dies and never runs again; nothing of it reaches the server",
     "redis-py #554: death between SETNX and EXPIRE left a lock without a TTL"},
    {kRestart, "restart", kClient, kDuration, false, kNothing,
     "the process dies; after `length` a new one takes its place, with new random bytes",
     "Redisson #2045: the permits that the dead process held never came back to the next one"},
    {kRestartSameIdentity, "restart-same-identity", kClient, kDuration, false, kNothing,
     "as restart after `length`, but the new process draws the random bytes that the old one began "
     "with",
     "mlanett/redis-lock: the owner is host:pid, which a restarted container has once more"},
    {kPause, "pause", kClient, kDuration, false, kNothing,
     "the process stands still for `length` while its clock goes on (GC, SIGSTOP)",
     "Laravel #20709: a holder came back after its TTL and deleted its successor's lock"},
    {kPauseClockFrozen, "pause-clock-frozen", kClient, kDuration, false, kNothing,
     "the process and its clock stand still for `length` (a virtual machine is saved, resumed)",
     "redis-py e6351300: a deadline on a clock that lags behind lets a wait outlive its time"},
    {kExpiry, "expiry", kClient, kSigned, false, kNothing,
     "a pause that ends `length` after the instant at which the nearest key's TTL passes",
     "Spring GH-8699: the key expired and was taken between the owner check and the DEL"},
    {kEntropyRepeat, "entropy-repeat", kClient, kUnused, false, kNothing,
     "from now on the process draws the random bytes that client 0 has drawn from its beginning",
     "swarthy/redis-semaphore: one identifier for two acquires made them one member of the set"},
    {kDelayRequest, "delay-request", kLink, kDuration, false, kNothing,
     "one request travels `length` longer; later ones on its connection queue up behind it",
     "redsync failFast: a late SET NX arrived after its own release and stayed behind"},
    {kDelayReply, "delay-reply", kLink, kDuration, false, kNothing,
     "one reply travels `length` longer",
     "symfony/lock #31426: the reply came when the TTL had passed, and the key was left"},
    {kLostRequest, "lost-request", kLink, kUnused, false, kNothing,
     "the connection is cut silently before a command is executed",
     "RedLock.net #93: one lost quorum, and the later lock was never renewed"},
    {kLostReply, "lost-reply", kLink, kUnused, false, kNothing,
     "the connection is cut silently after a command was executed",
     "rueidislock #926: the resent SET NX met its own key and left it as an orphan"},
    {kResetBefore, "reset-before", kLink, kUnused, false, kNothing,
     "the connection breaks visibly before a command is executed",
     "redis-py #3847: after a connection error during release the owner could not retry it"},
    {kResetAfter, "reset-after", kLink, kUnused, false, kNothing,
     "the connection breaks visibly after a command was executed",
     "Redisson #4871: the resent unlock found nothing and reported a lock that was not held"},
    {kHalfOpen, "half-open", kLink, kUnused, false, kNothing,
     "both directions go silent; the server still serves the dead peer's blocked pop",
     "redis-single-file: the token was popped for a waiter that was gone, and was lost"},
    {kPartition, "partition", kLink, kDuration, true, kNothing,
     "for `length` nothing arrives between the client and the node, either way",
     "node-redlock using(): a hanging extend kept the loss of the lock from being noticed"},
    {kPartitionToServer, "partition-to-server", kLink, kDuration, true, kNothing,
     "for `length` nothing that the client sends arrives at the node",
     "Redisson: one black-holed master kept the renewals of all the healthy ones waiting"},
    {kPartitionFromServer, "partition-from-server", kLink, kDuration, true, kNothing,
     "for `length` nothing that the node sends arrives at the client",
     "redlock-rb #76: the SET was applied, the answer timed out, and nobody cleaned up"},
    {kLostPush, "lost-push", kLink, kUnused, false, kNothing,
     "the next pub/sub message to the client is lost; its connection goes on",
     "Spring GH-3700: a waiter that counted on one wake-up gave up although time remained"},
    {kClientClockJump, "client-clock-jump", kClock, kDuration, false, kNothing,
     "the client's monotonic clock jumps forward by `length`",
     "redlock-rb b823334: a clock that was set while a client waited moved its deadline"},
    {kClientClockRate, "client-clock-rate", kClock, kPpm, false, kNothing,
     "from now on the client's clock runs `length` ppm faster than true time",
     "redis-plus-plus RedMutexTx: a validity without a drift allowance outlives the key"},
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
