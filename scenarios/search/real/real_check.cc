// SPDX-License-Identifier: MIT
#include "scenarios/search/real/real_check.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <interlock/thread_runtime.h>

#include "scenarios/run/processes/real_plan.h"
#include "scenarios/search/real/lanes.h"
#include "scenarios/search/real/real_campaign.h"
#include "scenarios/search/rows.h"
#include "sim/machine/admin.h"
#include "sim/machine/redis_server.h"

namespace interlock::scenarios {
namespace {

using std::chrono::milliseconds;

std::string RandomPrefix(Runtime& runtime) {
  std::array<std::byte, 16> bytes{};
  runtime.FillRandom(bytes);
  std::string prefix = "interlock:check:";
  for (const std::byte byte : bytes) prefix += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return prefix + ":";
}

/// Returns kInvalidArgument if no lock meets a scenario that it can run.
Status CheckSelection(const RealCheckOptions& options, bool own) {
  for (const Entry& entry : options.entries) {
    if ((entry.specimen && !own) || entry.subject->traits().posix) continue;
    for (const Scenario* scenario : options.scenarios) {
      if (real::WhyNotHere(*scenario, own).empty() && Applies(*scenario, entry.subject->traits())) {
        return Status();
      }
    }
  }
  return Status(
      StatusCode::kInvalidArgument,
      "nothing to run on a real Redis: specimens, and scenarios that need more than clients "
      "that die, want servers of one's own (--redis spawn); locks that call the C library are "
      "judged in simulation");
}

void NoteWhatIsLeftOut(const RealCheckOptions& options, bool own, reports::RunReport& report) {
  std::map<std::string_view, std::string> by_reason;
  for (const Scenario* scenario : options.scenarios) {
    const std::string_view why = real::WhyNotHere(*scenario, own);
    if (why.empty()) continue;
    std::string& names = by_reason[why];
    names += fmt::format("{}{}", names.empty() ? "" : ", ", scenario->name);
  }
  for (const auto& [why, names] : by_reason) {
    report.notes.push_back(fmt::format("scenarios that are left out ({}): {}", why, names));
  }
  for (const Entry& entry : options.entries) {
    if (!entry.subject->traits().posix) continue;
    report.notes.push_back(
        fmt::format("{} is left out: it asks a server called redis, which only simulated ones are",
                    entry.subject->name()));
  }
}

void NotePlans(const RealCheckOptions& options, reports::RunReport& report) {
  for (const Scenario* scenario : options.scenarios) {
    const bool ran = std::ranges::any_of(report.results, [&](const reports::ResultRow& row) {
      return row.scenario == scenario->name && row.runs > 0;
    });
    if (!ran) continue;
    const auto plans = real::PlansFor(*scenario, real::SeedsOf(*scenario, options.seed), false);
    if (plans.empty()) continue;
    const auto [least, most] = std::minmax_element(
        plans.begin(), plans.end(), [](const real::RealPlan& a, const real::RealPlan& b) {
          return a.workload.lease < b.workload.lease;
        });
    const auto in_ms = [](const real::RealPlan& plan) {
      return std::chrono::duration_cast<milliseconds>(plan.workload.lease).count();
    };
    const std::string leases =
        in_ms(*least) == in_ms(*most)
            ? fmt::format("a lease of {} ms", in_ms(*least))
            : fmt::format("leases of {} to {} ms", in_ms(*least), in_ms(*most));
    report.notes.push_back(
        fmt::format("{}: {} workload{} for each lock; all times of one scaled together, to {} (the "
                    "first from {} ms)",
                    scenario->name, plans.size(), plans.size() == 1 ? "" : "s", leases,
                    plans.front().original_lease.count()));
  }
}

/// The position of a row in the report.
std::size_t PlaceOf(const reports::ResultRow& row, const RealCheckOptions& options) {
  std::size_t place = 0;
  for (const Entry& entry : options.entries) {
    for (const Scenario* scenario : options.scenarios) {
      if (row.lock == entry.subject->name() && row.scenario == scenario->name) return place;
      ++place;
    }
  }
  return place;
}

void Add(reports::RunReport part, reports::RunReport& whole) {
  whole.totals.runs += part.totals.runs;
  whole.totals.runs_with_faults += part.totals.runs_with_faults;
  whole.totals.commands += part.totals.commands;
  whole.totals.wall_time = std::max(whole.totals.wall_time, part.totals.wall_time);
  std::move(part.results.begin(), part.results.end(), std::back_inserter(whole.results));
  for (reports::GoalCount& goal : part.goals) {
    const auto known = std::ranges::find_if(
        whole.goals, [&](const reports::GoalCount& other) { return other.name == goal.name; });
    if (known != whole.goals.end()) {
      known->count += goal.count;
    } else {
      whole.goals.push_back(std::move(goal));
    }
  }
  for (std::string& note : part.notes) {
    const bool known = std::find(whole.notes.begin(), whole.notes.end(), note) != whole.notes.end();
    if (!known) whole.notes.push_back(std::move(note));
  }
  if (part.status == reports::RunStatus::kPartial) whole.status = part.status;
}

void NoteSpecimens(reports::RunReport& report) {
  std::size_t convicted = 0;
  std::size_t all = 0;
  for (const reports::ResultRow& row : report.results) {
    if (row.kind != reports::LockKind::kSpecimen) continue;
    ++all;
    convicted += row.verdict == reports::Verdict::kViolated ? 1 : 0;
  }
  if (all == 0) return;
  report.notes.push_back(fmt::format("specimens: {} of {} convictions came about", convicted, all));
}

void Conclude(const RealCheckOptions& options, reports::RunReport& report) {
  std::ranges::stable_sort(report.results,
                           [&](const reports::ResultRow& a, const reports::ResultRow& b) {
                             return PlaceOf(a, options) < PlaceOf(b, options);
                           });
  std::ranges::stable_sort(report.goals,
                           [](const reports::GoalCount& a, const reports::GoalCount& b) {
                             return a.name.starts_with("fault ") < b.name.starts_with("fault ");
                           });
  NoteSpecimens(report);
  DecideRows(report.results);
  report.notes.emplace_back(
      "schedules are the machine's own: a run cannot be replayed, and what could not be decided "
      "is not a violation");
}

Result<reports::RunReport> OnServersOfOnesOwn(const RealCheckOptions& options,
                                              const std::string& prefix) {
  const auto work = [&](std::size_t index, const std::atomic<bool>& stop) {
    ThreadRuntime runtime;
    RealCheckOptions own = options;
    own.stop = &stop;
    return real::RunShare(runtime, own,
                          {.index = index,
                           .total = static_cast<std::size_t>(options.jobs),
                           .own = true,
                           .redis = {},
                           .prefix = fmt::format("{}{}:", prefix, index)});
  };
  auto parts = real::RunInLanes(static_cast<std::size_t>(options.jobs), work, options.stop);
  if (!parts.ok()) return parts.status();
  reports::RunReport report;
  report.backend = "redis-servers of its own";
  for (reports::RunReport& part : *parts) Add(std::move(part), report);
  return report;
}

Result<reports::RunReport> OnAnothersServer(const RealCheckOptions& options,
                                            const std::string& prefix) {
  Result<HiredisOptions> redis = sim::machine::ParseTarget(options.url, options.allow_remote);
  if (!redis.ok()) return redis.status();
  ThreadRuntime runtime;
  if (Status s = sim::machine::CheckServer(runtime, *redis, prefix); !s.ok()) return s;
  RealCheckOptions sound = options;
  std::erase_if(sound.entries, [](const Entry& entry) { return entry.specimen; });
  auto report = real::RunShare(
      runtime, sound, {.index = 0, .total = 1, .own = false, .redis = *redis, .prefix = prefix});
  if (!report.ok()) return report;
  if (auto connector = MakeHiredisConnector(runtime, *redis); connector.ok()) {
    report->backend = (*connector)->endpoint();
  }
  if (sound.entries.size() < options.entries.size()) {
    report->notes.emplace_back("specimens are left out: they are for servers of one's own");
  }
  return report;
}

}  // namespace

Result<reports::RunReport> RunRealCheck(const RealCheckOptions& options) {
  const bool own = options.url == "spawn";
  if (Status s = CheckSelection(options, own); !s.ok()) return s;
  ThreadRuntime runtime;
  const std::string prefix = RandomPrefix(runtime);
  if (own) {  // otherwise every single run would report the missing program
    if (auto server = sim::machine::RedisServer::Start(); !server.ok()) return server.status();
  }
  auto report = own ? OnServersOfOnesOwn(options, prefix) : OnAnothersServer(options, prefix);
  if (!report.ok()) return report;
  report->seed = options.seed;
  std::vector<std::string> seen = std::exchange(report->notes, {});
  NoteWhatIsLeftOut(options, own, *report);
  NotePlans(options, *report);
  std::move(seen.begin(), seen.end(), std::back_inserter(report->notes));
  Conclude(options, *report);
  return report;
}

}  // namespace interlock::scenarios
