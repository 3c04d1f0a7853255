// SPDX-License-Identifier: MIT
//
// The guarantee table as plain data, and as text, JSON (schema interlock.guarantees/1) and
// Markdown: which properties each lock keeps, breaks or leaves unknown under each class of faults
// on each topology, next to what it promises there.
//
// Guarantee: each format is a function of the data alone; the same table gives the same bytes.
// Thread safety: values. Errors: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/exit_code.h"
#include "reports/run_report.h"
#include "reports/text_layout.h"

namespace interlock::reports {

inline constexpr std::string_view kGuaranteesSchema = "interlock.guarantees/1";

struct FaultClassInfo {
  std::string name;
  std::string summary;
};

/// One lock under one class of faults on one topology. A row's `expected` is the lock's promise:
/// holds, breaks (a known failure), or either (none given).
struct GuaranteeCell {
  std::string lock;
  std::string fault_class;
  std::string topology;
  std::uint64_t runs = 0;
  std::vector<ResultRow> rows;
};

struct GuaranteeTable {
  ToolInfo tool;
  std::uint64_t seed = 0;
  RunStatus status = RunStatus::kComplete;
  std::string backend = "sim";     ///< as RunReport::backend; absent from the file if it is this
  std::vector<std::string> notes;  ///< absent from the file while empty
  std::uint64_t divergences = 0;
  std::vector<FaultClassInfo> classes;
  std::vector<GuaranteeCell> cells;  ///< grouped by lock
};

/// 1: a promise was not kept. 4: a known failure no longer happens. 2: a promise or a known failure
/// was not put to the test. 70: runs diverged.
ExitCode ExitCodeOf(const GuaranteeTable& table);

std::string ToJson(const GuaranteeTable& table);
std::string ToMarkdown(const GuaranteeTable& table);
std::string ToText(const GuaranteeTable& table, const TextOptions& options);

}  // namespace interlock::reports
