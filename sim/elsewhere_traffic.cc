// SPDX-License-Identifier: MIT
#include "sim/elsewhere_traffic.h"

#include <algorithm>
#include <utility>

#include "sim/engine.h"

namespace interlock::sim {

ElsewhereTraffic::ElsewhereTraffic(Engine& engine, Transit& transit, NetworkMemory& memory)
    : engine_(engine), transit_(transit), memory_(memory), sent_(std::move(memory.elsewhere)) {}

ElsewhereTraffic::~ElsewhereTraffic() {
  sent_.clear();
  memory_.elsewhere = std::move(sent_);
}

Duration ElsewhereTraffic::TakeArmedDelays(Process& process) {
  Duration extra{};
  std::erase_if(process.armed, [&](Fault& fault) {
    if (fault.kind != FaultKind::kDelayRequest) return false;
    fault.length = engine_.Clip(fault, fault.length);
    if (fault.length.count() <= 0) return true;
    extra += fault.length;
    engine_.ReportFault(process, fault);
    return true;
  });
  return extra;
}

void ElsewhereTraffic::Send(Process& process, VirtualTime latest, std::function<void()> arrive) {
  const Duration extra = process.armed.empty() ? Duration{} : TakeArmedDelays(process);
  const VirtualTime now = engine_.now();
  const VirtualTime arrival =
      std::max(now, std::min(latest, now + transit_.Latency(process) + extra));
  const auto number = static_cast<std::uint32_t>(sent_.size());
  const TimerId timer = engine_.scheduler.timers().Add(arrival, {TimerKind::kElsewhere, number});
  sent_.push_back({process.id, arrival, timer, std::move(arrive)});
  ++under_way_;
}

void ElsewhereTraffic::Arrive(std::uint32_t number) {
  engine_.footprint.TouchAll();
  Elsewhere& arrived = sent_[number];
  arrived.timer = kNoTimer;
  --under_way_;
  const std::function<void()> arrive = std::exchange(arrived.arrive, nullptr);
  arrive();
}

std::vector<VirtualTime> ElsewhereTraffic::UnderWay(const Process& process) const {
  std::vector<VirtualTime> arrivals;
  for (const Elsewhere& one : sent_) {
    if (one.process == process.id && one.timer != kNoTimer) arrivals.push_back(one.arrival);
  }
  return arrivals;
}

void ElsewhereTraffic::Hasten() {
  TimerQueue& timers = engine_.scheduler.timers();
  for (std::uint32_t number = 0; number < sent_.size(); ++number) {
    Elsewhere& one = sent_[number];
    if (one.timer == kNoTimer) continue;
    timers.Cancel(one.timer);
    one.arrival = engine_.now();
    one.timer = timers.Add(one.arrival, {TimerKind::kElsewhere, number});
  }
}

}  // namespace interlock::sim
