// SPDX-License-Identifier: MIT
//
// A server's state, part by part, for comparing states: data, deadlines, waiting clients in order,
// subscriptions, keys that tracked clients have read, and known scripts. Excluded is what
// transactions, CLIENT, CONFIG, DEBUG and the commands of replication, persistence and clusters
// set; relations between servers are in Topology::Describe.
//
// Thread safety: none; one thread. Determinism: parts come in byte order of keys and order of
// client ids.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/redis/server.h"

namespace interlock::sim::redis {

class StateSink {
 public:
  virtual void Number(std::uint64_t number) = 0;
  virtual void Text(std::string_view bytes) = 0;
  virtual void OfClient(ClientId client) = 0;
  /// Begins a group; the order of groups has no meaning.
  virtual void BeginPart() = 0;

 protected:
  ~StateSink() = default;
};

/// Leaves out a key whose TTL has passed, as nobody can see whether it is still there, unless its
/// event is still to come (see AnnouncesExpiry).
void DescribeState(Engine& engine, StateSink& sink);
/// All except the keys: enough for a replica whose keys are its master's.
void DescribeStateButKeys(Engine& engine, StateSink& sink);

/// Whether notify-keyspace-events has an x, so that the time of an expired key's removal matters.
bool AnnouncesExpiry(const Engine& engine);

/// Whether that description shows all that the command changes; `name` in any case.
bool IsDescribed(std::string_view name);

}  // namespace interlock::sim::redis
