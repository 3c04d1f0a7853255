// SPDX-License-Identifier: MIT
//
// Tries a program of one's own under random schedules and faults, as a function call:
//
//   Program program{.name = "acme.counter"};
//   program.clients.assign(2, [](SimulatedClient& client) {
//     if (client.Call({"INCR", "count"}).ok()) client.Note("counted");
//   });
//   program.invariants = {{"every count is kept", [](const ProgramView& view) {
//     const auto count = view.server.String("count");
//     return std::stoul(count.value_or("0")) < view.Count("counted") ? "one is lost" : "";
//   }}};
//   const auto verdict = Simulate(program, {.faults = {{"lost-reply", 1}, {"pause", 1}}});
//   EXPECT_TRUE(verdict.ok) << verdict.text;
//
// Guarantee: the verdict is a function of the program and the options. A violation is shrunk:
// fewer and earlier faults, a calmer schedule, and still the same invariant; the token replays
// exactly that run. The first runs and one in 16 of the others are made twice, so a client that
// depends on more than its environment is reported as such. A client that aborts, crashes (SIGSEGV
// and such), fails an assert, calls exit or has std::terminate called ends alone, within this
// process, and has violated "no client crashes"; where it stood is printed to standard error. One
// that calls what is not simulated, such as a real clock without Program::posix, has no verdict,
// and it is named.
// Non-guarantees: `ok` is a sample, not a proof; for that there is Explore. What a client that
// ended alone had locked stays locked, and its objects are lost; if it has damaged the heap, spins
// without a call or calls _exit, the test program ends or hangs all the same, and so it does at
// any crash under ThreadSanitizer, and at what AddressSanitizer reports.
// Thread safety: may be called from any thread, outside of simulated clients.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/harness/program.h>

namespace interlock::harness {

/// How many faults of one kind a run may have.
struct FaultBudget {
  /// A name of `interlock list faults`: "crash", "pause", "lost-reply" ...
  std::string fault = {};
  int most = 1;  ///< 0 or more
};

struct SimulateOptions {
  std::uint64_t seed = 1;
  std::uint64_t runs = 1000;  ///< at least 1; the first one is calm
  std::vector<FaultBudget> faults = {};
  int shrink_runs = 2000;  ///< the most runs made to shrink a violation
  /// Threads, on which the program's functions are called at the same time; the verdict does not
  /// depend on their number.
  int jobs = 1;
};

/// The names that stand for what every program is held to, beside its own invariants.
inline constexpr std::string_view kEverybodyEnds = "everybody ends";
inline constexpr std::string_view kNobodyThrows = "no client throws";
inline constexpr std::string_view kNobodyCrashes = "no client crashes";

struct SimulateVerdict {
  bool ok = false;        ///< all runs were made, and nothing was violated
  bool violated = false;  ///< false and not ok: no verdict, and `text` says why
  std::string invariant;  ///< the violated one's name, or one of the three above; else empty
  std::string message;    ///< what the invariant said, or why there is no verdict
  std::string token;      ///< replays the violation; else empty
  std::uint64_t runs = 0;
  std::string text;  ///< the report: the message, and the counterexample step by step
};

SimulateVerdict Simulate(const Program& program, const SimulateOptions& options = {});

/// One recorded run of this program, made again. `ok`: it no longer violates anything. A token that
/// is damaged, of another version, of another program, or of one with other clients or servers is
/// refused, and not replayed.
SimulateVerdict Replay(const Program& program, std::string_view token);

}  // namespace interlock::harness
