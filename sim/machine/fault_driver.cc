// SPDX-License-Identifier: MIT
#include "sim/machine/fault_driver.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

namespace interlock::sim::machine {
namespace {

using std::chrono::milliseconds;
using enum RealFaultKind;

/// Maximum time for Sentinels to agree and for servers to load their data.
constexpr std::chrono::seconds kDriverPatience{20};
/// Approximate time from the loss of a primary to the Sentinels' decision.
constexpr std::chrono::seconds kElection{4};

/// Keeps the server busy for ARGV[1] ms, as a script that never ends would.
constexpr const char* kBusyScript =
    "local function now() local t = redis.call('TIME') return t[1] * 1000 + t[2] / 1000 end "
    "local stop = now() + ARGV[1] while now() < stop do end return 1";
constexpr const char* kDeleteOne =
    "local key = redis.call('RANDOMKEY') if key then return redis.call('DEL', key) end return 0";

std::string Ms(Duration length) {
  return std::to_string(std::chrono::duration_cast<milliseconds>(length).count());
}

std::string Seconds(Duration length) {
  return std::to_string(std::chrono::duration<double>(length).count());
}

bool Tell(RedisServer& server, const std::vector<std::string>& words) {
  const Result<std::string> reply = server.Command(words);
  return reply.ok() && !reply->starts_with('-');
}

/// A server that follows itself is a replica without a source: its data stays as it is.
bool FollowPort(RedisServer& server, int port) {
  return Tell(server, {"REPLICAOF", "127.0.0.1", std::to_string(port)});
}

bool StandsAlone(RedisServer& server) { return Tell(server, {"REPLICAOF", "NO", "ONE"}); }

/// Whether the server answers nothing while the fault lasts.
bool TakesAway(RealFaultKind kind) {
  return kind == kServerKill || kind == kServerPause || kind == kServerSleep ||
         kind == kClientPauseAll || kind == kBusy || kind == kFailover || kind == kSentinelFailover;
}

}  // namespace

FaultDriver::FaultDriver(Stage& stage, const std::vector<RealFault>& planned) : stage_(stage) {
  for (const RealFault& fault : planned) {
    if (InfoOf(fault.kind).place == RealFaultPlace::kServer) planned_.push_back(fault);
  }
}

FaultDriver::~FaultDriver() { End(); }

Duration FaultDriver::total() const {
  Duration sum{};
  for (const RealFault& fault : planned_) {
    sum += fault.kind == kSentinelFailover ? Duration(kElection) : fault.length;
  }
  return sum;
}

void FaultDriver::Act(Duration passed) {
  std::erase_if(lasting_, [&](const Lasting& one) {
    return passed >= one.fault.at + one.fault.length && Finish(one);
  });
  for (; next_ < planned_.size() && planned_[next_].at <= passed; ++next_) {
    RealFault fault = planned_[next_];
    fault.at = passed;
    RedisServer& server = stage_.node(static_cast<std::size_t>(fault.node) % stage_.nodes());
    if (IsAway(server) || !Begin(fault, server)) continue;
    done_.push_back(fault);
    lasting_.push_back({fault, &server});
  }
}

bool FaultDriver::End() {
  next_ = planned_.size();
  const auto limit = std::chrono::steady_clock::now() + kDriverPatience;
  while (!lasting_.empty()) {
    std::erase_if(lasting_, [&](const Lasting& one) { return Finish(one); });
    if (lasting_.empty()) break;
    if (std::chrono::steady_clock::now() >= limit) {
      lasting_.clear();
      return false;
    }
    std::this_thread::sleep_for(milliseconds(20));
  }
  return true;
}

bool FaultDriver::IsAway(const RedisServer& server) const {
  return std::any_of(lasting_.begin(), lasting_.end(), [&](const Lasting& one) {
    // With replicas one fault at a time, so that it is clear which server is the primary.
    return (one.server == &server && TakesAway(one.fault.kind)) || stage_.replicated();
  });
}

bool FaultDriver::Begin(const RealFault& fault, RedisServer& server) {
  switch (fault.kind) {
    case kServerKill:
      server.Kill();
      break;
    case kServerPause:
      server.Pause();
      break;
    case kServerSleep:
      (void)server.Post({"DEBUG", "SLEEP", Seconds(fault.length)});
      break;
    case kClientPauseAll:
      (void)Tell(server, {"CLIENT", "PAUSE", Ms(fault.length), "ALL"});
      break;
    case kClientPauseWrite:
      (void)Tell(server, {"CLIENT", "PAUSE", Ms(fault.length), "WRITE"});
      break;
    case kReadonly:
      (void)FollowPort(server, server.port());
      break;
    case kOom:
      (void)Tell(server, {"CONFIG", "SET", "maxmemory", "1"});
      break;
    case kBusy:
      (void)server.Post({"EVAL", kBusyScript, "0", Ms(fault.length)});
      break;
    case kScriptFlush:
      (void)Tell(server, {"SCRIPT", "FLUSH"});
      break;
    case kClientKill:
      (void)Tell(server, {"CLIENT", "KILL", "TYPE", "normal"});
      break;
    case kFlushAll:
      (void)Tell(server, {"FLUSHALL"});
      break;
    case kAdminDel:
      (void)Tell(server, {"EVAL", kDeleteOne, "0"});
      break;
    default:
      return BeginWithReplicas(fault, server);
  }
  return true;
}

bool FaultDriver::BeginWithReplicas(const RealFault& fault, RedisServer& primary) {
  switch (fault.kind) {
    case kReplicationStop:
      for (RedisServer* const replica : stage_.ReplicasOf(primary)) {
        (void)FollowPort(*replica, replica->port());
      }
      return stage_.replicated();
    case kFailover:
      return Promote(primary, true);
    case kSplitBrain:
      return Promote(primary, false);
    case kSentinelFailover:
      primary.Kill();
      return true;
    default:
      return false;
  }
}

/// The replica takes over with the data that it has; clients of a dead primary are directed to it
/// at once, those of a live one when they reconnect.
bool FaultDriver::Promote(RedisServer& primary, bool kill) {
  const std::vector<RedisServer*> replicas = stage_.ReplicasOf(primary);
  if (replicas.empty()) return false;
  if (kill) primary.Kill();
  if (StandsAlone(*replicas.front())) stage_.Follow(*replicas.front(), kill);
  return true;
}

bool FaultDriver::Finish(const Lasting& lasting) {
  RedisServer& server = *lasting.server;
  switch (lasting.fault.kind) {
    case kServerKill:
      return server.Restart().ok();
    case kServerPause:
      server.Resume();
      return true;
    case kReadonly:
      return StandsAlone(server);
    case kOom:
      return Tell(server, {"CONFIG", "SET", "maxmemory", "0"});
    case kClientPauseWrite:
      return Tell(server, {"CLIENT", "UNPAUSE"});
    case kReplicationStop:
    case kFailover:
    case kSplitBrain:
    case kSentinelFailover:
      return FinishWithReplicas(lasting);
    default:  // the fault ends by itself
      return Tell(server, {"PING"});
  }
}

bool FaultDriver::FinishWithReplicas(const Lasting& lasting) {
  RedisServer& old = *lasting.server;
  if (lasting.fault.kind == kSentinelFailover) {
    RedisServer* const named = stage_.NamedBySentinels(old);
    if (named == nullptr) return false;
    stage_.Follow(*named, false);
    return old.Restart().ok();  // the Sentinels make it a replica
  }
  if (lasting.fault.kind == kFailover && !old.Restart().ok()) return false;
  // The data that only the old primary had in a split is lost now, and its connections with it.
  RedisServer& primary = stage_.node(0);
  stage_.Follow(primary, lasting.fault.kind == kSplitBrain);
  for (RedisServer* const replica : stage_.ReplicasOf(primary)) {
    if (!FollowPort(*replica, primary.port())) return false;
  }
  return true;
}

}  // namespace interlock::sim::machine
