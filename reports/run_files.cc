// SPDX-License-Identifier: MIT
#include "reports/run_files.h"

#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "reports/contention_json.h"
#include "reports/contention_text.h"
#include "reports/escape.h"

namespace interlock::reports {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = std::uintmax_t{256} << 20;

std::string Shown(const fs::path& path) { return SafeForTerminal(path.string(), true); }

/// nullopt, with an error: it cannot be read.
std::optional<std::string> ReadFile(const fs::path& path, std::string& error) {
  std::error_code failed;
  const std::uintmax_t size = fs::file_size(path, failed);
  if (failed) {
    error = fmt::format("cannot read {}: {}", Shown(path), failed.message());
    return std::nullopt;
  }
  if (size > kMostBytes) {
    error = fmt::format("{} has {} bytes; at most {} are read", Shown(path), size, kMostBytes);
    return std::nullopt;
  }
  std::ifstream file(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) {
    error = fmt::format("cannot read {}", Shown(path));
    return std::nullopt;
  }
  return content;
}

/// Names come from a file that anybody may have written.
bool LeadsOut(const fs::path& name) {
  if (name.empty() || name.is_absolute()) return true;
  for (const fs::path& part : name) {
    if (part == "..") return true;
  }
  return false;
}

/// False, with an error: it exists and cannot be used.
bool AddCounterexample(const fs::path& folder, const std::string& name, StoredRun& run,
                       std::string& error) {
  if (LeadsOut(name)) {
    error = fmt::format("the counterexample \"{}\" is not in the run's folder",
                        SafeForTerminal(name, true));
    return false;
  }
  const fs::path path = folder / name;
  std::error_code failed;
  if (!fs::exists(path, failed)) {
    run.report.notes.push_back(fmt::format("{} is not here, so it is not shown", name));
    return true;
  }
  const auto content = ReadFile(path, error);
  if (!content) return false;
  auto read = ReadCounterexample(*content);
  if (!read.value) {
    error = fmt::format("{}: {}", Shown(path), read.error);
    return false;
  }
  run.counterexamples.push_back(std::move(*read.value));
  run.files.push_back(name);
  return true;
}

}  // namespace

ExitCode ExitCodeOf(const StoredRun& run) {
  return run.contention ? ExitCodeOf(*run.contention) : ExitCodeOf(run.report);
}

ReadResult<StoredRun> ReadRun(const fs::path& path) {
  ReadResult<StoredRun> result;
  std::error_code ignored;
  const fs::path file = fs::is_directory(path, ignored) ? path / "run.json" : path;
  const auto content = ReadFile(file, result.error);
  if (!content) return result;
  if (IsContention(*content)) {
    auto read = ReadContention(*content);
    if (read.value) {
      result.value.emplace().contention = std::move(read.value);
    } else {
      result.error = fmt::format("{}: {}", Shown(file), read.error);
    }
    return result;
  }
  auto report = ReadRunReport(*content);
  if (!report.value) {
    result.error = fmt::format("{}: {}", Shown(file), report.error);
    return result;
  }
  StoredRun run;
  run.report = std::move(*report.value);
  for (const ResultRow& row : run.report.results) {
    if (!row.counterexample) continue;
    if (!AddCounterexample(file.parent_path(), *row.counterexample, run, result.error)) {
      return result;
    }
  }
  result.value = std::move(run);
  return result;
}

}  // namespace interlock::reports
