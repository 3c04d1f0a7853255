// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/templates.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "scenarios/run/foreign/gate.h"
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

Templates::Templates() = default;
Templates::~Templates() = default;

Result<std::unique_ptr<Templates>> Templates::Start(const DriveOptions& options,
                                                    const std::vector<std::uint64_t>& ready_after) {
  std::unique_ptr<Templates> made(new Templates());
  if (std::ranges::any_of(ready_after, [](std::uint64_t after) { return after > 0; })) {
    made->gate_ = std::make_unique<Gate>(options, sim::machine::VirtualClock::kEpochUs);
    if (Status opened = made->gate_->Open(); !opened.ok()) return opened;
  }
  auto clock = MakeClocks(options.clients);
  if (!clock.ok()) return clock.status();
  made->clock_ = *std::move(clock);
  made->why_not_.resize(static_cast<std::size_t>(options.clients));
  for (int client = 0; client < options.clients; ++client) {
    sim::machine::ProcessTemplate::Servers servers{ServersOf(options), SentinelsOf(options)};
    const auto at = static_cast<std::size_t>(client);
    if (at < ready_after.size() && ready_after[at] > 0) {
      servers.connects = ready_after[at];
      for (int i = 0; i < servers.count; ++i) {
        servers.ports.push_back(made->gate_->port(client, i));
      }
    }
    auto one = sim::machine::ProcessTemplate::Start(
        sim::machine::CommandOf(options.command, client), client, servers, *made->clock_);
    if (!one.ok()) return one.status();
    made->templates_.push_back(*std::move(one));
  }
  const auto limit = std::chrono::steady_clock::now() + options.patience;
  for (int client = 0; client < options.clients; ++client) {
    const auto index = static_cast<std::size_t>(client);
    const auto serve = [&made] {
      if (made->gate_ != nullptr) made->gate_->Poll(Duration{});
    };
    std::string why = made->templates_[index]->AwaitConnect(limit, *options.stop, serve);
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
