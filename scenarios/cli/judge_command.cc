// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "scenarios/cli/commands.h"
#include "scenarios/cli/output.h"
#include "scenarios/cli/values.h"
#include "scenarios/judge/outside.h"
#include "scenarios/judge/property.h"
#include "scenarios/log/log_file.h"
#include "scenarios/log/log_order.h"
#include "scenarios/run/processes/real_history.h"

namespace interlock::scenarios::cli {
namespace {

constexpr std::string_view kJudgeFooter = R"(
The log is in the format interlock.log/1 (reports/schema/log.schema.json): one JSON object on each
line, which your own clients can write, too. The first line says what was logged, each other one
what a client did, or was told. A client writes an instant before it calls, and after it was told;
what returns may give both: [earliest, latest].

  {"log":"interlock.log/1","lock":"jobs","lease_ns":30000000000,"permits":1,"clients":2}
  {"at_ns":1000,"event":"ask","client":0}
  {"at_ns":[1000,2500],"event":"granted","client":0,"token":"x1","valid_until_ns":30000001000}

Only what has no innocent explanation is a violation. Of a lock that this program does not know,
waits are not judged.

Examples:
  interlock judge production.jsonl
  interlock judge traces/mutex.8.jsonl --servers-failed)";

using reports::ExitCode;

struct JudgeSettings {
  std::string file;
  bool servers_failed = false;
  bool renews = false;
};

bool IsFault(const LogEvent& event) {
  return event.kind == EventKind::kFault || event.kind == EventKind::kDied ||
         event.kind == EventKind::kStops;
}

/// What a log does not tell enough about; empty: nothing.
std::string_view WhatIsNotJudged(const LogEvent& event) {
  if (event.kind == EventKind::kForce) return "forced releases";
  if (event.kind == EventKind::kSetLimit) return "changed limits";
  const auto* asked = std::get_if<AskDetails>(&event.details);
  return asked != nullptr && asked->beside ? "requests for several resources at once" : "";
}

OutsideRules RulesOf(const LogFile& log, const JudgeSettings& settings, const Registry& registry) {
  const LogHeader& header = log.header;
  harness::LockOptions options;
  options.resource = "r";
  options.permits = header.permits;
  options.lease = std::chrono::duration_cast<std::chrono::milliseconds>(header.lease);
  OutsideRules rules;
  if (const Entry* known = registry.Find(header.lock)) {
    rules = RulesFor(*known->subject, options);
  } else {
    rules.traits.semaphore = header.permits > 1;
    rules.traits.waits = false;
    // Nobody has said within what time it hands over.
    rules.wake_up_bound = std::chrono::hours(24);
  }
  rules.traits.renews = rules.traits.renews || settings.renews;
  const auto& events = log.events;
  rules.calm = std::ranges::none_of(events, IsFault);
  rules.servers_answered =
      !settings.servers_failed && std::ranges::none_of(events, [](const LogEvent& event) {
        return event.kind == EventKind::kFault;
      });
  return rules;
}

std::set<int> ResourcesOf(const LogFile& log) {
  std::set<int> resources;
  for (const LogEvent& event : log.events) resources.insert(event.resource);
  return resources;
}

History HistoryOfResource(const LogFile& log, int resource) {
  EventLog its_own;
  VirtualTime end{};
  for (const LogEvent& event : log.events) {
    end = std::max(end, event.at_latest);
    const bool concerns = event.resource == resource || event.kind == EventKind::kFault;
    if (concerns) its_own.push_back(event);
  }
  return real::HistoryOf(its_own, {.end = end,
                                   .lease = log.header.lease,
                                   .permits = log.header.permits,
                                   .clients = log.header.clients});
}

/// One line for each violation, and one for what was judged.
std::string Describe(const LogFile& log, const OutsideRules& rules, bool& violated) {
  std::string text;
  PerJudged<bool> exercised;
  PerJudged<bool> broken;
  for (const int resource : ResourcesOf(log)) {
    const History history = HistoryOfResource(log, resource);
    const OutsideVerdict verdict = JudgeFromOutside({history, rules, {}});
    for (const Violation& one : verdict.violations) {
      broken[one.property] = true;
      text += fmt::format("{} {}: {}{}\n", Code(one.property), Slug(one.property), one.what,
                          log.header.resources > 1 ? fmt::format(" (resource {})", resource) : "");
    }
    for (const Judged property : kAllJudged) {
      exercised[property] = exercised[property] || verdict.exercised[property];
    }
  }
  exercised[Judged::kKeys] = false;  // a log does not show what is left in the servers
  std::string held;
  for (const Judged property : kAllJudged) {
    violated = violated || broken[property];
    if (broken[property] || !exercised[property]) continue;
    held += fmt::format("{}{} {}", held.empty() ? "" : ", ", Code(property), Slug(property));
  }
  text += held.empty() ? "nothing was put to the test\n" : fmt::format("held: {}\n", held);
  return text + fmt::format("{}  {} events of {} clients\n", violated ? "FAIL" : "PASS",
                            log.events.size(), log.header.clients);
}

ExitCode JudgeLog(const JudgeSettings& settings, const Registry& registry) {
  const Result<std::string> text = ReadWholeFile(settings.file);
  if (!text.ok()) return Complain(ExitCode::kBadInput, text.status().message());
  const auto wrong = [&](std::string_view what) {
    return Complain(ExitCode::kBadInput, fmt::format("{}: {}", settings.file, what));
  };
  const Result<LogFile> log = ReadLog(*text);
  if (!log.ok()) return wrong(log.status().message());
  if (const std::string what = WhatDoesNotFit(*log); !what.empty()) return wrong(what);
  if (log->header.lease <= Duration{}) return wrong("line 1: lease_ns must be 1 or more");
  const OutsideRules rules = RulesOf(*log, settings, registry);
  if (rules.traits.latch) return wrong("a latch is not judged from a log");
  for (const LogEvent& event : log->events) {
    const std::string_view what = WhatIsNotJudged(event);
    if (!what.empty()) return wrong(fmt::format("{} are not judged from a log", what));
  }
  bool violated = false;
  const std::string found = Describe(*log, rules, violated);
  return Combine(Print(found), violated ? ExitCode::kViolated : ExitCode::kPass);
}

}  // namespace

void AddJudgeCommand(Command app, const Registry& registry, Work& work) {
  Command command =
      app.Subcommand("judge", "judge a log of what clients did, of any lock anywhere");
  auto settings = std::make_shared<JudgeSettings>();
  command.Add("LOG", settings->file, "the file").Required();
  command.Flag("--servers-failed", settings->servers_failed,
               "servers or links failed meanwhile: requests may have been executed later");
  command.Flag("--renews", settings->renews, "the lock renews its leases by itself");
  command.Footer(std::string(kJudgeFooter));
  command.OnParsed([settings, &registry, &work] {
    work = [settings, &registry] { return JudgeLog(*settings, registry); };
  });
}

}  // namespace interlock::scenarios::cli
