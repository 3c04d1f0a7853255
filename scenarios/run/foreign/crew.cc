// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/crew.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "scenarios/run/foreign/templates.h"
#include "sim/machine/launch.h"

namespace interlock::scenarios::drive {
namespace {

using sim::machine::Sign;
using std::chrono::microseconds;

constexpr Duration kStillFor = microseconds(2'000);
// These are for a virtual clock. A client that has begun to wait may have gone on at once; a client
// that gave no sign of waiting waits for something other than time.
constexpr Duration kStillInWait = microseconds(1'000);
constexpr Duration kStillWithoutSign = microseconds(20'000);
constexpr Duration kPause = microseconds(1'000);
constexpr Duration kPauseVirtually = microseconds(100);

}  // namespace

Crew::Crew(const DriveOptions& options, const Gate& gate, sim::machine::VirtualClock* clock)
    : options_(options), gate_(gate), clock_(clock) {}

Status Crew::Start() {
  for (int client = 0; client < options_.clients; ++client) {
    auto process = StartOne(client);
    if (!process.ok()) return process.status();
    members_.emplace_back().process = *std::move(process);
  }
  return Status();
}

Result<std::unique_ptr<sim::machine::ForeignProcess>> Crew::StartOne(int client) {
  std::vector<int> ports;
  for (int node = 0; node < options_.nodes; ++node) ports.push_back(gate_.port(client, node));
  Templates* templates = options_.templates;
  if (clock_ != nullptr && templates != nullptr && templates->WhyNot(client).empty()) {
    auto copy = templates->Copy(client, ports, *clock_);
    if (copy.ok()) {
      ++copied_;
      return copy;
    }
    templates->GiveUp(client, copy.status().message());
  }
  sim::machine::ForeignProcess::Environment clock;
  if (clock_ != nullptr) clock = clock_->EnvironmentOf(client);
  return sim::machine::Launch(sim::machine::CommandOf(options_.command, client), client, ports,
                              clock);
}

int Crew::CountAlive() const {
  return static_cast<int>(std::ranges::count(members_, false, &Member::over));
}

bool Crew::HasEnded(int client) {
  Member& one = member(client);
  if (!one.over && one.process->ended()) one.over = true;
  return one.over;
}

void Crew::Disturb(int client) {
  Member& one = member(client);
  one.disturbed = true;
  one.stillness.Forget();
  one.commands = gate_.waited(client);
  if (clock_ != nullptr) one.waits = clock_->waits(client);
}

bool Crew::IsStill(int client) {
  Member& one = member(client);
  if (clock_ == nullptr) {
    const Sign sign = gate_.HasParked(client) ? Sign::kCommand : Sign::kNone;
    return one.stillness.Look(*one.process, sign, {}, kStillFor);
  }
  if (one.process->stopped()) return true;
  const std::uint64_t commands = gate_.waited(client);
  const std::uint64_t waits = clock_->waits(client);
  const bool told = commands != one.commands;
  const bool waited = waits != one.waits;
  if (!one.disturbed && !told && !waited) return true;
  if (clock_->IsWaking(client)) return false;
  const Duration apart = waited ? kStillInWait : kStillWithoutSign;
  const Sign of_waits = waited ? Sign::kWait : Sign::kNone;
  const Sign sign = told ? Sign::kCommand : of_waits;
  if (!one.stillness.Look(*one.process, sign, clock_->NappingOf(client), apart)) return false;
  one.disturbed = false;
  one.commands = commands;
  one.waits = waits;
  return true;
}

Duration Crew::pause() const { return clock_ == nullptr ? kPause : kPauseVirtually; }

Duration Crew::ProcessorTime() const {
  Duration sum{};
  for (const Member& one : members_) sum += one.process->ProcessorTime();
  return sum;
}

void Crew::Stop(int client, std::uint32_t steps) {
  member(client).stopped_for = steps;
  member(client).process->Stop();
}

void Crew::Continue(int client) {
  member(client).stopped_for = 0;
  member(client).process->Continue();
  Disturb(client);
}

void Crew::Kill(int client) {
  member(client).process->Kill();
  member(client).over = true;
}

void Crew::KillAll() {
  for (Member& one : members_) one.process->Kill();
}

}  // namespace interlock::scenarios::drive
