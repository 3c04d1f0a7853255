// SPDX-License-Identifier: MIT
#include "scenarios/cli/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "interlock_build_info.h"

namespace interlock::scenarios::cli {
namespace {

std::int64_t NowMs() { return MillisecondsSince({}).count(); }

bool IsSet(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

bool IsUtf8Locale() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view text = value;
    return text.find("UTF-8") != std::string_view::npos ||
           text.find("utf8") != std::string_view::npos;
  }
  return false;
}

}  // namespace

reports::ExitCode Complain(reports::ExitCode code, std::string_view message) {
  const std::string line = fmt::format("interlock: {}\n", message);
  std::fwrite(line.data(), 1, line.size(), stderr);
  return code;
}

reports::TextOptions TextOptionsForStdout() {
  reports::TextOptions options;
  options.utf8 = IsUtf8Locale();
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  options.color = IsSet("CLICOLOR_FORCE") || (terminal && std::getenv("NO_COLOR") == nullptr);
  return options;
}

namespace {

std::FILE* kept_stdout = nullptr;

}  // namespace

void KeepStdout() {
  constexpr int kAboveTheStandardOnes = 10;
  const int copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, kAboveTheStandardOnes);
  std::FILE* const file = copy < 0 ? nullptr : fdopen(copy, "w");
  if (kept_stdout != nullptr) std::fclose(kept_stdout);
  kept_stdout = file;
}

Printed TryPrint(std::string_view text) {
  std::FILE* const out = kept_stdout != nullptr ? kept_stdout : stdout;
  std::fflush(stdout);  // output of the user's main comes first
  const bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  if (written && std::fflush(out) == 0) return Printed::kAll;
  const int reason = errno;
  if (reason == EPIPE) return Printed::kReaderGone;
  Complain(reports::ExitCode::kInternal,
           fmt::format("cannot write to standard output: {}", std::strerror(reason)));
  return Printed::kFailed;
}

reports::ExitCode Print(std::string_view text) {
  return TryPrint(text) == Printed::kFailed ? reports::ExitCode::kInternal
                                            : reports::ExitCode::kPass;
}

reports::ToolInfo ThisTool(std::string program) {
  return {INTERLOCK_VERSION, INTERLOCK_COMMIT, INTERLOCK_COMPILER, std::move(program)};
}

std::chrono::milliseconds MillisecondsSince(std::chrono::steady_clock::time_point started) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                               started);
}

Progress::Progress(std::string title, std::string unit)
    : title_(std::move(title)), unit_(std::move(unit)), terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (terminal_) std::fputs("\r\033[K", stderr);
}

void Progress::Update(std::uint64_t done, std::uint64_t planned) {
  const std::int64_t now = NowMs();
  if (started_ms_ == 0) started_ms_ = last_line_ms_ = now;
  if (planned == 0 || now - last_line_ms_ < (terminal_ ? 200 : 10'000)) return;
  last_line_ms_ = now;
  const std::uint64_t percent = done * 100 / planned;
  const auto elapsed = static_cast<std::uint64_t>(now - started_ms_);
  std::string left;
  if (done > 0) {
    left = fmt::format(", {} s left", elapsed * (planned - std::min(done, planned)) / done / 1000);
  }
  const std::string line = fmt::format("{}{}: {} % of {} {}{}{}", terminal_ ? "\r" : "", title_,
                                       percent, planned, unit_, left, terminal_ ? "\033[K" : "\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

}  // namespace interlock::scenarios::cli
