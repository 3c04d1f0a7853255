// SPDX-License-Identifier: MIT
#include "scenarios/cli/drive_files.h"

#include <fmt/format.h>

#include "reports/json_writer.h"

namespace interlock::scenarios::cli {

reports::ExitCode WriteDriveCase(const OutputSettings& settings, const std::string& folder,
                                 reports::RunReport& report, reports::Counterexample& example) {
  const std::string in_report = fmt::format("counterexamples/drive.{}.json", example.property);
  const std::string name = folder.empty() ? in_report : folder + "/" + in_report;
  for (reports::ResultRow& row : report.results) {
    if (row.property == example.property) row.counterexample = in_report;
  }
  example.replay = fmt::format("{} drive --replay {}/{}", report.tool.program, settings.out, name);
  return WriteFile(settings, name, ToJson(example));
}

}  // namespace interlock::scenarios::cli
