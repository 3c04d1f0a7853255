// SPDX-License-Identifier: MIT
//
// What the parts of one run of foreign clients share: the world, the clients, what is noted of
// them, and what is reported in the end. Each part writes what it is about; see drive_run.cc.
//
// Thread safety: as ForeignProcess.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/run/foreign/crew.h"
#include "scenarios/run/foreign/drive_run.h"
#include "scenarios/run/foreign/gated_world.h"
#include "sim/choices.h"

namespace interlock::scenarios::drive {

using SteadyTime = std::chrono::steady_clock::time_point;

/// What is noted about one client.
struct ClientNote {
  std::uint32_t passed_over = 0;  ///< times, though it was ready
  std::uint64_t vain_since = 0;   ///< commands, when something changed last
  bool looked_at = false;         ///< what clock it has
  bool own_clock = false;
  bool spins = false;  ///< it runs on and on, and the others go on without it
};

/// A command, or a reply, that is on its way for some steps.
struct MessageDelay {
  std::uint64_t connection = 0;
  int client = 0;
  bool of_reply = false;
  std::uint32_t steps = 0;
};

struct DriveState {
  /// `clock`: null: the machine's.
  DriveState(const DriveOptions& options, sim::Choices& choices, sim::machine::VirtualClock* clock);

  ClientNote& note(int client) { return notes[static_cast<std::size_t>(client)]; }
  const ClientNote& note(int client) const { return notes[static_cast<std::size_t>(client)]; }
  /// Its next command is on its way, and may not be executed yet.
  bool IsDelayed(std::uint64_t connection) const;
  /// It is in a section, or owns a lock's key.
  bool HoldsLock(int client) const;
  /// One entry for each client, true for this one.
  std::vector<bool> Only(int client) const;
  /// Something has changed: nothing so far was in vain.
  void Progressed();

  const DriveOptions& options;
  sim::Choices& choices;
  sim::machine::VirtualClock* clock;
  GatedWorld world;
  Gate& gate;
  Holds& holds;
  Crew crew;
  std::vector<ClientNote> notes;  ///< by client
  std::vector<MessageDelay> delays;
  SteadyTime began;
  SteadyTime progressed;  ///< when something changed last
  DriveRun run;
};

}  // namespace interlock::scenarios::drive
