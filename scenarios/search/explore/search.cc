// SPDX-License-Identifier: MIT
#include "scenarios/search/explore/search.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <thread>
#include <tuple>
#include <utility>

#include "scenarios/run/guard.h"

namespace interlock::scenarios {
namespace {

/// The branches that a walk has passed by. The nearest to the root comes first, to be walked last.
/// Of the tasks that could have gone on, only the next one is included, because what its walk may
/// skip depends on this walk.
std::vector<Prefix> Siblings(const Walk& walk, std::vector<ExploredRun::Branch> branches,
                             std::size_t from) {
  std::vector<Prefix> siblings;
  auto branch = branches.begin();
  for (std::size_t i = from == 0 ? 0 : from - 1; i < walk.path().size(); ++i) {
    if (branch != branches.end() && branch->depth == i) {
      Prefix& next = branch++->next;
      if (next.path.empty()) continue;
      next.path.insert(0, walk.path(), 0, i);
      siblings.push_back(std::move(next));
    }
    if (i < from) continue;
    for (int other = walk.widths()[i] - 1; other > 0; --other) {
      Prefix& sibling = siblings.emplace_back();
      sibling.path.assign(walk.path(), 0, i);
      sibling.path.push_back(static_cast<char>(other));
    }
  }
  return siblings;
}

auto SizeOf(const MinimalCase& found) {
  return std::tuple(found.faults, found.commands, found.tape.size(), found.tape.lanes);
}

constexpr std::uint64_t kProbes = 16;

}  // namespace

Search::Search(const ExploreOptions& options, const Bounds& bounds, std::vector<Judged> judged,
               bool stop_at_first)
    : options_(options), judged_(std::move(judged)), stop_at_first_(stop_at_first) {
  explored_.run_case = options.run_case;
  explored_.bounds = bounds;
  explored_.workload = ExploredWorkload(*options.run_case.scenario, bounds);
  explored_.merge = options.merge;
  // Clients that name several resources in different orders do not act alike.
  explored_.symmetry = options.symmetry && !options.run_case.subject->traits().several;
  // No step commutes if nothing but one resource is touched, if servers keep the order of all
  // writes, or if writes go elsewhere.
  const Workload& workload = explored_.workload;
  explored_.reduce = options.reduce && workload.resources > 1 && workload.nodes == 1 &&
                     workload.persistence == sim::Persistence::kNone &&
                     workload.guard == GuardKind::kNone;
  result_.symmetric = explored_.symmetry && explored_.merge && bounds.clients > 1;
  left_.emplace_back();
}

bool Search::Stopped() const {
  if (ended_) return true;
  if (options_.stop != nullptr && *options_.stop) return true;
  if (options_.most_states > 0 && visited_.size() > options_.most_states) return true;
  return deadline_ && std::chrono::steady_clock::now() >= *deadline_;
}

void Search::Run(std::optional<std::chrono::steady_clock::time_point> deadline) {
  deadline_ = deadline;
  frontier_.emplace();
  for (Prefix& prefix : left_) frontier_->Add(std::move(prefix));
  std::exception_ptr failure;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < std::max(1, options_.jobs); ++i) {
      threads.emplace_back([this, &failure] {
        try {
          Work();
        } catch (const std::exception&) {
          const std::lock_guard<std::mutex> lock(mutex_);
          failure = std::current_exception();
          ended_ = true;
          frontier_->Close();
        }
      });
    }
  }
  if (failure) std::rethrow_exception(failure);
  left_ = frontier_->left();
  result_.complete = left_.empty() && !ended_;
  result_.progress.states = visited_.size();
  if (result_.complete) result_.progress.done = 1;
}

void Search::Work() {
  const GuardedThread guarded;
  sim::Universe universe;
  while (std::optional<Prefix> prefix = frontier_->Take()) {
    if (Stopped()) {
      frontier_->Done({std::move(*prefix)});
      frontier_->Close();
      return;
    }
    WalkFrom(universe, *prefix);
    const bool told = options_.progress != nullptr || options_.budget.has_value();
    if (told && EstimateIsDue()) Estimate(universe);
  }
}

void Search::WalkFrom(sim::Universe& universe, const Prefix& prefix) {
  auto source = std::make_unique<Walk>(explored_.bounds, prefix.path);
  Walk& walk = *source;
  ExploredRun probe(explored_, visited_, walk, prefix);
  sim::Choices choices = sim::Choices::FromSource(std::move(source));
  const RunResult run =
      RunOnce(universe, explored_.run_case, explored_.workload, choices, false, nullptr, &probe);
  Note(run, probe);
  if (!run.violations.empty()) Consider(universe, run, choices, walk.faults());
  frontier_->Done(Siblings(walk, probe.TakeBranches(), prefix.path.size()));
}

void Search::Note(const RunResult& run, const ExploredRun& probe) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ExploreProgress& progress = result_.progress;
  ++progress.runs;
  result_.commands += run.commands;
  for (const Judged property : kAllJudged) {
    if (run.exercised[property]) ++result_.exercised[property];
  }
  if (probe.end() == ExploredRun::End::kWhole) {
    result_.outcomes.insert(probe.outcome());
    if (probe.stop() == sim::StopReason::kTime) {
      result_.inconclusive = "clients had not come to their end when the time was up";
    }
  }
  if (run.inconclusive) result_.inconclusive = *run.inconclusive;
  if (probe.end() == ExploredRun::End::kSpins) {
    result_.inconclusive = "clients go round in circles at one instant, as who polls without rest";
    ended_ = true;
    frontier_->Close();
  }
}

bool Search::EstimateIsDue() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (result_.progress.runs < next_estimate_) return false;
  next_estimate_ = result_.progress.runs + result_.progress.runs / 8 + 256;
  return true;
}

// The visited share of the states on random paths serves as an estimate of the share of all states.
void Search::Estimate(sim::Universe& universe) {
  std::uint64_t seen = 0;
  std::uint64_t strange = 0;
  for (std::uint64_t i = 0; explored_.merge && i < kProbes; ++i) {
    const Wandered path = Wander(universe, next_estimate_ * kProbes + i);
    seen += path.states - path.strange;
    strange += path.strange;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  ExploreProgress& progress = result_.progress;
  progress.states = visited_.size();
  if (seen + strange > 0) {
    progress.done = static_cast<double>(seen) / static_cast<double>(seen + strange);
  }
  if (options_.progress) options_.progress(progress);
}

Search::Wandered Search::Wander(sim::Universe& universe, std::uint64_t seed) {
  ExploredCase audited = explored_;
  audited.audit = true;
  const Prefix root;
  auto source = std::make_unique<Walk>(explored_.bounds, root.path);
  Walk& walk = *source;
  walk.Wander(seed);
  ExploredRun probe(audited, visited_, walk, root);
  sim::Choices choices = sim::Choices::FromSource(std::move(source));
  RunOnce(universe, explored_.run_case, explored_.workload, choices, false, nullptr, &probe);
  const bool whole = probe.end() == ExploredRun::End::kWhole;
  return {probe.states(), probe.strange(), whole ? probe.outcome() : std::string()};
}

// A run that was stopped half-way is judged again up to its calm end, because only what replays is
// reported.
void Search::Consider(sim::Universe& universe, const RunResult& run, sim::Choices& choices,
                      int faults) {
  const bool any =
      std::ranges::any_of(judged_, [&run](Judged one) { return run.Find(one) != nullptr; });
  if (!any) return;
  MinimalCase found;
  found.workload = WithFaults(explored_.workload, choices.injected());
  found.tape = choices.TakeTape();
  found.bounds = explored_.bounds;
  found.faults = faults;
  sim::Choices again = sim::Choices::FromTape(found.tape);
  const RunResult replayed = RunOnce(universe, explored_.run_case, found.workload, again);
  found.commands = replayed.commands;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const Judged property : judged_) {
    const Violation* same = replayed.Find(property);
    if (same == nullptr) continue;
    result_.violated[property] = true;
    found.property = property;
    found.what = same->what;
    if (!result_.violation || SizeOf(found) < SizeOf(*result_.violation)) {
      result_.violation = found;
    }
  }
  if (stop_at_first_ && result_.violation) {
    ended_ = true;
    frontier_->Close();
  }
}

void Search::Audit(std::uint64_t paths) {
  sim::Universe universe;
  for (std::uint64_t i = 0; i < paths && !Stopped(); ++i) {
    const Wandered path = Wander(universe, i + 1);
    ++result_.audited;
    const bool known = path.outcome.empty() || result_.outcomes.count(path.outcome) > 0;
    if (path.strange == 0 && known) continue;
    result_.divergences += path.strange + (known ? 0 : 1);
    const Wandered again = Wander(universe, i + 1);
    if (again.outcome != path.outcome || again.states != path.states) ++result_.unlike;
  }
}

Search::Saved Search::Save() const { return {visited_.All(), left_, result_}; }

void Search::Restore(Saved saved) {
  for (const Visited::State& state : saved.visited) visited_.Enter(state.digest, state.asleep);
  left_ = std::move(saved.left);
  result_ = std::move(saved.result);
}

}  // namespace interlock::scenarios
