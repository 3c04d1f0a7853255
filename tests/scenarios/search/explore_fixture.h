// SPDX-License-Identifier: MIT
//
// What the tests of the exhaustive search share: a case in few words, and what it means that two
// explorations agree.
#pragma once

#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "scenarios/judge/property.h"
#include "scenarios/locks/specimen.h"
#include "scenarios/search/explore/exhaustive.h"
#include "tests/scenarios/plain_subject.h"

namespace interlock::scenarios {

inline std::shared_ptr<const harness::Subject> Named(std::string_view name) {
  for (auto subject : SoundSubjects()) {
    if (subject->name() == name) return subject;
  }
  for (const Specimen& specimen : Specimens()) {
    if (specimen.subject->name() == name) return specimen.subject;
  }
  if (name == "test/waits-for-replica") {
    return testing::PlainSubject({.name = std::string(name), .preface = {"WAIT", "1", "100"}});
  }
  return nullptr;
}

struct Case {
  std::string name;
  std::string lock;
  std::string scenario;
  Bounds bounds;
};

inline std::ostream& operator<<(std::ostream& out, const Case& one) {
  return out << one.lock << " in " << one.scenario << ": " << ToText(one.bounds);
}

class ExploreTest : public ::testing::Test {
 protected:
  ExploreOptions Options(const Case& one) {
    subject_ = Named(one.lock);
    if (subject_ == nullptr) throw std::logic_error("no lock is named " + one.lock);
    ExploreOptions options;
    const Scenario* scenario = FindScenario(one.scenario);
    options.run_case = {subject_.get(), scenario, scenario->classes.back()};
    options.bounds = one.bounds;
    options.minimise = false;
    return options;
  }

 private:
  std::shared_ptr<const harness::Subject> subject_;
};

inline void ExpectSame(const Exploration& one, const Exploration& other) {
  EXPECT_TRUE(one.complete);
  EXPECT_TRUE(other.complete);
  EXPECT_EQ(one.inconclusive, other.inconclusive);
  EXPECT_EQ(one.divergences, 0U);
  EXPECT_EQ(one.outcomes, other.outcomes);
  for (const Judged property : kAllJudged) {
    EXPECT_EQ(one.violated[property], other.violated[property]) << Slug(property);
  }
}

inline Bounds Of(int clients, int attempts) {
  Bounds bounds;
  bounds.clients = clients;
  bounds.attempts = attempts;
  bounds.expiries = 1;
  return bounds;
}

inline Bounds WithCrash(Bounds bounds) {
  bounds.crashes = 1;
  return bounds;
}

inline Bounds WithLostReply(Bounds bounds) {
  bounds.lost_replies = 1;
  return bounds;
}

inline Bounds WithPause(Bounds bounds) {
  bounds.pauses = 1;
  return bounds;
}

inline Bounds WithFailover(Bounds bounds) {
  bounds.failovers = 1;
  return bounds;
}

inline Bounds WithRestart(Bounds bounds, sim::Persistence persistence) {
  bounds.restarts = 1;
  bounds.persistence = persistence;
  return bounds;
}

inline Bounds Waiting(Bounds bounds) {
  bounds.waits = true;
  return bounds;
}

}  // namespace interlock::scenarios
