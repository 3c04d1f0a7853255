// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/drive_state.h"

#include <algorithm>

namespace interlock::scenarios::drive {
namespace {

std::int64_t NowUs() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

}  // namespace

DriveState::DriveState(const DriveOptions& the_options, sim::Choices& the_choices,
                       sim::machine::VirtualClock* the_clock)
    : options(the_options),
      choices(the_choices),
      clock(the_clock),
      world(options, clock != nullptr ? sim::machine::VirtualClock::kEpochUs : NowUs(), clock),
      gate(world.gate()),
      holds(world.holds()),
      crew(options, gate, clock),
      notes(static_cast<std::size_t>(options.clients)) {
  gate.SetClock(clock);
}

bool DriveState::IsDelayed(std::uint64_t connection) const {
  return gate.IsHeldUp(connection) ||
         std::ranges::any_of(delays, [connection](const MessageDelay& one) {
           return !one.of_reply && one.connection == connection;
         });
}

bool DriveState::HoldsLock(int client) const {
  return world.sections().Inside(client) || holds.Owns(client);
}

std::vector<bool> DriveState::Only(int client) const {
  std::vector<bool> only(notes.size(), false);
  only[static_cast<std::size_t>(client)] = true;
  return only;
}

void DriveState::Progressed() {
  progressed = std::chrono::steady_clock::now();
  for (int client = 0; client < options.clients; ++client) {
    note(client).vain_since = gate.executed(client);
  }
}

}  // namespace interlock::scenarios::drive
