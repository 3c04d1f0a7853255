// SPDX-License-Identifier: MIT
#include "scenarios/search/audit/installation.h"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/machine/foreign_process.h"

namespace interlock::scenarios::audit {
namespace {

namespace fs = std::filesystem;
using sim::machine::ForeignProcess;
using std::chrono::steady_clock;

constexpr auto kLongestInstallation = std::chrono::minutes(10);
constexpr std::size_t kShownOutput = 600;

Status CannotInstall(std::string why) { return Status(StatusCode::kUnavailable, std::move(why)); }

/// Runs a package manager to its end. Returns its output, or what it says if it fails.
Result<std::string> RunManager(const std::vector<std::string>& command,
                               const std::atomic<bool>& stop) {
  auto process = ForeignProcess::Start(command, {{"DEBIAN_FRONTEND", "noninteractive"}});
  if (!process.ok()) return CannotInstall(process.status().message());
  const auto limit = steady_clock::now() + kLongestInstallation;
  while (!(*process)->ended()) {
    if (stop) return Status(StatusCode::kCancelled, "stopped");
    if (steady_clock::now() > limit) {
      return CannotInstall(fmt::format("{}: not done within 10 minutes", fmt::join(command, " ")));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  std::string said = (*process)->OutputTail(kShownOutput);
  if ((*process)->exit_code() != 0) {
    return CannotInstall(fmt::format("{}: exit code {}: {}", fmt::join(command, " "),
                                     (*process)->exit_code(), said));
  }
  return said;
}

/// The version of a Debian package; empty: it is not installed.
std::string InstalledVersion(const std::string& package, const std::atomic<bool>& stop) {
  const auto said = RunManager(
      {"dpkg-query", "--show", "--showformat", "${db:Status-Status} ${Version}", package}, stop);
  constexpr std::string_view kInstalled = "installed ";
  if (!said.ok() || !said->starts_with(kInstalled)) return "";
  return said->substr(kInstalled.size());
}

Result<std::string> RunApt(const std::string& what, const std::vector<std::string>& packages,
                           const std::atomic<bool>& stop) {
  // The caches of apt-get may be larger than any file of a process started here can be.
  std::vector<std::string> words = {"apt-get",
                                    "-o",
                                    "Dir::Cache::pkgcache=",
                                    "-o",
                                    "Dir::Cache::srcpkgcache=",
                                    "-o",
                                    "DPkg::Lock::Timeout=300",
                                    what};
  if (!packages.empty()) words.insert(words.end(), {"-y", "--no-install-recommends"});
  words.insert(words.end(), packages.begin(), packages.end());
  return RunManager(words, stop);
}

Status InstallDebian(const Library& library, const std::atomic<bool>& stop) {
  const std::string& package = library.debian.front();
  std::vector<std::string> missing;
  for (const std::string& one : library.debian) {
    if (InstalledVersion(one, stop).empty()) missing.push_back(one);
  }
  if (!missing.empty() && geteuid() != 0) {
    return CannotInstall(fmt::format("only root may install what is missing: apt-get install {}",
                                     fmt::join(missing, " ")));
  }
  if (!missing.empty()) {
    if (missing.front() == package) missing.front() += "=" + library.version;
    Result<std::string> done = RunApt("install", missing, stop);
    // A fresh machine has no lists of packages yet.
    if (!done.ok() && RunApt("update", {}, stop).ok()) done = RunApt("install", missing, stop);
    if (!done.ok()) return done.status();
  }
  const std::string version = InstalledVersion(package, stop);
  if (version == library.version) return Status();
  return CannotInstall(
      fmt::format("{} is {} here, and audited is {}", package, version, library.version));
}

Status InstallNpm(const std::string& work, const std::atomic<bool>& stop) {
  const auto done = RunManager({"npm", "ci", "--prefix", work, "--ignore-scripts", "--no-audit",
                                "--no-fund", "--loglevel=error"},
                               stop);
  return done.ok() ? Status() : done.status();
}

Status CopyFolder(const std::string& from, const std::string& to) {
  std::error_code failed;
  fs::remove_all(to, failed);
  if (!failed) fs::create_directories(to, failed);
  if (!failed) fs::copy(from, to, fs::copy_options::recursive, failed);
  if (!failed) return Status();
  return CannotInstall(fmt::format("{} cannot be copied to {}: {}", from, to, failed.message()));
}

}  // namespace

Result<std::vector<std::string>> Install(const Library& library, const std::string& work,
                                         const std::atomic<bool>& stop) {
  if (Status copied = CopyFolder(library.path, work); !copied.ok()) return copied;
  Status installed;
  if (!library.npm.empty()) installed = InstallNpm(work, stop);
  if (!library.debian.empty()) installed = InstallDebian(library, stop);
  if (!installed.ok()) return installed;
  std::vector<std::string> command = library.drive.command;
  for (std::string& word : command) {
    std::error_code none;
    const fs::path file = fs::path(work) / word;
    if (!word.empty() && fs::is_regular_file(file, none)) word = file.string();
  }
  return command;
}

}  // namespace interlock::scenarios::audit
