// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/ordered_steps.h"

#include <algorithm>
#include <utility>

#include "scenarios/run/foreign/words.h"
#include "sim/redis/text.h"
#include "sim/trace.h"

namespace interlock::scenarios::drive {
namespace {

using sim::redis::Argv;
using sim::redis::Footprint;

/// What reports of sections change, and commands that name a lock's key may depend on.
constexpr std::uint64_t kReports = 0;
/// A word of so many letters belongs to the client that has sent it first (see holds.h).
constexpr std::size_t kLongWord = 8;

/// The same key on another server is another one.
Footprint OnNode(Footprint touched, int node) {
  if (node == 0 || touched.global()) return touched;
  const auto moved = [node](std::vector<std::uint64_t> keys) {
    for (std::uint64_t& key : keys) key = sim::MixSeed(key, static_cast<std::uint64_t>(node));
    std::ranges::sort(keys);
    return keys;
  };
  return Footprint::Of(moved(touched.reads()), moved(touched.writes()));
}

bool RunsMore(const Argv& argv) {
  const std::string name = sim::redis::ToLower(argv.front());
  return name.starts_with("eval") || name.starts_with("fcall") || name == "exec";
}

}  // namespace

/// Tokens may be drawn anew for each try, so only the command and what it is about count.
bool OrderedSteps::Repeats(const Parked& parked) const {
  const Argv& last = Of(parked.client).last;
  const Argv& argv = *parked.argv;
  if (last.size() != argv.size() || last.front() != argv.front()) return false;
  return argv.size() < 2 || last[1] == argv[1];
}

bool OrderedSteps::IsHeldBack(const Parked& parked) const {
  const Client& client = Of(parked.client);
  return client.repeats >= state_.options.orders->polls && Repeats(parked) &&
         client.last_us == state_.gate.time_us();
}

/// The commands that may come next. `time`: whether time may pass as well.
std::vector<Parked> OrderedSteps::Offered(const std::vector<Parked>& ready, bool& time) {
  std::vector<Parked> offered;
  for (const Parked& one : ready) {
    if (!IsHeldBack(one)) offered.push_back(one);
  }
  const bool sleeps = time_.SomebodySleeps();
  time = sleeps && (offered.empty() || polls_ < state_.options.orders->polls);
  state_.run.held_back = state_.run.held_back || sleeps != time || offered.size() < ready.size();
  if (!offered.empty() || time) return offered;
  // All repeat themselves: they take turns.
  return {*std::ranges::min_element(ready, {},
                                    [this](const Parked& one) { return Of(one.client).repeats; })};
}

bool OrderedSteps::Step(const std::vector<Parked>& ready) {
  EndStep();
  bool time = false;
  std::vector<Parked> offered = Offered(ready, time);
  std::stable_partition(offered.begin(), offered.end(),
                        [this](const Parked& one) { return one.client == faults_.last(); });
  std::vector<PossibleStep> steps;
  std::vector<const Parked*> of_steps;
  const auto add = [&](const Parked& one, const std::optional<PlacedFault>& fault) {
    steps.push_back({one.client, one.of_client, one.argv, fault});
    of_steps.push_back(&one);
  };
  for (const Parked& one : offered) add(one, std::nullopt);
  if (time) {
    steps.emplace_back();
    of_steps.push_back(nullptr);
  }
  for (const Parked& one : offered) {
    for (const PlacedFault& fault : faults_.Possible(one, Of(one.client).blocked)) add(one, fault);
  }
  StepWatch* watch = state_.options.watch;
  if (watch != nullptr && !watch->OnSteps(steps, state_.world.now())) return false;
  const std::size_t picked = Pick(steps);
  Begin(steps[picked], of_steps[picked]);
  if (of_steps[picked] != nullptr) {
    Take(steps[picked], *of_steps[picked]);
    return true;
  }
  if (!offered.empty()) ++polls_;
  time_.Sleep(state_.options.patience);
  return true;
}

std::size_t OrderedSteps::Pick(const std::vector<PossibleStep>& steps) {
  std::vector<sim::Candidate> candidates;
  for (const PossibleStep& step : steps) {
    candidates.push_back({step.client < 0 ? state_.options.clients : step.client,
                          static_cast<std::uint32_t>(candidates.size()), 0, 0});
  }
  return state_.choices.PickTask(candidates);
}

void OrderedSteps::Take(const PossibleStep& step, const Parked& parked) {
  const Parked taken = parked;
  const int client = taken.client;
  if (!step.fault || step.fault->strike != Strike::kExpiry) {
    Client& of = Of(client);
    if (begun_->repeats && of.last_us == begun_->time_us) ++of.repeats;
    of.last = begun_->argv;
    of.last_us = begun_->time_us;
  }
  state_.gate.Note(&footprint_);
  faults_.ExecuteWith(taken, step.fault);
  state_.gate.Note(nullptr);
  Of(client).blocked = state_.gate.IsBlocked(client);
}

void OrderedSteps::Begin(const PossibleStep& step, const Parked* parked) {
  footprint_.Clear();
  const bool command = parked != nullptr;
  begun_ = Begun{step,
                 command ? *parked->argv : Argv(),
                 command ? state_.gate.nodes().PlaceOf(parked->node) : 0,
                 command && Repeats(*parked),
                 state_.world.events(),
                 state_.gate.time_us()};
}

void OrderedSteps::Wait() {
  EndStep();
  Begin({}, nullptr);
}

void OrderedSteps::EndStep() {
  if (!begun_) return;
  const Begun step = *std::exchange(begun_, std::nullopt);
  if (state_.options.watch != nullptr) state_.options.watch->OnTaken(Touched(step));
}

Footprint OrderedSteps::Touched(const Begun& step) {
  Footprint touched = OnNode(std::move(footprint_), step.node);
  if (step.step.client < 0 || step.step.fault || step.repeats ||
      state_.gate.time_us() != step.time_us) {
    touched.TouchAll();
  }
  const EventLog& log = state_.world.log();
  for (std::size_t i = step.events; i < log.size(); ++i) {
    if (log[i].client != step.step.client || log[i].kind == EventKind::kEnded) touched.TouchAll();
  }
  if (touched.global()) return touched;
  if (IsReport(step.argv)) {
    touched.WriteOther(kReports);
  } else if (RunsMore(step.argv) || NamesLock(step.argv)) {
    touched.ReadOther(kReports);
  }
  for (std::size_t i = 2; i < step.argv.size(); ++i) {
    const std::string& word = step.argv[i];
    if (word.size() < kLongWord || !words_.insert(word).second) continue;
    touched.WriteOther(sim::HashBytes(word, kReports + 1));
  }
  return touched;
}

bool OrderedSteps::NamesLock(const Argv& argv) const {
  const std::string& pattern = state_.options.pattern;
  return std::ranges::any_of(argv, [&](const std::string& word) {
    return pattern.empty() ? state_.holds.asked().contains(word)
                           : sim::redis::GlobMatch(pattern, word);
  });
}

}  // namespace interlock::scenarios::drive
