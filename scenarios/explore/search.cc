// SPDX-License-Identifier: MIT
#include "scenarios/explore/search.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <thread>
#include <tuple>
#include <utility>

#include "scenarios/guard.h"

namespace interlock::scenarios {
namespace {

/// What a walk has passed by, each with its share of the tree; `weight` becomes that of the walk.
std::vector<Prefix> Siblings(const Walk& walk, std::size_t from, double* weight) {
  std::vector<Prefix> siblings;
  for (std::size_t i = from; i < walk.path().size(); ++i) {
    const int width = walk.widths()[i];
    *weight /= width;
    for (int other = width - 1; other > 0; --other) {
      Prefix prefix{walk.path().substr(0, i), *weight};
      prefix.path.push_back(static_cast<char>(other));
      siblings.push_back(std::move(prefix));
    }
  }
  return siblings;
}

Workload WithFaults(Workload workload, const sim::FaultPlan& faults) {
  for (const sim::Fault& fault : faults) {
    PlannedFault planned;
    planned.kind = fault.kind;
    planned.step = fault.step;
    planned.length = fault.length;
    workload.clients[static_cast<std::size_t>(fault.process)].faults.push_back(planned);
  }
  return workload;
}

auto SizeOf(const MinimalCase& found) {
  return std::tuple(found.faults, found.commands, found.tape.size(), found.tape.lanes);
}

}  // namespace

Search::Search(const ExploreOptions& options, const Bounds& bounds, std::vector<Judged> judged,
               bool stop_at_first)
    : options_(options), judged_(std::move(judged)), stop_at_first_(stop_at_first) {
  explored_.run_case = options.run_case;
  explored_.bounds = bounds;
  explored_.workload = ExploredWorkload(*options.run_case.scenario, bounds);
  explored_.merge = options.merge;
  explored_.symmetry = options.symmetry;
  left_.push_back({});
}

bool Search::Stopped() const {
  if (ended_) return true;
  if (options_.stop != nullptr && *options_.stop) return true;
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
  }
}

void Search::WalkFrom(sim::Universe& universe, const Prefix& prefix) {
  auto source = std::make_unique<Walk>(explored_.bounds, prefix.path);
  Walk& walk = *source;
  ExploredRun probe(explored_, visited_, walk);
  sim::Choices choices = sim::Choices::FromSource(std::move(source));
  const RunResult run =
      RunOnce(universe, explored_.run_case, explored_.workload, choices, false, &probe);
  double weight = prefix.weight;
  std::vector<Prefix> siblings = Siblings(walk, prefix.path.size(), &weight);
  Note(run, probe, weight);
  if (!run.violations.empty()) Consider(universe, run, choices, walk.faults());
  frontier_->Done(std::move(siblings));
}

void Search::Note(const RunResult& run, const ExploredRun& probe, double weight) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ExploreProgress& progress = result_.progress;
  ++progress.runs;
  progress.done += weight;
  for (const Judged property : kAllJudged) {
    if (run.exercised[property]) result_.exercised[property] = true;
  }
  if (probe.end() == ExploredRun::End::kBeyond) ++result_.beyond;
  if (probe.end() == ExploredRun::End::kWhole) {
    ++result_.whole_runs;
    result_.outcomes.insert(probe.outcome());
    if (probe.stop() == sim::StopReason::kTime) {
      result_.inconclusive = "clients had not come to their end when the time was up";
    }
  }
  if (run.inconclusive) result_.inconclusive = *run.inconclusive;
  if (options_.progress && progress.runs % 256 == 0) {
    progress.states = visited_.size();
    options_.progress(progress);
  }
}

// A run that was stopped half-way is judged again to its calm end: only what replays is reported.
void Search::Consider(sim::Universe& universe, const RunResult& run, sim::Choices& choices,
                      int faults) {
  const bool any = std::any_of(judged_.begin(), judged_.end(),
                               [&run](Judged one) { return run.Find(one) != nullptr; });
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
  ExploredCase audited = explored_;
  audited.audit = true;
  sim::Universe universe;
  for (std::uint64_t i = 0; i < paths && !Stopped(); ++i) {
    auto source = std::make_unique<Walk>(explored_.bounds, std::string_view());
    Walk& walk = *source;
    walk.Wander(i + 1);
    ExploredRun probe(audited, visited_, walk);
    sim::Choices choices = sim::Choices::FromSource(std::move(source));
    const RunResult run =
        RunOnce(universe, explored_.run_case, explored_.workload, choices, false, &probe);
    result_.divergences += probe.strange();
    const bool whole = probe.end() == ExploredRun::End::kWhole;
    if (whole && result_.outcomes.count(probe.outcome()) == 0) ++result_.divergences;
  }
}

Search::Saved Search::Save() const { return {visited_.All(), left_, result_}; }

void Search::Restore(Saved saved) {
  for (const sim::Digest& state : saved.visited) visited_.Insert(state);
  left_ = std::move(saved.left);
  result_ = std::move(saved.result);
}

}  // namespace interlock::scenarios
