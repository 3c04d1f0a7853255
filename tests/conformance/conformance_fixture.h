// SPDX-License-Identifier: MIT
//
// What the conformance tests share: the locks that a suite is for, each in every place that it runs
// in, and how long things take there.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "scenarios/locks/specimen.h"
#include "tests/conformance/backend.h"

namespace interlock::conformance {

using std::chrono::milliseconds;

using Grant = Result<std::unique_ptr<harness::Hold>>;

/// Longer than anything here takes; where a lease is to end, it is kShort.
inline constexpr milliseconds kLong(30'000);
inline constexpr milliseconds kShort(1000);
inline constexpr milliseconds kPatience(20'000);

inline bool IsDefiniteNo(const Grant& grant) {
  return grant.code() == StatusCode::kNotAcquired || grant.code() == StatusCode::kTimeout;
}

/// A lock, and where it is run.
struct Case {
  std::shared_ptr<const harness::Subject> subject;
  Where where;
};

inline const char* ToString(Where where) {
  switch (where) {
    case Where::kFake:
      return "Fake";
    case Where::kServer:
      return "Server";
    case Where::kMasters:
      return "Masters";
    case Where::kSentinels:
      return "Sentinels";
    case Where::kCluster:
      return "Cluster";
  }
  return "?";
}

inline void PrintTo(const Case& one, std::ostream* out) {
  *out << one.subject->name() << " on " << ToString(one.where);
}

/// All but latches.
inline bool Held(const harness::Traits& traits) {
  return !std::holds_alternative<harness::Latch>(traits.kind);
}

/// Those of our locks, in each place that they may run in.
inline std::vector<Case> CasesOf(bool (*chosen)(const harness::Traits&)) {
  std::vector<Case> cases;
  for (const auto& subject : scenarios::SoundSubjects()) {
    if (!chosen(subject->traits())) continue;
    cases.push_back({subject, Where::kFake});
    if (subject->traits().quorum) {
      cases.push_back({subject, Where::kMasters});
      continue;
    }
    for (const Where where : {Where::kServer, Where::kSentinels, Where::kCluster}) {
      cases.push_back({subject, where});
    }
  }
  return cases;
}

inline std::string NameOf(const ::testing::TestParamInfo<Case>& info) {
  std::string name(info.param.subject->name());
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name + "On" + ToString(info.param.where);
}

class ConformanceTest : public ::testing::TestWithParam<Case> {
 protected:
  const harness::Subject& subject() const { return *GetParam().subject; }

  void Run(milliseconds lease, const std::vector<Program>& programs, int permits = 1) {
    harness::LockOptions options;
    options.key_prefix = "conformance:";
    options.resource = "r";
    options.lease = lease;
    options.permits = permits;
    if (subject().traits().several) options.several = {"r", "r-beside"};
    if (!Held(subject().traits())) options.parties = 2;
    EXPECT_TRUE(NewBackend(GetParam().where)->Run(subject(), options, programs));
  }
};

}  // namespace interlock::conformance
