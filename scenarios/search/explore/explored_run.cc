// SPDX-License-Identifier: MIT
#include "scenarios/search/explore/explored_run.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace interlock::scenarios {
namespace {

/// Appends the outcomes of each client's actions on this resource.
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
  for (const RecordedResource& resource : recorder.resources()) {
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

/// Describes which limits may have been in force and when, and the calls that set them.
void DescribeLimits(const Limits& limits, sim::FingerprintWriter& writer) {
  if (!limits.kept()) return;
  writer.Number(limits.spans().size());
  for (const Limits::Span& span : limits.spans()) {
    writer.Time(span.from);
    writer.Time(span.lapses);
    writer.Number(span.possible.size());
    for (const int limit : span.possible) writer.Number(static_cast<std::uint64_t>(limit));
  }
  writer.Number(limits.calls().size());
  for (const LimitCall& call : limits.calls()) {
    writer.Process(call.client);
    writer.Time(call.called);
    writer.Time(call.changed);
    writer.Time(call.answered);
    writer.Number(static_cast<std::uint64_t>(call.answer) << 16 |
                  static_cast<std::uint64_t>(call.limit));
  }
}

}  // namespace

void ExploredRun::OnBegin(sim::World& world, const Recorder& recorder) {
  world_ = &world;
  recorder_ = &recorder;
  std::vector<const History*> histories;
  for (const RecordedResource& resource : recorder.resources()) {
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

bool ExploredRun::GoOn(std::span<const sim::ReadyTask> ready) {
  const bool slept = EndStep();
  if (Spins()) {
    end_ = End::kSpins;
    return false;
  }
  if (!walk_.BeyondPrefix()) {
    Repeat(ready);
    return true;
  }
  if (slept) {
    end_ = End::kAsleep;
    return false;
  }
  if (Expiries() > explored_.bounds.expiries) {
    end_ = End::kBeyond;
    return false;
  }
  if (explored_.bounds.tasks_in_order && GoOnUnseen(ready)) return true;
  if (!explored_.audit) return Choose(ready);
  ++states_;
  if (!visited_.Contains(world_->Fingerprint(*this, ranks_))) ++strange_;
  walk_.OnPick({}, false);
  return true;
}

// The last choice of a prefix is the first new step.
void ExploredRun::Repeat(std::span<const sim::ReadyTask> ready) {
  const std::size_t depth = walk_.path().size();
  if (ready.size() < 2 || depth + 1 != prefix_.path.size()) return walk_.OnPick({}, false);
  asleep_ = prefix_.asleep;
  const auto chosen = static_cast<unsigned char>(prefix_.path.back());
  if (chosen < ready.size()) BeginStep(ready[chosen], !prefix_.rest.empty());
  AddBranch(depth, prefix_.rest, prefix_.calm_only);
  walk_.OnPick({}, prefix_.calm_only);
}

// Returns false if every task is about to do what others will see.
bool ExploredRun::GoOnUnseen(std::span<const sim::ReadyTask> ready) {
  const auto first =
      std::ranges::find_if(ready, [](const sim::ReadyTask& task) { return task.unseen; });
  if (first == ready.end()) return false;
  BeginStep(*first, false);
  walk_.OnPick(std::string(1, static_cast<char>(first - ready.begin())), false);
  return true;
}

// In a state visited before, only those tasks are left that were asleep then and are not now; the
// faults that can strike them have been explored already.
bool ExploredRun::Choose(std::span<const sim::ReadyTask> ready) {
  Visited::Entry entry{true};
  if (explored_.merge) {
    const sim::Digest state = world_->Fingerprint(*this, ranks_);
    entry = visited_.Enter(state, asleep_.Mask(ranks_));
    asleep_.Keep(entry.asleep, ranks_);
  }
  end_ = entry.fresh ? End::kAsleep : End::kVisited;
  std::string awake;
  std::string asleep;
  for (std::size_t i = 0; i < ready.size(); ++i) {
    if (!entry.fresh && (entry.explore & BitOf(ready[i], ranks_)) == 0) continue;
    (asleep_.Has(ready[i]) ? asleep : awake).push_back(static_cast<char>(i));
  }
  // A sleeping task needs a step only to meet a fault.
  if (walk_.FaultsLeft()) awake += asleep;
  if (awake.empty() && !(entry.fresh && ready.empty())) return false;
  end_ = End::kWhole;
  if (!awake.empty()) {
    BeginStep(ready[static_cast<unsigned char>(awake.front())], awake.size() > 1);
  }
  if (ready.size() > 1) AddBranch(walk_.path().size(), awake.substr(1), !entry.fresh);
  walk_.OnPick(awake, !entry.fresh);
  return true;
}

void ExploredRun::AddBranch(std::size_t depth, const std::string& others, bool calm_only) {
  Branch& branch = branches_.emplace_back();
  branch.depth = depth;
  branch.next.path = others.substr(0, 1);
  if (!others.empty()) branch.next.rest = others.substr(1);
  branch.next.asleep = asleep_;
  branch.next.calm_only = calm_only;
  if (step_) step_->branch = branches_.size() - 1;
}

// A step is recorded only if tasks are asleep, or may be because of it.
void ExploredRun::BeginStep(const sim::ReadyTask& task, bool others) {
  if (!explored_.reduce || (!others && asleep_.sleepers().empty())) return;
  step_ = Step{task, world_->now(), Expiries(), HoldsNow()};
}

// A step that involves time, a fault or a bound commutes with no other. Returns whether the task
// was asleep.
bool ExploredRun::EndStep() {
  if (!step_) return false;
  const Step step = *std::exchange(step_, std::nullopt);
  sim::redis::Footprint footprint = world_->footprint();
  const bool calm = !walk_.disturbed();
  if (!calm || world_->now() != step.began || Expiries() != step.expiries) footprint.TouchAll();
  const std::vector<sim::Digest> holds = HoldsNow();
  for (std::size_t i = 0; i < holds.size(); ++i) {
    if (!(holds[i] == step.holds[i])) footprint.WriteOther(i);
  }
  const bool slept = calm && asleep_.Has(step.task);
  asleep_.Wake(step.task, footprint);
  if (step.branch && !slept && !footprint.global()) {
    branches_[*step.branch].next.asleep.Add({step.task, std::move(footprint)});
  }
  return slept;
}

// The oracles see the holds of one resource in the order of their grants.
std::vector<sim::Digest> ExploredRun::HoldsNow() const {
  std::vector<sim::Digest> all;
  for (const RecordedResource& resource : recorder_->resources()) {
    sim::Digest& digest = all.emplace_back();
    for (const ServerHold& hold : resource.history.server_holds) {
      digest.Add(static_cast<std::uint64_t>(hold.client));
      digest.Add(hold.token);
      for (const VirtualTime time :
           {hold.granted, hold.renewed, hold.sent, hold.promised_until, hold.ended, hold.waived}) {
        digest.Add(static_cast<std::uint64_t>(time.count()));
      }
      digest.Add(static_cast<std::uint64_t>(hold.end));
      if (resource.history.quorum > 1) digest.Add(hold.grants_before_end);
    }
    const Limits& limits = resource.history.limits;
    if (limits.spans().empty()) digest.Add(static_cast<std::uint64_t>(limits.MostNow()));
    for (const Limits::Span& span : limits.spans()) {
      for (const int limit : span.possible) digest.Add(static_cast<std::uint64_t>(limit));
    }
  }
  return all;
}

// Nothing takes time here, so a client that polls without rest never reaches another instant.
bool ExploredRun::Spins() {
  constexpr std::uint64_t kMost = 2'000;
  if (world_->now() != instant_) steps_in_instant_ = 0;
  instant_ = world_->now();
  return ++steps_in_instant_ > kMost;
}

// Counts the expiries that need a budget. The end of a dead client's lease is paid for by its
// death, and the end of a hold that a server forgot, or that its owner gave back elsewhere, is paid
// for, too.
int ExploredRun::Expiries() const {
  const VirtualTime now = world_->now();
  int expiries = 0;
  for (const RecordedResource& resource : recorder_->resources()) {
    const History& history = resource.history;
    for (const ServerHold& hold : history.server_holds) {
      if (hold.promised_until > now || hold.client < 0) continue;
      if (hold.given_back() || hold.end == ServerHoldEnd::kForeign) continue;
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

// The oracles' knowledge of a living client follows from what it observed, and when, except for the
// party it counted down at a latch if the reply was lost. A dead client observes nothing any more;
// of it they know what it was told, and when it held.
void ExploredRun::DescribeProcess(int process, sim::FingerprintWriter& writer) const {
  // Faults are the same in the histories of all resources.
  const History& history = recorder_->resources().front().history;
  writer.Number(RoleOf(process));
  const auto its = [process](const auto& of) { return of.client == process; };
  const auto& disturbances = history.disturbances;
  writer.Number(static_cast<std::uint64_t>(std::ranges::count_if(disturbances, its)));
  for (const Disturbance& disturbance : disturbances) {
    if (its(disturbance)) writer.Time(disturbance.at);
  }
  for (const RecordedResource& resource : recorder_->resources()) {
    const auto& attempts = resource.history.attempts;
    writer.Number(static_cast<std::uint64_t>(std::ranges::count_if(attempts, its)));
    for (const Attempt& attempt : attempts) {
      if (!its(attempt) || attempt.counts_for < 0) continue;
      writer.Number(attempt.queued == kOpen ? 0 : 1);
    }
  }
  const VirtualTime died = DiedAt(history, process);
  if (died == kOpen) return;
  writer.Time(died);
  for (const RecordedResource& resource : recorder_->resources()) {
    for (const Attempt& attempt : resource.history.attempts) {
      if (attempt.client != process) continue;
      writer.Time(attempt.answered);
      writer.Number(static_cast<std::uint64_t>(attempt.answer));
    }
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
  for (const RecordedResource& resource : recorder_->resources()) {
    const History& history = resource.history;
    writer.Number(history.server_holds.size());
    for (const ServerHold& hold : history.server_holds) {
      writer.Process(hold.client);
      writer.Text(hold.token);
      for (const VirtualTime time : {hold.granted, hold.renewed, hold.sent, hold.last_sent,
                                     hold.promised_until, hold.ended}) {
        writer.Time(time);
      }
      writer.Number(static_cast<std::uint64_t>(hold.end) | (hold.copied ? 256U : 0U) |
                    (hold.shared ? 512U : 0U) | static_cast<std::uint64_t>(hold.node) << 16);
      writer.Time(hold.waived);
      if (history.quorum > 1) writer.Number(hold.grants_before_end);
    }
    DescribeLimits(history.limits, writer);
    writer.Number(history.forces.size());
    for (const Force& force : history.forces) {
      writer.Process(force.client);
      writer.Text(force.token);
      writer.Time(force.looked);
      writer.Time(force.inspected);
    }
    writer.Number(history.accesses.size());
    for (const Access& access : history.accesses) {
      const ClientHold& hold = history.holds[access.hold];
      writer.Process(hold.client);
      writer.Text(hold.token);
      writer.Time(hold.belief.front().from);
      writer.Time(access.sent);
      writer.Time(access.arrived);
      writer.Number((access.writes ? 1U : 0U) | (access.accepted ? 2U : 0U));
    }
    writer.Number(history.supersessions.size());
    for (const Supersession& one : history.supersessions) {
      writer.Number(static_cast<std::uint64_t>(one.node));
      writer.Time(one.at);
    }
  }
}

}  // namespace interlock::scenarios
