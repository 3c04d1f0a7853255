// SPDX-License-Identifier: MIT
//
// State shared by the parts of one run of foreign clients: the world, the clients, notes about
// them, and the report. Each part writes its own share; see drive_run.cc.
//
// Thread safety: that of ForeignProcess.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "scenarios/run/foreign/crew.h"
#include "scenarios/run/foreign/drive_run.h"
#include "scenarios/run/foreign/gated_world.h"
#include "sim/choices.h"

namespace interlock::scenarios::drive {

using SteadyTime = std::chrono::steady_clock::time_point;

/// Notes about one client.
struct ClientNote {
  std::uint32_t passed_over = 0;  ///< times passed over although ready
  std::uint64_t vain_since = 0;   ///< command count at the last change
  bool looked_at = false;         ///< whether it was checked which clock it uses
  bool own_clock = false;
  bool spins = false;  ///< it runs on and on, and the others proceed without it
};

/// A command or reply delayed for some steps.
struct MessageDelay {
  std::uint64_t connection = 0;
  int client = 0;
  bool of_reply = false;
  std::uint32_t steps = 0;
};

struct DriveState {
  /// `clock`: null means the machine's.
  DriveState(const DriveOptions& options, sim::Choices& choices, sim::machine::VirtualClock* clock);

  ClientNote& note(int client) { return notes[static_cast<std::size_t>(client)]; }
  const ClientNote& note(int client) const { return notes[static_cast<std::size_t>(client)]; }
  /// Whether its next command is delayed, or held up by slots that move, and may not be executed
  /// yet.
  bool IsDelayed(std::uint64_t connection) const;
  /// Whether it is in a section, or owns a lock's key.
  bool HoldsLock(int client) const;
  /// One entry per client, true for this one.
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
  SteadyTime progressed;  ///< when something last changed
  DriveRun run;
};

}  // namespace interlock::scenarios::drive
