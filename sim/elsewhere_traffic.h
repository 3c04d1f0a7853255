// SPDX-License-Identifier: MIT
//
// What processes send to a place outside of Redis: see World::TravelElsewhere. Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/network_memory.h"
#include "sim/transit.h"

namespace interlock::sim {

class ElsewhereTraffic {
 public:
  ElsewhereTraffic(Engine& engine, Transit& transit, NetworkMemory& memory);
  ~ElsewhereTraffic();
  ElsewhereTraffic(const ElsewhereTraffic&) = delete;
  ElsewhereTraffic& operator=(const ElsewhereTraffic&) = delete;

  void Send(Process& process, VirtualTime latest, std::function<void()> arrive);
  void Arrive(std::uint32_t number);
  /// When each thing that the process has under way arrives.
  std::vector<VirtualTime> UnderWay(const Process& process) const;
  /// Faults are over: everything under way arrives now.
  void Hasten();
  bool Quiet() const { return under_way_ == 0; }

 private:
  /// Takes the armed delays of the process's next message, which is this one.
  Duration TakeArmedDelays(Process& process);

  Engine& engine_;
  Transit& transit_;
  NetworkMemory& memory_;
  std::vector<Elsewhere> sent_;
  std::size_t under_way_ = 0;
};

}  // namespace interlock::sim
