// SPDX-License-Identifier: MIT
#include "scenarios/run/load/owner_watch.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "scenarios/run/recorder/server_view.h"

namespace interlock::scenarios::contend {
namespace {

constexpr std::int64_t kForEver = std::numeric_limits<std::int64_t>::max();

}  // namespace

void OwnerWatch::Attach(sim::World& world) {
  world_ = &world;
  seen_.assign(static_cast<std::size_t>(world.nodes()), 0);
}

void OwnerWatch::AfterCommand(int /*process*/, std::uint64_t /*number*/,
                              const sim::redis::Argv& /*argv*/, const sim::redis::Value* /*reply*/,
                              sim::VirtualTime now) {
  std::uint64_t& seen = seen_[static_cast<std::size_t>(world_->server_node())];
  const std::uint64_t mutations = world_->server().mutations();
  if (std::exchange(seen, mutations) == mutations) return;
  for (std::size_t resource = 0; resource < options_.size(); ++resource) Compare(resource, now);
}

OwnerWatch::Owners OwnerWatch::Look(std::size_t resource) const {
  std::map<std::string, std::vector<std::int64_t>> ends;
  for (int node = 0; node < world_->nodes(); ++node) {
    const FakeServerView view(world_->server(node), 0);
    const auto owners = subject_.Owners(view, options_[resource]);
    if (!owners) continue;
    for (const harness::Owner& owner : *owners) {
      ends[owner.token].push_back(owner.expires_at_ms.value_or(kForEver));
    }
  }
  const auto enough = static_cast<std::size_t>(world_->nodes() / 2 + 1);
  Owners held;
  for (auto& [token, at] : ends) {
    if (at.size() < enough) continue;
    // The hold lasts until too few entries for a majority are left.
    std::ranges::sort(at, std::greater<>());
    held[token] = at[enough - 1];
  }
  return held;
}

void OwnerWatch::Compare(std::size_t resource, sim::VirtualTime now) {
  Owners& before = owned_[resource];
  Owners held = Look(resource);
  // Ended holds are recorded first; otherwise a hand-over would look like two owners.
  for (const auto& [token, ends_ms] : before) {
    if (held.contains(token)) continue;
    const sim::VirtualTime ends = EndOf(ends_ms);
    const bool expired = ends <= now;
    Add(EventKind::kFreed, resource, std::min(ends, now), {.token = token, .expired = expired});
  }
  for (const auto& [token, ends_ms] : held) {
    const auto known = before.find(token);
    if (known == before.end()) {
      Add(EventKind::kOwned, resource, now, {.token = token});
    } else if (known->second < ends_ms) {
      Add(EventKind::kProlonged, resource, now,
          {.token = token, .left = EndOf(known->second) - now});
    }
  }
  before = std::move(held);
}

sim::VirtualTime OwnerWatch::EndOf(std::int64_t expires_at_ms) const {
  return expires_at_ms == kForEver ? sim::VirtualTime::max()
                                   : world_->GlobalTimeOfServerMs(expires_at_ms);
}

void OwnerWatch::Add(EventKind kind, std::size_t resource, sim::VirtualTime at,
                     OwnerDetails details) {
  log_.push_back({at, at, -1, static_cast<int>(resource), kind, std::move(details)});
}

}  // namespace interlock::scenarios::contend
