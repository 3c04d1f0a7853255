// SPDX-License-Identifier: MIT
#include "scenarios/run/world_options.h"

namespace interlock::scenarios {
namespace {

/// The entropy of each process of a world is distinct by construction; a seed of its own would only
/// make shrinking change the tokens.
constexpr std::uint64_t kEntropySeed = 0x5eed;

}  // namespace

sim::WorldOptions WorldOptionsOf(const Workload& workload, bool keep_events, bool hash_trace) {
  sim::WorldOptions options;
  options.latency_min = workload.latency_max / 20;
  options.latency_max = workload.latency_max;
  options.entropy_seed = kEntropySeed;
  options.topology = workload.topology;
  options.nodes = workload.nodes;
  options.persistence = workload.persistence;
  // A replica is farther away than any client, so it may not know yet what a client has been told.
  options.replication_lag = 2 * workload.latency_max;
  options.keep_events = keep_events;
  options.hash_trace = hash_trace || keep_events;
  options.max_steps = 1'000'000;  // a lock that polls to the end of a long wait takes 100'000
  return options;
}

}  // namespace interlock::scenarios
