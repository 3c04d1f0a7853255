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
using Look = sim::machine::WaitWatch::Look;
using std::chrono::microseconds;

constexpr Duration kStillFor = microseconds(2'000);
// These are for a virtual clock. A client that has begun to wait may have gone on at once; a client
// that gave no sign of waiting waits for something other than time.
constexpr Duration kStillInWait = microseconds(1'000);
constexpr Duration kStillWithoutSign = microseconds(20'000);
/// A thread that publishes its waits, and is busy for longer, may block in some other way.
constexpr Duration kBusyForLong = microseconds(20'000);
/// How long one client is waited for before the others, and what they have sent, are looked at.
constexpr Duration kOneClient = microseconds(1'000);
constexpr Duration kEndsSoon = microseconds(20'000);
constexpr Duration kPause = microseconds(1'000);
constexpr Duration kShortestPause = microseconds(100);
constexpr Duration kLongestPause = microseconds(2'000);

}  // namespace

Crew::Crew(const DriveOptions& options, const Gate& gate, sim::machine::VirtualClock* clock)
    : options_(options), gate_(gate), clock_(clock) {}

Status Crew::Start() {
  for (int client = 0; client < options_.clients; ++client) {
    auto process = StartOne(client);
    if (!process.ok()) return process.status();
    Member& one = members_.emplace_back();
    one.process = *std::move(process);
    one.since = std::chrono::steady_clock::now();
  }
  return Status();
}

Result<std::unique_ptr<sim::machine::ForeignProcess>> Crew::StartOne(int client) {
  std::vector<int> ports;
  for (int i = 0; i < ServersOf(options_); ++i) ports.push_back(gate_.port(client, i));
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
  return sim::machine::Launch(sim::machine::CommandOf(options_.command, client), client,
                              {ports, SentinelsOf(options_)}, clock);
}

int Crew::CountAlive() const {
  return static_cast<int>(std::ranges::count(members_, false, &Member::over));
}

bool Crew::IsUndisturbed(int client) const {
  const Member& one = member(client);
  return clock_ != nullptr && !one.disturbed && gate_.waited(client) == one.commands &&
         clock_->waits(client) == one.waits;
}

bool Crew::HasEnded(int client) {
  Member& one = member(client);
  // The end of a process that waits closes its connections, which disturbs it.
  const bool waits = one.seen == Look::kStill && IsUndisturbed(client);
  if (waits && !one.process->seen_to_end()) return one.over;
  if (!one.over && one.process->ended()) one.over = true;
  return one.over;
}

void Crew::Disturb(int client) {
  Member& one = member(client);
  one.disturbed = true;
  one.since = std::chrono::steady_clock::now();
  one.stillness.Forget();
  one.commands = gate_.waited(client);
  if (clock_ != nullptr) one.waits = clock_->waits(client);
}

bool Crew::ShowsClock(int client) {
  return clock_->watch(client).LookAt(member(client).process->pid(), true) == Look::kStill;
}

void Crew::Read() {
  if (clock_ == nullptr) return;
  for (int client = 0; client < size(); ++client) {
    clock_->watch(client).Read();
    member(client).waits_read = clock_->waits(client);
  }
}

bool Crew::IsStill(int client) {
  Member& one = member(client);
  one.still = clock_ == nullptr ? IsStillByMachine(client) : LooksStill(client);
  return one.still;
}

bool Crew::IsStillByMachine(int client) {
  Member& one = member(client);
  const Sign sign = gate_.HasParked(client) ? Sign::kCommand : Sign::kNone;
  return one.stillness.Look(*one.process, sign, {}, kStillFor);
}

/// By a virtual clock.
bool Crew::LooksStill(int client) {
  Member& one = member(client);
  if (one.process->stopped()) return true;
  const std::uint64_t commands = gate_.waited(client);
  const std::uint64_t waits = one.waits_read;
  const bool told = commands != one.commands;
  const bool waited = waits != one.waits;
  if (!one.disturbed && !told && !waited) return true;
  one.seen = clock_->watch(client).LookAt(one.process->pid(), gate_.HasParked(client));
  if (one.seen != Look::kStill) {
    if (one.seen == Look::kSeemsStill) return false;
    // A copy publishes from its connect on, which is the first thing that it does.
    const bool will_publish = copied_ == size() && !gate_.has_connected(client);
    const bool published = will_publish || one.seen != Look::kUnknown;
    if (published && std::chrono::steady_clock::now() - one.since < kBusyForLong) return false;
    if (clock_->IsWaking(client) || clock_->waits(client) != waits) return false;
    const Duration apart = waited ? kStillInWait : kStillWithoutSign;
    const Sign of_waits = waited ? Sign::kWait : Sign::kNone;
    const Sign sign = told ? Sign::kCommand : of_waits;
    if (!one.stillness.Look(*one.process, sign, clock_->NappingOf(client), apart)) return false;
    clock_->watch(client).TakeAsStill();
  }
  one.disturbed = false;
  one.commands = commands;
  one.waits = waits;
  return true;
}

bool Crew::WaitsForDriver(int client) {
  const pid_t process = member(client).process->pid();
  return clock_ != nullptr &&
         clock_->watch(client).LookAt(process, gate_.HasParked(client)) == Look::kStill;
}

Duration Crew::AwaitOne(Duration quiet) {
  if (clock_ == nullptr) return kPause;
  for (int client = 0; client < size(); ++client) {
    const Member& one = member(client);
    if (one.over || one.still) continue;
    switch (one.seen) {
      case Look::kBusy:
        clock_->watch(client).Await(kOneClient);
        return {};
      case Look::kEnds:
        one.process->AwaitEnd(kEndsSoon);
        return {};
      case Look::kSeemsStill:
        return kPause;
      default:
        break;
    }
    break;
  }
  return std::clamp(quiet / 4, kShortestPause, kLongestPause);
}

Duration Crew::ProcessorTime() const {
  Duration sum{};
  for (const Member& one : members_) sum += one.process->ProcessorTime();
  return sum;
}

void Crew::Stop(int client, std::uint32_t steps) {
  member(client).stopped_for = steps;
  member(client).process->Stop();
}

/// A published wait goes on as if nothing had happened.
void Crew::Continue(int client) {
  Member& one = member(client);
  one.stopped_for = 0;
  const bool waits = clock_ != nullptr && !one.process->ended() &&
                     !one.process->CatchesContinue() && ShowsClock(client);
  one.process->Continue();
  if (!waits) Disturb(client);
}

void Crew::Kill(int client) {
  member(client).process->Kill();
  member(client).over = true;
}

void Crew::KillAll() {
  for (Member& one : members_) one.process->Kill();
}

}  // namespace interlock::scenarios::drive
