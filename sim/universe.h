// SPDX-License-Identifier: MIT
//
// Expensive objects reused by the worlds of one worker thread: fiber stacks, the fake servers with
// their Lua states, connection buffers. The reuse is invisible to a run.
//
// At most one World at a time. Thread safety: belongs to the OS thread that made it.
#pragma once

#include <memory>

#include "sim/fiber.h"
#include "sim/network_memory.h"
#include "sim/redis/topology.h"
#include "sim/scheduler.h"

namespace interlock::sim {

class Shadow;

class Universe {
 public:
  /// Data that the creators of worlds keep beside it for the next one.
  class Attachment {
   public:
    virtual ~Attachment() = default;
  };

  Universe() = default;
  Universe(const Universe&) = delete;
  Universe& operator=(const Universe&) = delete;

  StackPool& stacks() { return stacks_; }
  NetworkMemory& network_memory() { return network_memory_; }
  Scheduler::Memory& scheduler_memory() { return scheduler_memory_; }
  redis::Topology& topology() { return topology_; }
  /// The last world's, kept for its memory.
  redis::TopologySpec& topology_spec() { return topology_spec_; }
  /// The shadow for the servers of every World made from now on; null: none. It outlives them.
  void SetShadow(Shadow* shadow) { shadow_ = shadow; }
  Shadow* shadow() const { return shadow_; }

  /// Null until something is attached.
  std::unique_ptr<Attachment>& attachment() { return attachment_; }

  /// Whether a World is using it.
  bool occupied() const { return occupied_; }
  void set_occupied(bool occupied) { occupied_ = occupied; }

 private:
  StackPool stacks_;
  NetworkMemory network_memory_;
  Scheduler::Memory scheduler_memory_;
  redis::Topology topology_;
  redis::TopologySpec topology_spec_;
  Shadow* shadow_ = nullptr;
  std::unique_ptr<Attachment> attachment_;
  bool occupied_ = false;
};

}  // namespace interlock::sim
