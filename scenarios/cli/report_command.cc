// SPDX-License-Identifier: MIT
#include <chrono>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <CLI/Option.hpp>

#include "reports/shard_report.h"
#include "scenarios/cli/commands.h"
#include "scenarios/cli/interruption.h"
#include "scenarios/cli/output.h"
#include "scenarios/cli/publish.h"
#include "scenarios/cli/values.h"
#include "scenarios/guard.h"
#include "scenarios/shards.h"

namespace interlock::scenarios::cli {
namespace {

using reports::ExitCode;

struct Settings {
  std::vector<std::string> files;
  OutputSettings output;
};

/// kBadInput, after a complaint, if a file is none of a shard of this very program.
ExitCode ReadShards(const Settings& settings, std::vector<reports::ShardReport>& shards) {
  const reports::ToolInfo tool = ThisTool();
  for (const std::string& path : settings.files) {
    const auto content = ReadWholeFile(path);
    if (!content.ok()) return Complain(ExitCode::kBadInput, content.status().message());
    auto read = reports::ReadShardReport(*content);
    if (!read.value) {
      return Complain(ExitCode::kBadInput, fmt::format("{}: {}", path, read.error));
    }
    if (read.value->tool.version != tool.version || read.value->tool.commit != tool.commit) {
      return Complain(ExitCode::kBadInput,
                      fmt::format("{} is of version {} ({}), this program is {} ({})", path,
                                  read.value->tool.version, read.value->tool.commit, tool.version,
                                  tool.commit));
    }
    shards.push_back(std::move(*read.value));
  }
  return ExitCode::kPass;
}

ExitCode MergeFiles(const Settings& settings, const Registry& registry) {
  std::vector<reports::ShardReport> shards;
  if (const auto bad = ReadShards(settings, shards); bad != ExitCode::kPass) return bad;
  const reports::ShardReport& first = shards.front();
  CampaignOptions options;
  const auto bad = SelectUnits(registry, first.lock, first.scenario, options);
  if (bad != ExitCode::kPass) return ExitCode::kBadInput;
  options.seed = first.seed;
  options.runs = first.runs;
  options.strategy = FindStrategy(first.strategy);
  options.jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  options.stop = &Interrupted();
  if (const auto wrong = PrepareOut(settings.output); wrong != ExitCode::kPass) return wrong;
  CatchInterruption();
  Guard(settings.output, registry, options.seed);
  const GuardedThread guarded;
  const auto started = std::chrono::steady_clock::now();
  auto merged = MergeShards(options, shards);
  if (!merged.ok()) return Complain(ExitCode::kBadInput, merged.status().message());
  return Publish(settings.output, registry, options, first.scenario, std::move(*merged), started);
}

}  // namespace

void AddReportCommand(CLI::App& app, const Registry& registry, Work& work) {
  CLI::App* command =
      app.add_subcommand("report", "what was found, from the files of earlier runs");
  command->require_subcommand(1);
  CLI::App* merge = command->add_subcommand(
      "merge", "the verdict of a sharded check: every part must be there exactly once");
  auto settings = std::make_shared<Settings>();
  merge->add_option("FILE", settings->files, "run.shard-i-of-n.json of every shard")->required();
  merge->add_flag("--json", settings->output.json, "print run.json instead of text");
  merge
      ->add_option("--out", settings->output.out,
                   "folder for run.json, junit.xml, counterexamples/")
      ->check(NotEmpty);
  merge->callback([settings, &registry, &work] {
    work = [settings, &registry] { return MergeFiles(*settings, registry); };
  });
}

}  // namespace interlock::scenarios::cli
