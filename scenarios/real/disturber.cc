// SPDX-License-Identifier: MIT
#include "scenarios/real/disturber.h"

#include <algorithm>
#include <csignal>
#include <numeric>
#include <utility>

#include "scenarios/real/real_plan.h"
#include "sim/choices.h"

namespace interlock::scenarios::real {
namespace {

constexpr std::uint32_t kParts = 64;  // of the time that is drawn from

}  // namespace

std::string_view ToString(DisturbanceKind kind) {
  switch (kind) {
    case DisturbanceKind::kClientPause:
      return "pause";
    case DisturbanceKind::kServerPause:
      return "server-pause";
    case DisturbanceKind::kScriptFlush:
      return "script-flush";
  }
  return "?";
}

std::vector<Disturbance> DisturbancesFor(const Workload& workload, std::uint64_t seed) {
  sim::SeededSource source(seed);
  const auto draw = [&source](std::uint32_t bound) {
    return bound > 1 ? source.Draw(sim::Lane::kFault, bound) : 0;
  };
  const Duration time = BusyTime(workload) + workload.lease;
  std::vector<Disturbance> planned;
  for (const DisturbanceKind kind : kAllDisturbances) {
    const std::uint32_t times = 1 + draw(2);
    for (std::uint32_t i = 0; i < times; ++i) {
      Disturbance one;
      one.kind = kind;
      one.at = time * draw(kParts) / kParts;
      one.client = static_cast<int>(draw(static_cast<std::uint32_t>(workload.clients.size())));
      // From a part of a lease to more than one of them: holders come back too late.
      one.length = workload.lease * (1 + draw(kParts)) / (kParts / 2);
      if (kind == DisturbanceKind::kServerPause) one.length /= 2;
      if (kind == DisturbanceKind::kScriptFlush) one.length = Duration{};
      planned.push_back(one);
    }
  }
  std::stable_sort(planned.begin(), planned.end(),
                   [](const Disturbance& a, const Disturbance& b) { return a.at < b.at; });
  return planned;
}

Disturber::Disturber(RedisServer& server, std::vector<Disturbance> planned)
    : server_(server), planned_(std::move(planned)) {}

Disturber::~Disturber() {
  if (server_stopped_) server_.Resume();
}

Duration Disturber::total() const {
  return std::accumulate(planned_.begin(), planned_.end(), Duration{},
                         [](Duration sum, const Disturbance& one) { return sum + one.length; });
}

void Disturber::Act(Duration passed, ClientProcesses& processes) {
  std::erase_if(lasting_, [&](const Disturbance& one) {
    if (passed < one.at + one.length) return false;
    Finish(one, processes);
    return true;
  });
  for (; next_ < planned_.size() && planned_[next_].at <= passed; ++next_) {
    Disturbance one = planned_[next_];
    // Whoever is stopped already is left in peace.
    const bool twice = std::any_of(lasting_.begin(), lasting_.end(), [&](const Disturbance& other) {
      return other.kind == one.kind && other.client == one.client;
    });
    const bool stopped = one.kind != DisturbanceKind::kClientPause && server_stopped_;
    if (twice || stopped) continue;
    one.at = passed;
    Begin(one, processes);
  }
}

void Disturber::Begin(const Disturbance& disturbance, ClientProcesses& processes) {
  switch (disturbance.kind) {
    case DisturbanceKind::kClientPause:
      if (!processes.Signal(disturbance.client, SIGSTOP)) return;  // it has ended
      break;
    case DisturbanceKind::kServerPause:
      server_.Pause();
      server_stopped_ = true;
      break;
    case DisturbanceKind::kScriptFlush:
      if (!server_.Command({"SCRIPT", "FLUSH"}).ok()) return;
      break;
  }
  done_.push_back(disturbance);
  if (disturbance.length > Duration{}) lasting_.push_back(disturbance);
}

void Disturber::Finish(const Disturbance& disturbance, ClientProcesses& processes) {
  if (disturbance.kind == DisturbanceKind::kClientPause) {
    processes.Signal(disturbance.client, SIGCONT);
  } else if (server_stopped_) {
    server_.Resume();
    server_stopped_ = false;
  }
}

void Disturber::End(ClientProcesses& processes) {
  for (const Disturbance& one : lasting_) Finish(one, processes);
  lasting_.clear();
  next_ = planned_.size();
}

}  // namespace interlock::scenarios::real
