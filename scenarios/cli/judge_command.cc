// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

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

"lease_ns" is the longest lease that any client asks for. Only what has no innocent explanation is a
violation: two holders at once, a release or an extension long after the lease, tokens that do not
grow. Waits and refusals are not judged. Instants come from one clock, or from clocks that differ by
less than a turn takes; the answer counts them from the first line.

Examples:
  interlock judge production.jsonl
  interlock judge traces/mutex.8.jsonl --servers-failed)";

using reports::ExitCode;

struct JudgeSettings {
  std::string file;
  bool servers_failed = false;
  bool renews = false;
};

/// What a log does not tell enough about; empty: nothing.
std::string_view WhatIsNotJudged(const LogEvent& event) {
  if (event.kind == EventKind::kForce) return "forced releases";
  if (event.kind == EventKind::kSetLimit) return "changed limits";
  if (event.kind == EventKind::kCountDown) return "latches";
  const auto* asked = std::get_if<AskDetails>(&event.details);
  return asked != nullptr && asked->beside ? "requests for several resources at once" : "";
}

/// Nothing is taken for granted of a lock but what it says of itself in the log.
OutsideRules RulesOf(const LogFile& log, const JudgeSettings& settings) {
  OutsideRules rules;
  if (log.header.permits > 1) rules.traits.kind = harness::Permits{};
  rules.traits.renews = settings.renews;
  rules.partial = true;
  rules.calm = false;
  rules.servers_answered =
      !settings.servers_failed && std::ranges::none_of(log.events, [](const LogEvent& event) {
        return event.kind == EventKind::kFault;
      });
  return rules;
}

/// A fault concerns every resource.
std::map<int, EventLog> ByResource(const EventLog& events) {
  std::map<int, EventLog> logs;
  EventLog faults;
  for (const LogEvent& event : events) {
    (event.kind == EventKind::kFault ? faults : logs[event.resource]).push_back(event);
  }
  for (auto& [resource, log] : logs) log.insert(log.end(), faults.begin(), faults.end());
  return logs;
}

/// What the log shows of each property, over all resources.
struct Findings {
  PerJudged<std::vector<std::string>> violations;
  PerJudged<std::string> undecided;
  PerJudged<bool> exercised;
};

Findings Judge(const LogFile& log, const OutsideRules& rules) {
  Findings found;
  real::HistoryFrame frame{
      .lease = log.header.lease, .permits = log.header.permits, .clients = log.header.clients};
  for (const LogEvent& event : log.events) frame.end = std::max(frame.end, event.at_latest);
  for (const auto& [resource, events] : ByResource(log.events)) {
    const History history = real::HistoryOf(events, frame);
    const OutsideVerdict verdict = JudgeFromOutside({history, rules, {}});
    for (const Violation& one : verdict.violations) {
      const bool named = log.header.resources > 1;
      found.violations[one.property].push_back(
          named ? fmt::format("{} (resource {})", one.what, resource) : one.what);
    }
    for (const Judged property : kAllJudged) {
      found.exercised[property] = found.exercised[property] || verdict.exercised[property];
      if (found.undecided[property].empty()) {
        found.undecided[property] = verdict.undecided[property];
      }
    }
  }
  found.exercised[Judged::kKeys] = false;  // a log does not show what is left in the servers
  return found;
}

ExitCode Tell(const LogFile& log, const Findings& found) {
  std::string text;
  std::string held;
  ExitCode code = ExitCode::kInconclusive;
  for (const Judged property : kAllJudged) {
    const std::string name = fmt::format("{} {}", Code(property), Slug(property));
    const std::vector<std::string>& violations = found.violations[property];
    if (!violations.empty()) {
      const std::size_t more = violations.size() - 1;
      text += fmt::format("{}: {}{}\n", name, violations.front(),
                          more > 0 ? fmt::format(" (and {} more)", more) : "");
      code = ExitCode::kViolated;
    } else if (!found.undecided[property].empty()) {
      text += fmt::format("undecided: {}: {}\n", name, found.undecided[property]);
    } else if (found.exercised[property]) {
      held += (held.empty() ? "held: " : ", ") + name;
    }
  }
  if (!held.empty() && code == ExitCode::kInconclusive) code = ExitCode::kPass;
  text += held.empty() ? "nothing was put to the test and held\n" : held + "\n";
  const std::string_view word = code == ExitCode::kPass       ? "PASS"
                                : code == ExitCode::kViolated ? "FAIL"
                                                              : "INCONCLUSIVE";
  text += fmt::format("{}  {} events of {} clients\n", word, log.events.size(), log.header.clients);
  return Combine(Print(text), code);
}

ExitCode JudgeLog(const JudgeSettings& settings) {
  const Result<std::string> text = ReadWholeFile(settings.file);
  if (!text.ok()) return Complain(ExitCode::kBadInput, text.status().message());
  const auto wrong = [&](std::string_view what) {
    return Complain(ExitCode::kBadInput, fmt::format("{}: {}", settings.file, what));
  };
  Result<LogFile> log = ReadLog(*text);
  if (!log.ok()) return wrong(log.status().message());
  for (const LogEvent& event : log->events) {
    const std::string_view what = WhatIsNotJudged(event);
    if (!what.empty()) return wrong(fmt::format("{} are not judged from a log", what));
  }
  if (const std::string what = WhatDoesNotFit(*log); !what.empty()) return wrong(what);
  Complete(*log);
  return Tell(*log, Judge(*log, RulesOf(*log, settings)));
}

}  // namespace

void AddJudgeCommand(Command app, Work& work) {
  Command command =
      app.Subcommand("judge", "judge a log of what clients did, of any lock anywhere");
  auto settings = std::make_shared<JudgeSettings>();
  command.Add("LOG", settings->file, "the file").Required();
  command.Flag("--servers-failed", settings->servers_failed,
               "servers or links failed meanwhile: requests may have been executed later");
  command.Flag("--renews", settings->renews, "the lock renews its leases by itself");
  command.Footer(std::string(kJudgeFooter));
  IfChosen(command, work, [settings] { return JudgeLog(*settings); });
}

}  // namespace interlock::scenarios::cli
