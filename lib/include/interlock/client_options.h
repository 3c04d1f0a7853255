// SPDX-License-Identifier: MIT
//
// The options of a Client. Like all options they are validated where an object is created, here by
// Client::status(); see options.h.
//
// Thread safety: plain data.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include <interlock/replica_acknowledgement.h>
#include <interlock/result.h>
#include <interlock/time.h>

namespace interlock {

class Observer;

/// What all locks of one process share.
struct ClientOptions {
  /// How long one command may take before its reply is given up, and its outcome unknown. A second
  /// is far above a healthy server's reply and far below the default lease. [1 ms, 1 h]
  Duration command_timeout = std::chrono::seconds(1);

  /// How long one connection attempt may take. [1 ms, 1 h]
  Duration connect_timeout = std::chrono::seconds(1);

  /// Idle connections that are kept. More are opened on demand and closed after use. [0, 1024]
  int max_idle_connections = 16;

  /// Tries to send a release, the first included. A release that never arrives costs the other
  /// clients the rest of a lease, a try costs a round trip. [1, 100]
  int release_attempts = 3;

  /// Tries to clean up after an acquire whose outcome is unknown, each on a fresh connection. They
  /// are not cut short by the caller's deadline; see Client::overrun_bound(). [1, 100]
  int cleanup_attempts = 3;

  /// Whether replicas are asked after each grant and extension; see there for what that is worth.
  ReplicaAcknowledgement acknowledged_by = {};

  /// Tells operators who holds a lock (see inspection.h): it begins every owner token that this
  /// client makes. At most 32 letters, digits, '.', '_' and '-'.
  std::string label = {};

  /// Is told what happens, see observer.h; null: nobody is told, and it costs nothing. Shared,
  /// because tasks of the client may report to it until the client is gone.
  std::shared_ptr<Observer> observer = nullptr;
};

/// kOk, or kInvalidArgument with the reason.
Status Validate(const ClientOptions& options);
/// ClientOptions::label.
Status ValidateLabel(std::string_view label);

}  // namespace interlock
