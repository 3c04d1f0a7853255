// SPDX-License-Identifier: MIT
#include "scenarios/cli/values.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "reports/escape.h"

namespace interlock::scenarios::cli {

std::optional<std::uint64_t> ParseNumber(std::string_view text, int base) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> ParseSeed(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) return ParseNumber(text.substr(2), 16);
  return ParseNumber(text, 10);
}

std::string WhyNoSeed(const std::string& text) {
  if (ParseSeed(text).has_value()) return "";
  return text + " is not a number from 0 to 2^64-1, decimal or 0x...";
}

Result<std::optional<std::chrono::seconds>> ParseBudget(const std::string& text) {
  if (text.empty()) return std::optional<std::chrono::seconds>();
  const auto length = ParseDuration(text);
  if (!length || *length < std::chrono::seconds(1)) {
    return Invalid(fmt::format("--budget {}: use a length such as 90s, 5m or 1h", text));
  }
  return std::optional(std::chrono::floor<std::chrono::seconds>(*length));
}

std::optional<std::chrono::nanoseconds> ParseDuration(std::string_view text) {
  constexpr std::uint64_t kMost = 1'000'000;
  constexpr std::array<std::pair<std::string_view, std::chrono::nanoseconds>, 5> kUnits = {{
      {"us", std::chrono::microseconds(1)},
      {"ms", std::chrono::milliseconds(1)},
      {"s", std::chrono::seconds(1)},
      {"m", std::chrono::minutes(1)},
      {"h", std::chrono::hours(1)},
  }};
  if (text == "0") return std::chrono::nanoseconds(0);
  for (const auto& [suffix, unit] : kUnits) {
    if (!text.ends_with(suffix)) continue;
    const auto amount = ParseNumber(text.substr(0, text.size() - suffix.size()));
    // "5ms" also ends with an "s".
    if (!amount) continue;
    if (*amount > kMost) return std::nullopt;
    return unit * static_cast<std::int64_t>(*amount);
  }
  return std::nullopt;
}

int JobsOf(int given) {
  return given > 0 ? given : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

std::vector<std::string_view> SplitAtCommas(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

std::optional<std::string> PrepareFolder(const std::string& path) {
  const auto problem = [&](std::string_view what, int error) {
    return fmt::format("--out {}: {}: {}", reports::SafeForTerminal(path, true), what,
                       std::generic_category().message(error));
  };
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return problem("the folder cannot be created", error.value());
  if (!std::filesystem::is_directory(path, error)) return problem("not a folder", ENOTDIR);
  std::string probe = (std::filesystem::path(path) / ".interlock-XXXXXX").string();
  const int fd = mkstemp(probe.data());
  if (fd < 0) return problem("no file can be created there", errno);
  close(fd);
  unlink(probe.c_str());
  return std::nullopt;
}

Result<std::string> ReadWholeFile(const std::string& path) {
  constexpr std::size_t kMost = std::size_t{64} << 20U;
  constexpr std::size_t kPiece = std::size_t{64} << 10U;
  const auto bad = [&](std::string_view what) { return Invalid(fmt::format("{} {}", path, what)); };
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return bad("is a directory, not a file");
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::string piece(kPiece, '\0');
  while (file.read(piece.data(), static_cast<std::streamsize>(kPiece)) || file.gcount() > 0) {
    text.append(piece, 0, static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMost)
      return bad("is larger than 64 MiB, the limit for files of this program");
  }
  // A file that cannot be opened never reaches its end.
  if (!file.eof()) return bad("cannot be read");
  return text;
}

Status Invalid(std::string message) {
  return Status(StatusCode::kInvalidArgument, std::move(message));
}

}  // namespace interlock::scenarios::cli
