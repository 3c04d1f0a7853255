// SPDX-License-Identifier: MIT
#include "scenarios/cli/specimens_check.h"

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/cli/interruption.h"
#include "scenarios/cli/output.h"
#include "scenarios/run/guard.h"

namespace interlock::scenarios::cli {

using reports::ExitCode;

std::vector<std::string> Acquittals(const KillMatrix& matrix) {
  std::vector<std::string> all;
  for (const KillRow& row : matrix.rows) {
    const auto killed = [&](const KillCell& cell) { return Kills(matrix, cell); };
    const std::string what =
        fmt::format("{} ({} in {}, {})", row.lock, row.conviction.property, row.conviction.scenario,
                    ToString(row.conviction.synchrony));
    if (std::ranges::none_of(row.cells, killed)) {
      all.push_back(what + ": no strategy convicts it");
    } else if (!killed(row.cells.back())) {
      all.push_back(what + ": the portfolio does not convict it");
    }
  }
  return all;
}

ExitCode PrintKillMatrix(const OutputSettings& settings, const Registry& registry,
                         const std::string& lock, KillMatrixOptions options) {
  auto entries = registry.Select(lock);
  if (!entries.ok()) return Complain(ExitCode::kUsage, entries.status().message());
  options.entries = std::move(*entries);
  if (const auto bad = PrepareOut(settings); bad != ExitCode::kPass) return bad;
  CatchInterruption();
  Guard(settings, registry, options.seed);
  const GuardedThread guarded;
  KillMatrix matrix;
  {
    Progress progress("hunting");
    options.progress = progress.Updates();
    matrix = MakeKillMatrix(options);
  }
  if (matrix.rows.empty()) {
    return Complain(ExitCode::kUsage, fmt::format("no specimen's name matches {}", lock));
  }
  ExitCode code = Acquittals(matrix).empty() ? ExitCode::kPass : ExitCode::kViolated;
  if (!matrix.complete) code = ExitCode::kInconclusive;
  const std::string json = ToJson(matrix);
  code = Combine(code, Print(settings.json ? json : ToText(matrix)));
  code = Combine(code, WriteFile(settings, "kills.json", json));
  return Combine(code, InterruptionCode());
}

}  // namespace interlock::scenarios::cli
