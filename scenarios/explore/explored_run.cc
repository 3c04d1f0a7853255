// SPDX-License-Identifier: MIT
#include "scenarios/explore/explored_run.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace interlock::scenarios {
namespace {

/// Appends what each client did with this resource.
void AddOutcomes(const History& history, std::vector<std::string>& clients) {
  const auto of = [&clients](int client) -> std::string& {
    return clients[static_cast<std::size_t>(client)];
  };
  for (const Attempt& attempt : history.attempts) {
    of(attempt.client) +=
        attempt.answered == kOpen ? "open;" : fmt::format("{};", ToString(attempt.answer));
  }
  for (const ClientHold& hold : history.holds) {
    of(hold.client) += hold.release_returned == kOpen
                           ? "held;"
                           : fmt::format("release {};", ToString(hold.release_status));
  }
}

std::string OutcomeOf(const Recorder& recorder, std::size_t count) {
  std::vector<std::string> clients(count);
  for (const Recorder::Resource& resource : recorder.resources()) {
    AddOutcomes(resource.history, clients);
  }
  for (std::size_t i = 0; i < clients.size(); ++i) {
    if (Died(recorder.resources().front().history, static_cast<int>(i))) clients[i] += "died;";
  }
  std::sort(clients.begin(), clients.end());
  std::string outcome;
  for (const std::string& client : clients) outcome += client + "|";
  return outcome;
}

}  // namespace

void ExploredRun::OnBegin(sim::World& world, const Recorder& recorder) {
  world_ = &world;
  recorder_ = &recorder;
  std::vector<const History*> histories;
  for (const Recorder::Resource& resource : recorder.resources()) {
    histories.push_back(&resource.history);
  }
  const Workload& workload = explored_.workload;
  walk_.Attach(world, std::move(histories), LongestPhaseOne(workload));
}

void ExploredRun::OnHeal(sim::StopReason stop) {
  walk_.Finish();
  stop_ = stop;
  outcome_ = OutcomeOf(*recorder_, explored_.workload.clients.size());
}

bool ExploredRun::GoOn() {
  walk_.OnPick();
  if (Spins()) {
    end_ = End::kSpins;
    return false;
  }
  if (!walk_.BeyondPrefix()) return true;
  if (Expiries() > explored_.bounds.expiries) {
    end_ = End::kBeyond;
    return false;
  }
  if (explored_.audit) {
    ++states_;
    if (!visited_.Contains(world_->Fingerprint(*this))) ++strange_;
    return true;
  }
  if (!explored_.merge || visited_.Insert(world_->Fingerprint(*this))) return true;
  end_ = End::kVisited;
  return false;
}

// Nothing takes time here, so whoever polls without rest never comes to another instant.
bool ExploredRun::Spins() {
  constexpr std::uint64_t kMost = 2'000;
  if (world_->now() != instant_) steps_in_instant_ = 0;
  instant_ = world_->now();
  return ++steps_in_instant_ > kMost;
}

// A dead client's lease ends by its death, which is paid for already; and so is what a server has
// forgotten, or its owner has given back elsewhere.
int ExploredRun::Expiries() const {
  const VirtualTime now = world_->now();
  int expiries = 0;
  for (const Recorder::Resource& resource : recorder_->resources()) {
    const History& history = resource.history;
    for (const ServerHold& hold : history.server_holds) {
      if (hold.promised_until > now || hold.client < 0) continue;
      if (hold.end == ServerHoldEnd::kReleased || hold.end == ServerHoldEnd::kForeign) continue;
      if (hold.end == ServerHoldEnd::kLost || hold.waived < hold.promised_until) continue;
      if (DiedAt(history, hold.client) > hold.promised_until) ++expiries;
    }
  }
  return expiries;
}

std::uint64_t ExploredRun::RoleOf(int process) const {
  if (!explored_.symmetry) return static_cast<std::uint64_t>(process);
  const auto& clients = explored_.workload.clients;
  std::size_t role = 0;
  while (clients[role] != clients[static_cast<std::size_t>(process)]) ++role;
  return role;
}

// What the oracles know of a living client follows from what it has observed, and when. Of a dead
// one, whose observations no longer matter, they know when it held.
void ExploredRun::DescribeProcess(int process, sim::FingerprintWriter& writer) const {
  // Faults are the same in the histories of all resources.
  const History& history = recorder_->resources().front().history;
  writer.Number(RoleOf(process));
  for (const Disturbance& disturbance : history.disturbances) {
    if (disturbance.client == process) writer.Time(disturbance.at);
  }
  const VirtualTime died = DiedAt(history, process);
  if (died == kOpen) return;
  writer.Time(died);
  for (const Recorder::Resource& resource : recorder_->resources()) {
    for (const ClientHold& hold : resource.history.holds) {
      if (hold.client != process) continue;
      writer.Time(hold.belief.front().from);
      writer.Time(hold.belief.back().to);
      writer.Time(hold.release_called);
      writer.Time(hold.release_returned);
      writer.Number(hold.fencing_token.value_or(0));
      writer.Text(hold.token);
    }
  }
}

void ExploredRun::DescribeRest(sim::FingerprintWriter& writer) const {
  const History& first = recorder_->resources().front().history;
  for (const std::uint8_t count : walk_.spent()) writer.Number(count);
  writer.Number(static_cast<std::uint64_t>(Expiries()));
  writer.Time(first.last_fault);
  writer.Number(first.needs_healing ? 1 : 0);
  for (const Recorder::Resource& resource : recorder_->resources()) {
    const History& history = resource.history;
    writer.Number(history.server_holds.size());
    for (const ServerHold& hold : history.server_holds) {
      writer.Process(hold.client);
      writer.Text(hold.token);
      writer.Time(hold.granted);
      writer.Time(hold.renewed);
      writer.Time(hold.sent);
      writer.Time(hold.promised_until);
      writer.Time(hold.ended);
      writer.Number(static_cast<std::uint64_t>(hold.end) | (hold.copied ? 256U : 0U) |
                    static_cast<std::uint64_t>(hold.node) << 16);
      writer.Time(hold.waived);
    }
    for (const Supersession& one : history.supersessions) {
      writer.Number(static_cast<std::uint64_t>(one.node));
      writer.Time(one.at);
    }
  }
}

}  // namespace interlock::scenarios
