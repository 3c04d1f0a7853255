// SPDX-License-Identifier: MIT
//
// One verdict as a function call, for a unit test of your own:
//
//   TEST(JobLockTest, HoldsWhatItPromises) {
//     const auto verdict = interlock::harness::Check(std::make_shared<MySubject>());
//     EXPECT_TRUE(verdict.passed) << verdict.text;
//   }
//
// Needs no Redis and no particular test framework.
//
// Non-guarantee: the lock runs in this process, which is yours, so nothing is isolated: no watchdog
// and no signal handlers are installed. A lock that spins without a call of its environment spins
// on; one that crashes, overflows its stack, lets an exception escape, calls exit or takes all
// memory ends the whole test program. A program with Main (interlock/harness/main.h) runs it in
// processes of its own: there that is a violation of LK017, and everything else is judged.
// Thread safety: may be called from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <interlock/harness/lock.h>

namespace interlock::harness {

struct CheckOptions {
  std::uint64_t seed = 1;
  std::uint64_t runs = 1000;  ///< per scenario and synchrony class, at least 1
  int jobs = 1;               ///< threads; the verdict does not depend on it
  /// Glob; "*@valkey-9.1": on such a server instead of Redis 7.0.
  std::string scenario = "*";
  /// How to call a program of yours that knows this lock, by Main of interlock/harness/main.h: then
  /// the report has whole replay lines, `<program> replay '<token>'`. Empty: bare tokens.
  std::string program = {};
};

struct CheckVerdict {
  bool passed = false;    ///< every property that it should hold was put to the test and held
  bool violated = false;  ///< false and not passed: inconclusive
  std::string text;       ///< the report, with a counterexample and its replay token
};

/// The scenarios that match one of the globs, which commas separate, and apply to the subject, in
/// the order of the gate.
std::vector<std::string> ScenariosFor(const Subject& subject, const std::string& scenario = "*");

CheckVerdict Check(std::shared_ptr<const Subject> subject, const CheckOptions& options = {});

}  // namespace interlock::harness
