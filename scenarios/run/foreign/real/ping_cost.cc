// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/real/ping_cost.h"

#include <algorithm>
#include <atomic>
#include <string_view>
#include <thread>
#include <vector>

#include <interlock/thread_runtime.h>

#include "scenarios/run/foreign/real/relay.h"

namespace interlock::scenarios::drive {
namespace {

constexpr std::size_t kPings = 301;

class Nobody final : public RelayObserver {
 public:
  void OnPassed(const Parked& /*command*/) override {}
  void OnReply(const Parked& /*to*/, const sim::redis::Value& /*reply*/, bool /*ord*/) override {}
};

/// The median of many round trips, each after the other.
Result<Duration> PingOf(HiredisOptions server) {
  ThreadRuntime runtime;
  server.busy_wait = Duration{};  // foreign clients do not stay awake for replies either
  auto connector = MakeHiredisConnector(runtime, server);
  if (!connector.ok()) return connector.status();
  const MonotonicTime limit = AddSaturating(runtime.Now(), std::chrono::seconds(5));
  auto connection = (*connector)->Connect(limit);
  if (!connection.ok()) return connection.status();
  const std::vector<std::string_view> ping = {"PING"};
  std::vector<Duration> took;
  while (took.size() < kPings) {
    const MonotonicTime sent = runtime.Now();
    const Result<Reply> reply = (*connection)->Call(ping, limit);
    if (!reply.ok()) return Status(StatusCode::kUnavailable, std::string(reply.status().message()));
    took.push_back(runtime.Now() - sent);
  }
  std::ranges::nth_element(took, took.begin() + kPings / 2);
  return took[kPings / 2];
}

}  // namespace

Result<PingCost> MeasurePing(const HiredisOptions& server) {
  const Result<Duration> direct = PingOf(server);
  if (!direct.ok()) return direct.status();
  Nobody nobody;
  Relay relay(1, {server}, nobody);
  relay.PassAll();
  if (Status opened = relay.Open(); !opened.ok()) return opened;
  HiredisOptions through;
  through.port = relay.port(0, 0);
  Result<Duration> relayed = Duration{};
  std::atomic<bool> over = false;
  std::thread client([&] {
    relayed = PingOf(through);
    over = true;
  });
  while (!over) relay.Poll(std::chrono::milliseconds(5));
  client.join();
  if (!relayed.ok()) return relayed.status();
  return PingCost{*direct, *relayed};
}

}  // namespace interlock::scenarios::drive
