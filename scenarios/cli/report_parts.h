// SPDX-License-Identifier: MIT
//
// The parts of `interlock report` that have a file of their own.
#pragma once

#include <string>
#include <vector>

#include "reports/exit_code.h"
#include "reports/formats.h"
#include "scenarios/cli/commands.h"
#include "scenarios/cli/publish.h"
#include "scenarios/cli/registry.h"

namespace interlock::scenarios::cli {

/// Of several runs: each in a folder of its own below --out, and, where the formats have HTML,
/// index.html beside them, which leads to all; and one page with all measurements together.
/// REQUIRES: settings.out. The exit code is the worst of the runs'.
reports::ExitCode RenderSeveral(const std::vector<std::string>& files,
                                const std::vector<const reports::Format*>& formats,
                                const OutputSettings& settings, const Registry& registry);

/// `report diff OLD NEW`.
void AddReportDiff(Command report, const Registry& registry, Work& work);

/// Serves the files of a folder on the loopback until a signal comes. Port 0: any that is free.
reports::ExitCode View(const std::string& folder, int port);

}  // namespace interlock::scenarios::cli
