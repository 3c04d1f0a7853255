// SPDX-License-Identifier: MIT
//
// The options of `interlock drive` that say what may go wrong in a run, and whether all runs are
// made instead of random ones (--explore). Thread safety: none.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reports/exit_code.h"
#include "scenarios/cli/options.h"
#include "scenarios/search/foreign/drive_campaign.h"

namespace interlock::scenarios::cli {

class DriveExplore {
 public:
  /// Must outlive the parsing of the command line.
  void AddTo(Command command);
  /// Makes this option one that a search of all orders does not go with.
  void Forbid(Option option) const;

  /// Sets what the options say. REQUIRES: called last, when the campaign's other options are set.
  /// A complaint has been made if it does not return kPass.
  reports::ExitCode Apply(drive::CampaignOptions& campaign) const;

  bool chosen() const { return chosen_; }

 private:
  /// A kind of fault, and how often it strikes in a run at most.
  struct Budget {
    const char* option;
    int drive::DriveOptions::*of_drive;
    const char* help;
    bool is_placed;  // by a search of all orders
    /// What the servers must be for it, and lack; empty: nothing.
    std::string_view (*lack)(const drive::DriveOptions&) = nullptr;
    int usual = 1;  // without --explore
    std::optional<int> given = {};
  };

  void AddBudgets(Command command);
  reports::ExitCode ApplyBudgets(drive::DriveOptions& drive) const;
  reports::ExitCode ApplyResume(drive::CampaignOptions& campaign) const;

  bool chosen_ = false;
  std::optional<Option> flag_;
  std::vector<Budget> budgets_;
  std::optional<int> polls_;
  std::optional<int> client_commands_;
  std::string budget_;
  std::string resume_;
};

}  // namespace interlock::scenarios::cli
