// SPDX-License-Identifier: MIT
#include "scenarios/search/audit/audit.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "scenarios/search/audit/installation.h"
#include "scenarios/search/foreign/confirmation.h"
#include "scenarios/search/foreign/drive_campaign.h"
#include "scenarios/search/foreign/real_replay.h"

namespace interlock::scenarios::audit {

using reports::ExitCode;

namespace {

constexpr std::uint64_t kReplays = 5;
constexpr auto kConfirmation = std::chrono::minutes(2);
/// A case that waits for longer leases is not replayed on real servers, whose time cannot jump.
constexpr auto kLongestOnServer = std::chrono::seconds(70);

/// A campaign repeats its cases only as often as its time allows; a finding needs all five.
Status ReplayWhatIsNot(const std::atomic<bool>& stop, reports::Counterexample& one) {
  if (one.total_runs >= kReplays || stop) return Status();
  auto read = drive::ReadCase(one.program);
  if (!read.ok()) return read.status();
  drive::DriveFound found{.one = *std::move(read), .run = {}};
  found.one.options.stop = &stop;
  found.run.findings.push_back({one.property, one.sentence});
  drive::DriveSum sum;
  if (Status done = drive::Repeat(kReplays, stop, found, sum); !done.ok()) return done;
  one.total_runs = found.repeated;
  one.violating_runs = found.again;
  return Status();
}

/// The case on each of the real servers.
std::vector<OnServer> ReplayOnServers(const std::string& folder, const reports::Counterexample& one,
                                      const AuditOptions& options) {
  std::vector<OnServer> all;
  for (const std::string& server : options.servers) {
    if (*options.stop) break;
    const std::string what = fmt::format("{}, {} on {}", folder, one.property, server);
    const auto replay = drive::ReplayOnRealServer(
        one, {.redis = server,
              .times = kReplays,
              .longest = kLongestOnServer,
              .stop = options.stop,
              .progress = [&](auto done, auto of) { options.progress(what, done, of); }});
    OnServer& on = all.emplace_back();
    on.server = server == "spawn" ? "a redis-server of its own" : server;
    if (!replay.ok()) {
      on.why_not = replay.status().message();
      continue;
    }
    if (!replay->server.empty()) on.server = replay->server;
    on.tries = replay->tries;
    on.reproduced = replay->reproduced;
    on.why_not = replay->impossible.empty() ? replay->difference : replay->impossible;
  }
  return all;
}

}  // namespace

std::string WhyNotClaimed(const reports::Counterexample& one, const std::vector<OnServer>& on) {
  const std::uint64_t commands = one.shrunk.now.operations;
  if (commands > kMostCommandsOfACase) {
    return fmt::format("its case has {} commands, more than {}", commands, kMostCommandsOfACase);
  }
  if (one.total_runs < kReplays) return "it was not replayed five times";
  if (one.violating_runs < one.total_runs) {
    return fmt::format("only {} of {} replays repeat it", one.violating_runs, one.total_runs);
  }
  const bool shown = std::ranges::any_of(on, [](const OnServer& s) { return s.reproduced > 0; });
  return shown ? "" : "no real server has shown it";
}

const KnownBreak* FindBreak(const Library& library, const std::string& property) {
  const auto found = std::ranges::find(library.breaks, property, &KnownBreak::property);
  return found == library.breaks.end() ? nullptr : &*found;
}

Audited Audit(const Library& library, const AuditOptions& options) {
  Audited one{.library = library};
  const auto command =
      Install(library, fmt::format("{}/work/{}", options.out, library.folder), *options.stop);
  if (!command.ok()) {
    one.not_audited = fmt::format("not installed: {}", command.status().message());
    return one;
  }
  drive::CampaignOptions campaign;
  campaign.drive = library.drive;
  campaign.drive.command = *command;
  campaign.drive.stop = options.stop;
  campaign.runs = options.runs.value_or(library.runs);
  campaign.seed = options.seed;
  campaign.progress = [&](auto done, auto of) { options.progress(library.folder, done, of); };
  campaign.confirmation = kConfirmation;
  auto result = drive::RunCampaign(campaign);
  if (!result.ok()) {
    one.not_audited = fmt::format("not driven: {}", result.status().message());
    return one;
  }
  one.report = std::move(result->report);
  one.cases = std::move(result->counterexamples);
  for (reports::Counterexample& example : one.cases) {
    if (const Status replayed = ReplayWhatIsNot(*options.stop, example); !replayed.ok()) {
      one.not_audited = fmt::format("not replayed: {}", replayed.message());
    }
    one.on_servers.push_back(ReplayOnServers(library.folder, example, options));
  }
  return one;
}

ExitCode ExitCodeOf(const Audited& one) {
  if (!one.not_audited.empty()) return ExitCode::kInconclusive;
  ExitCode code = one.report.status == reports::RunStatus::kPartial || one.report.results.empty()
                      ? ExitCode::kInconclusive
                      : ExitCode::kPass;
  for (const reports::ResultRow& row : one.report.results) {
    const bool known = FindBreak(one.library, row.property) != nullptr;
    if (row.verdict == reports::Verdict::kViolated && !known) {
      code = Combine(code, ExitCode::kViolated);
    }
    if (row.verdict == reports::Verdict::kInconclusive) {
      code = Combine(code, ExitCode::kInconclusive);
    }
  }
  const bool shown = std::ranges::any_of(one.library.breaks, [&](const KnownBreak& known) {
    return std::ranges::any_of(one.report.results, [&](const auto& row) {
      return row.property == known.property && row.verdict == reports::Verdict::kViolated;
    });
  });
  if (!one.library.breaks.empty() && !shown) code = Combine(code, ExitCode::kInconclusive);
  return code;
}

}  // namespace interlock::scenarios::audit
