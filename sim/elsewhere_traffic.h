// SPDX-License-Identifier: MIT
//
// Messages that processes send outside Redis: see World::TravelElsewhere. Thread safety: none.
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
  /// Arrival times of the process's messages in flight.
  std::vector<VirtualTime> UnderWay(const Process& process) const;
  /// Faults are over: all messages in flight arrive now.
  void Hasten();
  bool Quiet() const { return under_way_ == 0; }

 private:
  /// Takes the armed delays for the process's next message, which is this one.
  Duration TakeArmedDelays(Process& process);

  Engine& engine_;
  Transit& transit_;
  NetworkMemory& memory_;
  std::vector<Elsewhere> sent_;
  std::size_t under_way_ = 0;
};

}  // namespace interlock::sim
