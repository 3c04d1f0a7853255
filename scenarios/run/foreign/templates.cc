// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/templates.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "sim/choices.h"
#include "sim/machine/launch.h"

namespace interlock::scenarios::drive {

Result<std::unique_ptr<sim::machine::VirtualClock>> MakeClocks(int clients) {
  std::vector<std::uint64_t> entropy;
  for (int client = 0; client < clients; ++client) {
    entropy.push_back(sim::MixSeed(0, static_cast<std::uint64_t>(client)));
  }
  return sim::machine::VirtualClock::Make(entropy);
}

static_assert(kMostNodes <= sim::machine::kMostPorts);

Result<std::unique_ptr<Templates>> Templates::Start(const DriveOptions& options) {
  std::unique_ptr<Templates> made(new Templates());
  auto clock = MakeClocks(options.clients);
  if (!clock.ok()) return clock.status();
  made->clock_ = *std::move(clock);
  made->why_not_.resize(static_cast<std::size_t>(options.clients));
  for (int client = 0; client < options.clients; ++client) {
    auto one = sim::machine::ProcessTemplate::Start(
        sim::machine::CommandOf(options.command, client), client, options.nodes, *made->clock_);
    if (!one.ok()) return one.status();
    made->templates_.push_back(*std::move(one));
  }
  const auto limit = std::chrono::steady_clock::now() + options.patience;
  for (int client = 0; client < options.clients; ++client) {
    const auto index = static_cast<std::size_t>(client);
    std::string why = made->templates_[index]->AwaitConnect(limit, *options.stop);
    if (!why.empty()) made->GiveUp(client, std::move(why));
  }
  return made;
}

bool Templates::CanCopyAny() const { return std::ranges::count(why_not_, std::string()) > 0; }

void Templates::GiveUp(int client, std::string why) {
  templates_[static_cast<std::size_t>(client)].reset();
  why_not_[static_cast<std::size_t>(client)] = std::move(why);
}

Result<std::unique_ptr<sim::machine::ForeignProcess>> Templates::Copy(
    int client, const std::vector<int>& ports, sim::machine::VirtualClock& clock) {
  return templates_[static_cast<std::size_t>(client)]->Copy(ports, clock);
}

}  // namespace interlock::scenarios::drive
