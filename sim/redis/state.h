// SPDX-License-Identifier: MIT
//
// A server's state, part by part, for comparing states: data, deadlines, the waiting clients in
// their order, subscriptions, and which scripts are known. Not in it is what transactions, CLIENT,
// CONFIG, DEBUG and the commands of replication, persistence and clusters set; what servers have to
// do with each other is in Topology::Describe.
//
// Thread safety: none; one thread. Determinism: parts come in the order of the keys' bytes and of
// the client ids.
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
  /// What follows belongs together; the order of such parts means nothing.
  virtual void BeginPart() = 0;

 protected:
  ~StateSink() = default;
};

/// A key whose TTL has passed is left out: nobody can see whether it is still there, unless its
/// event is to come, see AnnouncesExpiry.
void DescribeState(Engine& engine, StateSink& sink);
/// All but the keys: enough of a replica whose keys are its master's.
void DescribeStateButKeys(Engine& engine, StateSink& sink);

/// notify-keyspace-events has an x: then it matters when an expired key is removed.
bool AnnouncesExpiry(const Engine& engine);

/// Whether all that the command changes is in that description; `name` in any case.
bool IsDescribed(std::string_view name);

}  // namespace interlock::sim::redis
