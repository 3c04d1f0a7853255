// SPDX-License-Identifier: MIT
//
// Audits published libraries: each is installed, driven as `interlock drive` does it, and its
// verdicts are held against what is expected of it.
//
// Thread safety: that of ForeignProcess.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reports/exit_code.h"
#include "reports/run_report.h"
#include "scenarios/search/audit/library.h"

namespace interlock::scenarios::audit {

struct AuditOptions {
  std::string out;                    ///< each library is installed in, and its cases go, below it
  std::optional<std::uint64_t> runs;  ///< of each campaign, instead of what the library says
  std::uint64_t seed = 1;
  /// Real servers on which each case is replayed, as drive::RealReplayOptions has them.
  std::vector<std::string> servers = {"spawn"};
  const std::atomic<bool>* stop = nullptr;
  /// Called with what is being run, and how many of its runs are done, of how many.
  std::function<void(const std::string&, std::uint64_t, std::uint64_t)> progress =
      [](const std::string&, std::uint64_t, std::uint64_t) {};
};

/// What became of a case on a real server.
struct OnServer {
  std::string server;  ///< "Redis 7.0.15"
  std::uint64_t tries = 0;
  std::uint64_t reproduced = 0;
  std::string why_not;  ///< why there was no try, or what the first one without it did otherwise
};

/// What the audit has seen of one library.
struct Audited {
  Library library;
  std::string not_audited = {};  ///< why there is no verdict; empty: there is one
  reports::RunReport report = {};
  std::vector<reports::Counterexample> cases = {};
  /// The replays of each of the cases on real servers.
  std::vector<std::vector<OnServer>> on_servers = {};
};

/// A finding is claimed only if its case is small, each replay has repeated it, and a real server
/// has shown it.
inline constexpr std::uint64_t kMostCommandsOfACase = 30;

/// Why the case is not claimed as a finding; empty: it is. `on`: its replays on real servers.
std::string WhyNotClaimed(const reports::Counterexample& one, const std::vector<OnServer>& on);

/// nullptr: the library is not known to violate it.
const KnownBreak* FindBreak(const Library& library, const std::string& property);

/// Never fails: a library that cannot be installed, or whose clients do not work, says so.
Audited Audit(const Library& library, const AuditOptions& options);

/// kPass: all is as expected; kViolated: something is violated that is not known; kInconclusive:
/// not audited, not put to the test, or none of the known violations was found.
reports::ExitCode ExitCodeOf(const Audited& one);

}  // namespace interlock::scenarios::audit
