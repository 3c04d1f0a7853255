// SPDX-License-Identifier: MIT
//
// One recorded case as a function call, for a regression test: the run that once violated a
// property is made again, against the lock as it is now. `interlock replay FILE --as-test` prints
// such a test.
//
//   TEST(JobLockRegression, DoesNotReleaseSomebodyElsesLock) {
//     const auto verdict = interlock::harness::Replay(MySubject(), "v2:acme.job-lock:...");
//     ASSERT_TRUE(verdict.replayed) << verdict.text;
//     EXPECT_FALSE(verdict.Violates("LK005")) << verdict.text;
//   }
//
// Guarantee: a token that is damaged, of another version, or of another lock is never replayed.
// Non-guarantee: a lock that was changed takes its own way through the same faults and choices, so
// a pass says that this case no longer fails, not that the property holds: that is what Check
// (interlock/harness/check.h) is for. No watchdog is installed.
// Thread safety: may be called from any thread.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/harness/lock.h>

namespace interlock::harness {

struct ReplayVerdict {
  bool replayed = false;           ///< false: refused, and `text` says why
  std::vector<std::string> codes;  ///< of the violated properties, each once: "LK005"
  std::string text;                ///< each violation in a sentence, or the refusal

  bool Violates(std::string_view code) const {
    return std::find(codes.begin(), codes.end(), code) != codes.end();
  }
};

/// REQUIRES: the token was made for a lock with this subject's name.
ReplayVerdict Replay(std::shared_ptr<const Subject> subject, std::string_view token);

/// Replays a lock that ships with the program, by the name in the token.
ReplayVerdict Replay(std::string_view token);

}  // namespace interlock::harness
