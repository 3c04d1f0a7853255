// SPDX-License-Identifier: MIT
#include "scenarios/search/isolated.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "reports/json_writer.h"
#include "scenarios/cases/generators.h"
#include "scenarios/cases/replay_token.h"
#include "scenarios/judge/property.h"
#include "scenarios/log/words.h"
#include "scenarios/search/shards.h"

namespace interlock::scenarios {
namespace {

using reports::Task;

/// A refusal is our own bug, or comes from a program that is not the same when started again.
std::string Unanswered(const WorkerAnswer& answer) {
  return fmt::format("the process that runs the lock says: {}", answer.refused);
}

Workload WorkloadOf(const Unit& unit, std::uint64_t seed) {
  return Generator(*unit.scenario, ExtrasOf(unit.entry->subject->traits())).Draw(seed);
}

reports::WorkRequest RequestOf(const CampaignOptions& options, const Unit& unit, Task task) {
  reports::WorkRequest request;
  request.task = task;
  request.lock = unit.entry->subject->name();
  request.scenario = unit.scenario->name;
  request.synchrony = unit.synchrony;
  request.seed = options.seed;
  if (options.strategy) request.strategy = ToString(*options.strategy);
  return request;
}

/// The worker, started anew if there is none or it has ended.
Result<WorkerProcess*> Running(std::unique_ptr<WorkerProcess>& worker) {
  if (worker == nullptr || !worker->alive()) {
    worker = nullptr;
    auto started = WorkerProcess::Start();
    if (!started.ok()) return started.status();
    worker = *std::move(started);
  }
  return worker.get();
}

}  // namespace

bool IsolatedRunner::Isolates(const Entry& entry) {
  if (!entry.foreign || !options_.isolate || unavailable_) return false;
  unavailable_ = !Running(worker_).ok();
  return !unavailable_;
}

WorkerAnswer IsolatedRunner::Ask(const reports::WorkRequest& request) {
  const auto worker = Running(worker_);
  if (!worker.ok()) return {std::nullopt, std::string(worker.status().message()), {}};
  return (*worker)->Ask(request, options_.patience, options_.stop);
}

reports::WorkRequest IsolatedRunner::RequestFor(const Found& found, Task task) const {
  reports::WorkRequest request = RequestOf(options_, found.unit, task);
  request.property = Slug(found.property);
  request.candidates = found.candidates;
  return request;
}

UnitResult IsolatedRunner::RunBlock(const Unit& unit, std::uint64_t first, std::uint64_t count) {
  if (!Isolates(*unit.entry)) return here_.RunBlock(unit, first, count);
  reports::WorkRequest request = RequestOf(options_, unit, Task::kBlock);
  request.first = first;
  request.count = count;
  if (unit.entry->subject->traits().posix) {
    if (compiled_runs_ >= kCompiledRuns) worker_ = nullptr;
    compiled_runs_ = worker_ == nullptr ? count : compiled_runs_ + count;
  }
  const WorkerAnswer answer = Ask(request);
  if (answer.body) {
    const auto block = reports::ReadBlock(*answer.body);
    if (block.value) return FromShardBlock(*block.value);
  }
  UnitResult result;
  if (answer.end) {
    const std::uint64_t last = count == 0 ? first : first + count - 1;
    const std::uint64_t at = std::clamp(answer.end->last.index, first, last);
    if (at > first) result = RunBlock(unit, first, at - first);
    if (!result.crash && result.runs == at - first) {
      result.crash = LockCrash{at, answer.end->what, answer.end->hung, ""};
    }
  } else if (answer.body || !answer.refused.empty()) {
    result.inconclusive = count;
    result.first_inconclusive = Unanswered(answer);
  }
  return result;
}

ExplorationSum IsolatedRunner::Explore(const LockExploration& exploration) {
  if (!Isolates(*exploration.entry)) return scenarios::Explore(exploration, options_.stop);
  const RunCase& run_case = exploration.options.run_case;
  const WorkerAnswer answer = Ask(RequestOf(
      options_, {exploration.entry, run_case.scenario, run_case.synchrony}, Task::kExploration));
  ExplorationSum sum;
  if (answer.body) {
    auto read = reports::ReadExploration(*answer.body);
    if (read.value) return FromShardExploration(*read.value);
  }
  if (answer.end) {
    sum.crash = LockCrash{0, answer.end->what, answer.end->hung, answer.end->last.token};
  } else if (answer.body || !answer.refused.empty()) {
    sum.inconclusive = Unanswered(answer);
  }
  return sum;
}

bool IsolatedRunner::TakeSmallCase(const reports::WorkRequest& request, Found& found) {
  const WorkerAnswer answer = Ask(request);
  if (!answer.body) return false;
  const auto read = reports::ReadSmallCase(*answer.body);
  if (!read.value) return false;
  const auto original = PackedRunIn(read.value->original);
  if (!original) return false;
  // A case that was not shrunk keeps the token of its seed, which holds no workload.
  const PackedRun small = PackedRunIn(read.value->token).value_or(*original);
  found.token = read.value->token;
  found.original = original->workload;
  found.original_tape = original->tape;
  found.workload = small.workload;
  found.tape = small.tape;
  found.shrinks = static_cast<int>(read.value->shrinks);
  found.shrink_time = std::chrono::milliseconds(read.value->ms);
  return true;
}

void IsolatedRunner::Shrink(Found& found, int budget) {
  if (!Isolates(*found.unit.entry)) return here_.Shrink(found, budget);
  if (found.property == Judged::kCrash) return TakeCrashAsFound(found);
  reports::WorkRequest request = RequestFor(found, Task::kShrink);
  request.budget = static_cast<std::uint64_t>(budget);
  if (!TakeSmallCase(request, found)) TakeAsFound(found);
}

void IsolatedRunner::TakeAsFound(Found& found) {
  if (!Isolates(*found.unit.entry)) return here_.TakeAsFound(found);
  if (found.property == Judged::kCrash) return TakeCrashAsFound(found);
  if (!TakeSmallCase(RequestFor(found, Task::kTake), found)) TakeCrashAsFound(found);
}

/// Does not run the case: its draws are left out, while its token and workload are known anyway.
void IsolatedRunner::TakeCrashAsFound(Found& found) {
  const Unit& unit = found.unit;
  const std::uint64_t seed = RunSeed(options_.seed, *unit.scenario, unit.synchrony,
                                     found.candidates.front(), options_.strategy);
  found.token = TokenOf(unit, seed);
  found.original = found.workload = WorkloadOf(unit, seed);
}

std::optional<WorkerEnd> IsolatedRunner::EndOf(const Unit& unit, const std::string& token,
                                               bool keep_events) {
  worker_ = nullptr;
  reports::WorkRequest request = RequestOf(options_, unit, Task::kRun);
  request.token = token;
  request.keep_events = keep_events;
  return Ask(request).end;
}

reports::Counterexample IsolatedRunner::Explain(const Found& found, std::string_view program,
                                                Effort effort) {
  if (!Isolates(*found.unit.entry)) {
    return scenarios::Explain(found, program, effort, options_.stop).counterexample;
  }
  if (found.property == Judged::kCrash) return ExplainCrash(found, program);
  reports::WorkRequest request = RequestFor(found, Task::kExplain);
  request.token = TokenOf(found.unit, PackedRun{found.workload, found.tape});
  request.original = TokenOf(found.unit, PackedRun{found.original, found.original_tape});
  request.program = program;
  for (const bool thorough : {true, false}) {
    if (thorough && effort == Effort::kShow) continue;
    request.thorough = thorough;
    const WorkerAnswer answer = Ask(request);
    if (!answer.body) continue;
    auto read = reports::ReadCounterexample(*answer.body);
    if (!read.value) continue;
    // Adds what a single run cannot know.
    reports::Counterexample& told = *read.value;
    CompleteCounterexample(found, program, told);
    return std::move(told);
  }
  RunResult unknown;
  return ExplainPartly(found, unknown, "the run did not come to its end when it was made again",
                       program);
}

reports::Counterexample IsolatedRunner::ExplainCrash(const Found& found, std::string_view program) {
  const auto end = EndOf(found.unit, found.token, true);
  RunResult known;
  if (!end) {
    return ExplainPartly(found, known,
                         "the lock took its process down, but not when this run was made alone: "
                         "state that runs share?",
                         program);
  }
  return ExplainEnd(found, *end, program);
}

reports::Counterexample ExplainEnd(const Found& found, const WorkerEnd& end,
                                   std::string_view program) {
  RunResult known;
  known.events = end.last.events;
  Found drawn = found;
  drawn.tape = drawn.original_tape = end.last.tape;
  const std::string who =
      end.last.process < 0 ? "the lock" : ClientName(end.last.process) + "'s lock";
  return ExplainPartly(drawn, known, fmt::format("{} {}", who, end.what), program,
                       end.last.process);
}

Result<std::uint64_t> SecondProcess::HashOf(const Unit& unit, std::uint64_t runs) {
  const auto unavailable = [](std::string why) {
    return Status(StatusCode::kUnavailable, std::move(why));
  };
  const auto worker = Running(worker_);
  if (!worker.ok()) return worker.status();
  reports::WorkRequest request = RequestOf(options_, unit, Task::kBlock);
  request.count = runs;
  const WorkerAnswer answer = (*worker)->Ask(request, options_.patience, options_.stop);
  if (answer.end) return unavailable("the second process: the lock " + answer.end->what);
  if (!answer.body) return unavailable("the second process: " + answer.refused);
  const auto block = reports::ReadBlock(*answer.body);
  if (!block.value) return unavailable("the second process: " + block.error);
  return block.value->hash;
}

}  // namespace interlock::scenarios
