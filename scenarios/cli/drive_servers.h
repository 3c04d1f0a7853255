// SPDX-License-Identifier: MIT
//
// The options of `interlock drive` that say which servers the clients have. Thread safety: none.
#pragma once

#include <optional>
#include <string>

#include "reports/exit_code.h"
#include "scenarios/cli/options.h"
#include "scenarios/run/foreign/drive_run.h"

namespace interlock::scenarios::cli {

class DriveServers {
 public:
  /// Both must outlive the parsing of the command line.
  void AddTo(Command command, drive::DriveOptions& drive);
  /// Sets what the options say. A complaint has been made if it does not return kPass.
  reports::ExitCode Apply(drive::DriveOptions& drive) const;

 private:
  reports::ExitCode ApplyLag(drive::DriveOptions& drive) const;

  std::string topology_ = "independent";
  std::string replication_lag_;
  std::optional<int> masters_;
};

}  // namespace interlock::scenarios::cli
