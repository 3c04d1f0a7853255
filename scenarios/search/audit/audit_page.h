// SPDX-License-Identifier: MIT
//
// What an audit has seen, as a page for people (Markdown) and for programs (JSON, schema
// interlock.audit/1). Thread safety: pure functions.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "reports/run_report.h"
#include "scenarios/search/audit/audit.h"

namespace interlock::scenarios::audit {

struct AuditRecord {
  reports::ToolInfo tool;
  std::string date;  ///< "2026-11-29"
  std::uint64_t seed = 0;
  std::vector<Audited> libraries;
};

/// "redlock/run.json", relative to the page.
std::string RunFileOf(const Audited& one);
/// "redlock/counterexamples/drive.foreign-release.json"
std::string CaseFileOf(const Audited& one, const std::string& property);

std::string ToMarkdown(const AuditRecord& record);
std::string ToJson(const AuditRecord& record);

/// A line about each library, for a terminal.
std::string ToText(const AuditRecord& record);

}  // namespace interlock::scenarios::audit
