// SPDX-License-Identifier: MIT
//
// The parts of `interlock report` that have their own source files.
#pragma once

#include <string>
#include <vector>

#include "reports/exit_code.h"
#include "reports/formats.h"
#include "scenarios/cli/commands.h"
#include "scenarios/cli/publish.h"
#include "scenarios/cli/registry.h"

namespace interlock::scenarios::cli {

/// Renders several runs, each into its own folder below --out; if the formats include HTML, also an
/// index.html that links to all, and one page with all measurements together. The exit code is the
/// worst of the runs'. REQUIRES: settings.out.
reports::ExitCode RenderSeveral(const std::vector<std::string>& files,
                                const std::vector<const reports::Format*>& formats,
                                const OutputSettings& settings, const Registry& registry);

/// Adds `report diff OLD NEW`.
void AddReportDiff(Command report, const Registry& registry, Work& work);

/// Serves the files of a folder on the loopback until a signal comes. Port 0: any free port.
reports::ExitCode View(const std::string& folder, int port);

}  // namespace interlock::scenarios::cli
