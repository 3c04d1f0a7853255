// SPDX-License-Identifier: MIT
//
// Inspects the fake servers after each command, and logs who owns what: from the command that made
// an ownership to the one that ended it, or to its deadline. Over several servers an ownership
// exists while more than half of them have it. Thread safety: that of the world.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/log/event.h"
#include "sim/world.h"

namespace interlock::scenarios::contend {

class OwnerWatch final : public sim::WorldObserver {
 public:
  /// Both outlive it. `options`: one per resource.
  OwnerWatch(const harness::Subject& subject, std::vector<harness::LockOptions> options,
             EventLog& log)
      : subject_(subject), options_(std::move(options)), owned_(options_.size()), log_(log) {}

  void Attach(sim::World& world);
  void AfterCommand(int process, std::uint64_t number, const sim::redis::Argv& argv,
                    const sim::redis::Value* reply, sim::VirtualTime now) override;

 private:
  /// By token: the Unix time in ms at which it ends.
  using Owners = std::map<std::string, std::int64_t>;

  Owners Look(std::size_t resource) const;
  void Compare(std::size_t resource, sim::VirtualTime now);
  void Add(EventKind kind, std::size_t resource, sim::VirtualTime at, OwnerDetails details);
  sim::VirtualTime EndOf(std::int64_t expires_at_ms) const;

  const harness::Subject& subject_;
  const std::vector<harness::LockOptions> options_;
  std::vector<Owners> owned_;  // of each resource, at the last look
  EventLog& log_;
  sim::World* world_ = nullptr;
  std::vector<std::uint64_t> seen_;  // of each server: its number of data changes
};

}  // namespace interlock::scenarios::contend
