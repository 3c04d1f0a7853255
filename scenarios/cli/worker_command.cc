// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "reports/json_writer.h"
#include "reports/work_request.h"
#include "scenarios/cli/commands.h"
#include "scenarios/cli/output.h"
#include "scenarios/cli/replay_case.h"
#include "scenarios/judge/property.h"
#include "scenarios/run/black_box.h"
#include "scenarios/run/forks.h"
#include "scenarios/run/guard.h"
#include "scenarios/search/shards.h"
#include "scenarios/search/to_report.h"
#include "scenarios/search/unit_runner.h"
#include "scenarios/search/worker_process.h"

namespace interlock::scenarios::cli {
namespace {

using reports::Task;
using reports::WorkRequest;

/// The parent ends this process when a run takes too long; this is for when there is none left.
constexpr std::chrono::hours kPatienceOfOrphans{1};

/// What a request names.
struct Order {
  Unit unit;
  CampaignOptions options;
};

Found FoundFrom(const WorkRequest& request, const Order& order) {
  Found found;
  found.unit = order.unit;
  found.candidates = request.candidates;
  found.property = JudgedFromSlug(request.property).value_or(found.property);
  return found;
}

std::string MakeSmall(const WorkRequest& request, const Order& order) {
  Found found = FoundFrom(request, order);
  if (found.candidates.empty()) return FramedAnswer("there is no run to minimise", true);
  UnitRunner runner(order.options);
  if (request.task == Task::kTake) {
    runner.TakeAsFound(found);
  } else {
    runner.Shrink(found, static_cast<int>(request.budget));
  }
  reports::SmallCase answer;
  answer.token = found.token;
  answer.original = TokenOf(found.unit, PackedRun{found.original, found.original_tape});
  answer.shrinks = static_cast<std::uint64_t>(found.shrinks);
  answer.ms = static_cast<std::uint64_t>(found.shrink_time.count());
  return FramedAnswer(ToLine(answer), false);
}

std::string RunExploration(const Order& order) {
  CampaignOptions options = order.options;
  options.explore = true;
  options.entries = {*order.unit.entry};
  options.scenarios = {order.unit.scenario};
  const auto explorations = ExplorationsOf(options);
  if (explorations.empty()) return FramedAnswer("there is no such exploration", true);
  const ExplorationSum sum = Explore(explorations.front(), nullptr);
  return FramedAnswer(ToLine(ToShardExploration(explorations.front(), sum)), false);
}

std::string ExplainCase(const WorkRequest& request, const Order& order, const Registry& registry) {
  const auto small = ReplayCaseOf(request.token, registry);
  const auto original = ReplayCaseOf(request.original, registry);
  if (!small.ok()) return FramedAnswer(small.status().message(), true);
  if (!original.ok()) return FramedAnswer(original.status().message(), true);
  Found found = FoundFrom(request, order);
  found.token = request.token;
  found.workload = small->workload;
  found.original = original->workload;
  if (const auto* run = std::get_if<PackedRun>(&small->token.run)) found.tape = run->tape;
  if (const auto* run = std::get_if<PackedRun>(&original->token.run)) {
    found.original_tape = run->tape;
  }
  const Effort effort = request.thorough ? Effort::kTry : Effort::kShow;
  return FramedAnswer(ToJson(Explain(found, request.program, effort).counterexample), false);
}

std::string RunToken(const WorkRequest& request, const Order& order, const Registry& registry) {
  const auto replayed = ReplayCaseOf(request.token, registry);
  if (!replayed.ok()) return FramedAnswer(replayed.status().message(), true);
  sim::Universe universe;
  UnitResult sum;
  AddRun(replayed->Run(universe, request.keep_events), 0, sum);
  return FramedAnswer(ToLine(ToShardBlock(order.unit, 0, sum)), false);
}

std::string Answer(const std::string& line, const Registry& registry, BlackBox& box) {
  const auto read = reports::ReadWorkRequest(line);
  if (!read.value) return FramedAnswer(read.error, true);
  const WorkRequest& request = *read.value;
  Order order;
  order.unit.entry = registry.Find(request.lock);
  order.unit.scenario = FindScenario(request.scenario);
  order.unit.synchrony = request.synchrony;
  if (order.unit.entry == nullptr || order.unit.scenario == nullptr) {
    return FramedAnswer("there is no such lock or scenario", true);
  }
  order.options.seed = request.seed;
  order.options.strategy = FindStrategy(request.strategy);
  // Runs of a block are identified by their indices; noting each one's workload would cost time.
  box.Describe(request.task != Task::kBlock);
  box.NoteIndex(request.first);
  box.Beat();
  switch (request.task) {
    case Task::kBlock: {
      UnitRunner runner(order.options);
      const UnitResult sum = runner.RunBlock(order.unit, request.first, request.count);
      return FramedAnswer(ToLine(ToShardBlock(order.unit, request.first, sum)), false);
    }
    case Task::kExploration:
      return RunExploration(order);
    case Task::kShrink:
    case Task::kTake:
      return MakeSmall(request, order);
    case Task::kExplain:
      return ExplainCase(request, order, registry);
    case Task::kRun:
      return RunToken(request, order, registry);
  }
  return FramedAnswer("there is no such task", true);
}

reports::ExitCode ServeRequests(const Registry& registry) {
  BlackBox* const box = BlackBox::OpenForThisProcess(kWorkerBox);
  std::FILE* const requests = box == nullptr ? nullptr : fdopen(kWorkerRequests, "r");
  if (requests == nullptr) {
    return Complain(reports::ExitCode::kUsage, "worker: it is started by this program itself");
  }
  // Close these in processes started by a lock: descendants must not keep them open.
  for (const int fd : {kWorkerRequests, kWorkerAnswers, kWorkerBox}) fcntl(fd, F_SETFD, FD_CLOEXEC);
  // Ctrl-C reaches all of a terminal's processes; the parent ends this one then.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  InstallGuard({.patience = kPatienceOfOrphans, .program = registry.program()});
  const GuardedThread guarded;
  EndWithStarter();
  LimitMemory();
  if (!SendAll(kWorkerAnswers, kWorkerGreeting)) return reports::ExitCode::kPass;
  char* line = nullptr;
  std::size_t room = 0;
  while (true) {
    const ssize_t size = getline(&line, &room, requests);
    if (size <= 0 ||
        !SendAll(kWorkerAnswers,
                 Answer(std::string(line, static_cast<std::size_t>(size)), registry, *box)))
      break;
  }
  std::free(line);
  return reports::ExitCode::kPass;
}

}  // namespace

void AddWorkerCommand(Command app, const Registry& registry, Work& work) {
  Command command = app.Subcommand("worker", "");
  command.Hide();
  IfChosen(command, work, [&registry] { return ServeRequests(registry); });
}

}  // namespace interlock::scenarios::cli
