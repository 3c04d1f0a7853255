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

constexpr auto kKnownFaults = std::to_array<FaultInfo>({
    {kCrash, "crash", kClient, kUnused, false, kNothing,
     "the process dies and never runs again; nothing of it reaches the server",
     "redis-py #554: death between SETNX and EXPIRE left a lock without a TTL"},
    {kPause, "pause", kClient, kDuration, false, kNothing,
     "the process stands still for `length` while its clock goes on (GC, SIGSTOP)",
     "Laravel #20709: a holder came back after its TTL and deleted its successor's lock"},
    {kExpiry, "expiry", kClient, kSigned, false, kNothing,
     "a pause that ends `length` after the instant at which the nearest key's TTL passes",
     "Spring GH-8699: the key expired and was taken between the owner check and the DEL"},
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
