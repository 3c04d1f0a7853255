// SPDX-License-Identifier: MIT
//
// Client: what all locks of one process share: the runtime, the way to one Redis, and a small pool
// of connections.
//
//   ThreadRuntime runtime;
//   auto connector = MakeHiredisConnector(...);
//   if (!connector.ok()) return connector.status();
//   Client client(runtime, **connector);
//   auto mutex = Mutex::Create(client, "invoice:17");
//
// Guarantee: a connection on which anything failed is never used again. The pool grows on demand,
// so no operation waits for another one's connection; a waiter that is blocked in the server has
// one of its own. Nothing is connected before it is needed. Not guaranteed: that the server is
// reachable, or still the same one after a failover.
//
// The Connector decides the topology: one server (MakeHiredisConnector), the master that Sentinel
// names (SentinelConnector), or a Redis Cluster (ClusterConnector). A READONLY or LOADING answer
// drops the connection, so that the Connector can find the new master. A plain connector to one
// endpoint of a Cluster does not work: redirections are not followed.
//
// Proven with Redis 7.0.15 and 8.0, and Valkey 8.1 and 9.1: real servers of these versions have run
// what the locks send.
//
// Thread safety: may be used from any number of tasks. Must outlive all locks and leases made with
// it.
#pragma once

#include <memory>
#include <string>

#include <interlock/connection.h>
#include <interlock/options.h>
#include <interlock/result.h>
#include <interlock/runtime.h>

namespace interlock {

namespace internal {
class ClientCore;
}

class Client {
 public:
  /// Never connects. `runtime` and `connector` must outlive the client. Options out of range are
  /// reported by status() and by every Create that is given this client.
  Client(Runtime& runtime, Connector& connector, ClientOptions options = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// kOk, or kInvalidArgument: what is wrong with the options.
  Status status() const;

  Runtime& runtime() const;
  const ClientOptions& options() const;

  /// Where the connector leads, for messages.
  std::string endpoint() const;

  /// The longest that AcquireFor and AcquireUntil may return after their deadline, and any wait
  /// after it was requested to stop. It covers an overdue reply, a last try, and the clean-up after
  /// it, which the deadline deliberately does not cut short: (2 + cleanup_attempts) *
  /// (connect_timeout + command_timeout), and the short pauses in between; acknowledged_by.timeout
  /// adds to each command_timeout here, if replicas are asked. A Release takes at most
  /// release_attempts * (connect_timeout + command_timeout), and pauses.
  Duration overrun_bound() const;

  /// For the library's own primitives.
  internal::ClientCore& core() const { return *core_; }

 private:
  std::unique_ptr<internal::ClientCore> core_;
};

}  // namespace interlock
