// SPDX-License-Identifier: MIT
//
// `interlock check --specimens`: the kill matrix as text, JSON and a file.
#pragma once

#include <string>

#include "reports/exit_code.h"
#include "scenarios/cli/publish.h"
#include "scenarios/cli/registry.h"
#include "scenarios/search/explore/kill_matrix.h"

namespace interlock::scenarios::cli {

/// Covers the specimens whose name matches `lock`. kViolated if a specimen is convicted by no
/// strategy, or not by the portfolio.
reports::ExitCode PrintKillMatrix(const OutputSettings& settings, const Registry& registry,
                                  const std::string& lock, KillMatrixOptions options);

/// At most 100 columns wide. Only the last lines depend on the time that this run took.
std::string ToText(const KillMatrix& matrix);

/// Schema interlock.kills/1.
std::string ToJson(const KillMatrix& matrix);

/// "broken/x (LK005, pause, arbitrary): ..." for each specimen without a kill where one is
/// required.
std::vector<std::string> Acquittals(const KillMatrix& matrix);

}  // namespace interlock::scenarios::cli
