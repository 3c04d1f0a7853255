// SPDX-License-Identifier: MIT
//
// SentinelConnector: connections to the master that Redis Sentinel names, and to no other server.
//
//   auto sentinels = MakeHiredisNodes(runtime, {});
//   auto masters = MakeHiredisNodes(runtime, {.password = "..."});
//   auto connector = SentinelConnector::Create(runtime, *sentinels, *masters,
//       {.sentinels = {{"10.0.0.1", 26379}, {"10.0.0.2", 26379}, {"10.0.0.3", 26379}},
//        .master_name = "mymaster"});
//   Client client(runtime, **connector);
//
// Guarantee: a command is sent only to a server that called itself master (ROLE) when it was
// connected to, and that at least `agreeing` sentinels have named within the last `recheck`. So an
// old master that nobody has demoted yet, because it was cut off or stopped, gets no new command
// once the sentinels that are asked name another; and with a majority asked, a client that is cut
// off together with the old master gets kUnavailable. A READONLY, LOADING, MASTERDOWN or UNBLOCKED
// reply ends its connection, and no idle one is used again before the sentinels confirmed it.
//
// Not guaranteed: that a grant survives a failover. Replication is asynchronous: what the old
// master acknowledged last may be lost, also within `recheck` and in what was under way at the
// switch. Then two clients believe to hold the same lock until the older lease ends. Fencing tokens
// that the resource checks are the remedy, or Redlock; ClientOptions::acknowledged_by makes it
// rarer. A waiter that sleeps in an old master learns of the switch only when that closes the
// connection, or when its sleep ends (RetryOptions::max_wait at the latest).
//
// Cost: one round trip to each of `agreeing` sentinels per `recheck` of use and per connection
// made, on connections that are kept; ROLE once per connection. A Send that has to ask takes up to
// sentinel_timeout for each sentinel longer, but not past its deadline.
//
// Thread safety: may be used from any task; its connections by one task at a time.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <interlock/connection.h>
#include <interlock/options.h>
#include <interlock/result.h>
#include <interlock/runtime.h>
#include <interlock/time.h>
#include <interlock/topology.h>

namespace interlock {

namespace internal {
class SentinelWatch;
}

struct SentinelOptions {
  /// All of them, so that a majority is a majority. At least one.
  std::vector<NodeAddress> sentinels = {};
  std::string master_name = {};

  /// How many sentinels have to name the same master. 0: a majority of `sentinels`, which is what a
  /// failover needs as well. Fewer keep the locks available when most sentinels are down, but let a
  /// client talk on to an old master in the part of a split network that has no majority.
  int agreeing = 0;

  /// How long one sentinel may take to be connected to and to answer. [1 ms, 1 h]
  Duration sentinel_timeout = std::chrono::milliseconds(200);

  /// For how long an answer of the sentinels is relied upon. [1 ms, 1 h]
  Duration recheck = std::chrono::seconds(1);

  /// Bounds each Connect, retries included, besides the caller's own deadline. [1 ms, 1 h]
  Duration connect_timeout = std::chrono::seconds(2);

  /// The pauses between the rounds of one Connect; max_wait has no meaning here.
  RetryOptions retry = {.first_pause = std::chrono::milliseconds(20),
                        .max_pause = std::chrono::milliseconds(500)};

  TopologyObserver observer = {};
};

Status Validate(const SentinelOptions& options);

class SentinelConnector final : public Connector {
 public:
  /// Connects to nothing yet. `runtime` must outlive the connector and its connections.
  /// kInvalidArgument: an option is out of range; the message says which.
  static Result<std::unique_ptr<SentinelConnector>> Create(Runtime& runtime,
                                                           ConnectNode to_sentinels,
                                                           ConnectNode to_masters,
                                                           SentinelOptions options);
  ~SentinelConnector() override;

  /// As Connector. kUnavailable also if too few sentinels agree, or the server that they name is no
  /// master yet; kInvalidArgument also if the sentinels know no master of that name.
  Result<std::unique_ptr<Connection>> Connect(MonotonicTime deadline) override;

  /// "redis+sentinel://10.0.0.1:26379,10.0.0.2:26379/mymaster"
  std::string endpoint() const override;

 private:
  SentinelConnector(Runtime& runtime, ConnectNode to_sentinels, ConnectNode to_masters,
                    SentinelOptions options);

  Result<std::unique_ptr<Connection>> Try(MonotonicTime deadline);

  Runtime& runtime_;
  const ConnectNode to_masters_;
  const SentinelOptions options_;
  const std::shared_ptr<internal::SentinelWatch> watch_;  ///< shared with the connections
};

}  // namespace interlock
