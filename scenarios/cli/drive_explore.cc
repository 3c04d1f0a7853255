// SPDX-License-Identifier: MIT
#include "scenarios/cli/drive_explore.h"

#include <cstdint>
#include <cstdio>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "scenarios/cli/output.h"
#include "scenarios/cli/values.h"
#include "scenarios/search/foreign/order_state.h"
#include "sim/redis/dialect.h"

namespace interlock::scenarios::cli {
namespace {

using drive::DriveOptions;
using reports::ExitCode;

constexpr int kMostBudget = 1'000;

void Announce(const std::string& sentence) {
  const std::string line = "exploring: " + sentence + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

std::string_view LackReplicas(const DriveOptions& drive) {
  if (drive.topology != sim::Topology::kIndependent) return "";
  return "no server has a replica; expected --topology sentinel or --topology cluster with it";
}

std::string_view LackSlots(const DriveOptions& drive) {
  if (drive.topology == sim::Topology::kShards && drive.nodes > 1) return "";
  return "there are no slots that could move; expected --topology cluster with it, of 2 masters or "
         "more";
}

std::string_view LackMigrations(const DriveOptions& drive) {
  if (!LackSlots(drive).empty()) return LackSlots(drive);
  if (drive.server->IsIn(sim::redis::kValkeyFrom90)) return "";
  return "these servers cannot move slots at once; expected --server valkey-9.1 with it";
}

}  // namespace

void DriveExplore::AddBudgets(Command command) {
  budgets_ = {
      {"--crashes", &DriveOptions::crashes, "maximum number of clients killed in a run", true},
      {"--pauses", &DriveOptions::pauses,
       "maximum number of times a client is stopped (SIGSTOP) while others go on", false},
      {"--expiries", &DriveOptions::expiries,
       "maximum number of times a client is stopped until a key of its own has expired", true},
      {"--lost-replies", &DriveOptions::lost_replies,
       "maximum number of connections broken before a command is executed or before its reply",
       true},
      {"--delays", &DriveOptions::delays,
       "maximum number of commands or replies delayed until other clients have gone on", false},
      {"--script-flushes", &DriveOptions::script_flushes,
       "maximum number of times the servers forget their scripts before one is run by its hash",
       true},
      {"--clocks", &DriveOptions::clocks,
       "maximum number of times a client's wall clock is set, or starts to run fast or slow",
       false},
      {"--failovers", &DriveOptions::failovers,
       "maximum number of times a primary is lost and its replica takes over (with --topology)",
       true, LackReplicas},
      {"--reshards", &DriveOptions::reshards,
       "maximum number of times the slots of a cluster move, key by key (with --topology cluster)",
       true, LackSlots},
      {"--slot-migrations", &DriveOptions::slot_migrations,
       "maximum number of times they move at once, while writes wait (of Valkey from 9.0 on)", true,
       LackMigrations},
      {"--late-claims", &DriveOptions::late_claims,
       "maximum number of times they do so and are claimed too late: writes that were acknowledged "
       "are lost",
       true, LackMigrations, 0},
  };
  for (Budget& budget : budgets_) {
    command
        .Add(budget.option, budget.given,
             budget.usual == 0
                 ? fmt::format("{}; default 0", budget.help)
                 : fmt::format("{}; default {}, and 0 with --explore", budget.help, budget.usual))
        .InRange(0, kMostBudget);
  }
}

void DriveExplore::AddTo(Command command) {
  AddBudgets(command);
  flag_ = command.Flag("--explore", chosen_,
                       "make all runs within the bounds instead of random ones: every order of the "
                       "clients' commands, and every placing of the faults that are allowed");
  command
      .Add("--polls", polls_,
           "with --explore: how often in a run time passes although a client has something new to "
           "send, and how often a client repeats itself at once; default 2")
      .InRange(0, kMostBudget)
      .Needs(*flag_);
  command
      .Add("--client-commands", client_commands_,
           "with --explore: end a run once a client has sent this many commands; default 1000")
      .InRange(1, 1'000'000)
      .Needs(*flag_);
  command
      .Add("--budget", budget_,
           "with --explore: real time after which it ends without a verdict, such as 5m; default: "
           "none")
      .Needs(*flag_);
  command
      .Add("--resume", resume_,
           "with --explore: go on from the explore-state.json that an unfinished one has written "
           "to --out")
      .Needs(*flag_);
}

void DriveExplore::Forbid(Option option) const { option.Excludes(*flag_); }

ExitCode DriveExplore::ApplyBudgets(DriveOptions& drive) const {
  for (const Budget& budget : budgets_) {
    const std::string_view lacks = budget.lack != nullptr ? budget.lack(drive) : "";
    const int count = budget.given.value_or(chosen_ || !lacks.empty() ? 0 : budget.usual);
    drive.*budget.of_drive = count;
    if (!lacks.empty() && count > 0) {
      return Complain(ExitCode::kUsage, fmt::format("{} {}: {}", budget.option, count, lacks));
    }
    if (!chosen_ || budget.is_placed || count == 0) continue;
    return Complain(
        ExitCode::kUsage,
        fmt::format("{} {}: --explore has no such fault; clients wait and commands are late in "
                    "every order of them, and clocks are for random runs",
                    budget.option, count));
  }
  return ExitCode::kPass;
}

ExitCode DriveExplore::Apply(drive::CampaignOptions& campaign) const {
  DriveOptions& drive = campaign.drive;
  if (const ExitCode usage = ApplyBudgets(drive); usage != ExitCode::kPass) return usage;
  if (!chosen_) return ExitCode::kPass;
  if (!drive.virtual_clock) {
    return Complain(ExitCode::kUsage,
                    "--clock machine: by it no run can be repeated, which --explore has to");
  }
  drive::OrderBounds& bounds = drive.orders.emplace();
  if (polls_) bounds.polls = static_cast<std::uint64_t>(*polls_);
  if (client_commands_) bounds.commands = static_cast<std::uint64_t>(*client_commands_);
  drive::OrderOptions& orders = campaign.all_orders.emplace();
  const auto budget = ParseBudget(budget_);
  if (!budget.ok()) return Complain(ExitCode::kUsage, budget.status().message());
  orders.budget = *budget;
  const reports::ToolInfo tool = ThisTool();
  orders.version = fmt::format("{} {}", tool.version, tool.commit);
  orders.announce = Announce;
  return resume_.empty() ? ExitCode::kPass : ApplyResume(campaign);
}

ExitCode DriveExplore::ApplyResume(drive::CampaignOptions& campaign) const {
  drive::OrderOptions& orders = *campaign.all_orders;
  auto text = ReadWholeFile(resume_);
  if (!text.ok()) return Complain(ExitCode::kBadInput, text.status().message());
  orders.resume = *std::move(text);
  const auto state =
      drive::ReadOrderState(orders.resume, campaign.drive, orders.reduce, orders.version);
  if (state.ok()) return ExitCode::kPass;
  return Complain(ExitCode::kBadInput,
                  fmt::format("--resume {}: {}", resume_, state.status().message()));
}

}  // namespace interlock::scenarios::cli
