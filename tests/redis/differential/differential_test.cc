// SPDX-License-Identifier: MIT
//
// The fake against a real redis-server 7.0.15: generated sequences of commands by several
// connections run on both side by side. Every reply and message, and all data at the end, must be
// the same byte for byte but for what compare.h names. A disagreement shrinks to a sequence that
// may be kept in regressions.cc.
//
// INTERLOCK_DIFFERENTIAL_COMMANDS: how many commands in all; a night may take 5000000.
// INTERLOCK_DIFFERENTIAL_SEED: of the generated sequences.
// INTERLOCK_DIFFERENTIAL_DISAGREEMENTS: of one kind of sequences, after which it gives up.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tests/redis/differential/coverage.h"
#include "tests/redis/differential/functions_grammar.h"
#include "tests/redis/differential/generator.h"
#include "tests/redis/differential/pair.h"
#include "tests/redis/differential/regressions.h"
#include "tests/redis/differential/scripts.h"

namespace interlock::testing {
namespace {

constexpr std::uint64_t kSeedStride = 1000000007;
constexpr std::uint64_t kEnough = 200000;
constexpr int kMostShrinkRuns = 3000;

std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::uint64_t Commands() {
  return FromEnvironment("INTERLOCK_DIFFERENTIAL_COMMANDS", INTERLOCK_DIFFERENTIAL_DEFAULT);
}

std::uint64_t Seed() { return FromEnvironment("INTERLOCK_DIFFERENTIAL_SEED", 1); }

// RapidCheck's sizes, from small to large and again.
int Size(std::uint64_t sequence) { return static_cast<int>(sequence % (rc::kNominalSize + 1)); }

struct Failure {
  Case sequence;
  std::string text;
};

// The simplest sequence on which they still disagree.
Failure Shrink(Pair* pair, rc::Shrinkable<Case> tree, std::string text) {
  Failure failure{tree.value(), std::move(text)};
  rc::Seq<rc::Shrinkable<Case>> candidates = tree.shrinks();
  for (int runs = 0; runs < kMostShrinkRuns; ++runs) {
    auto candidate = candidates.next();
    if (!candidate) break;
    std::optional<std::string> disagreement = pair->Run(candidate->value(), nullptr);
    if (!disagreement || disagreement->find("is gone") != std::string::npos) continue;
    failure = {candidate->value(), std::move(*disagreement)};
    candidates = candidate->shrinks();
  }
  return failure;
}

class Differential : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    pair_ = new Pair();
    coverage_ = new Coverage();
  }
  static void TearDownTestSuite() {
    delete std::exchange(pair_, nullptr);
    delete std::exchange(coverage_, nullptr);
  }

  // `share`: how many of a hundred of all commands.
  static void Run(std::string_view name, std::uint64_t share) {
    const Profile& profile = *std::find_if(Profiles().begin(), Profiles().end(),
                                           [name](const Profile& p) { return p.name == name; });
    const rc::Gen<Case> any_case = AnyCase(profile);
    std::uint64_t left = Commands() * share / 100;
    std::uint64_t patience = FromEnvironment("INTERLOCK_DIFFERENTIAL_DISAGREEMENTS", 3);
    for (std::uint64_t i = 0; left > 0 && patience > 0; ++i) {
      rc::Shrinkable<Case> tree = any_case(rc::Random(Seed() * kSeedStride + i), Size(i));
      const std::uint64_t before = pair_->commands();
      std::optional<std::string> disagreement = pair_->Run(tree.value(), coverage_);
      left -= std::min(left, pair_->commands() - before);
      if (!disagreement) continue;
      --patience;
      const Failure failure = Shrink(pair_, std::move(tree), std::move(*disagreement));
      ADD_FAILURE() << "INTERLOCK_DIFFERENTIAL_SEED=" << Seed() << ", sequence " << i << " of "
                    << name << "; as a regression:\n"
                    << ToText(failure.sequence) << failure.text;
    }
  }

  static inline Pair* pair_ = nullptr;
  static inline Coverage* coverage_ = nullptr;
};

TEST_F(Differential, RegressionsAgree) {
  for (const Regression& regression : Regressions()) {
    const Case sequence = ParseCase(regression.sequence);
    const auto disagreement = pair_->Run(sequence, nullptr);
    EXPECT_FALSE(disagreement) << regression.name << "\n" << ToText(sequence) << *disagreement;
  }
}

// Each body once over the same data, so that one disagreement does not hide another.
TEST_F(Differential, EveryScriptBodyAgrees) {
  for (const std::string_view body : ScriptBodies()) {
    for (const char* protocol : {"2", "3"}) {
      Case sequence = ParseCase("0> SET s1 text\n0> HSET h1 a 1\n0> ZADD z1 0.1 a\n");
      sequence.steps.push_back({0, {"HELLO", protocol}});
      sequence.steps.push_back({0, {"EVAL", std::string(body), "2", "s1", "l1", "text", "10"}});
      sequence.steps.push_back({0, {"EVAL", std::string(body), "2", "h1", "l1", "\r\n", "-1"}});
      const auto disagreement = pair_->Run(sequence, coverage_);
      EXPECT_FALSE(disagreement) << ToText(sequence) << *disagreement;
    }
  }
}

// As a library of its own, each loaded twice, and called if it is good.
TEST_F(Differential, EveryLibraryAgrees) {
  for (const std::string_view code : LibraryCodes()) {
    Case sequence = ParseCase("0> HELLO 3\n");
    sequence.steps.push_back({0, {"FUNCTION", "LOAD", std::string(code)}});
    sequence.steps.push_back({0, {"FUNCTION", "LOAD", std::string(code)}});
    sequence.steps.push_back({0, {"FUNCTION", "LOAD", "REPLACE", std::string(code)}});
    for (const Step& step : ParseCase("0> FUNCTION LIST WITHCODE\n0> FUNCTION STATS\n"
                                      "0> FCALL f 0\n0> FCALL f1 1 a b\n0> FCALL a 0\n")
                                .steps) {
      sequence.steps.push_back(step);
    }
    const auto disagreement = pair_->Run(sequence, coverage_);
    EXPECT_FALSE(disagreement) << ToText(sequence) << *disagreement;
  }
}

TEST_F(Differential, EveryCommandAgreesInEveryWay) {
  for (const Case& sequence : EveryCommandInEveryWay(rc::Random(Seed()))) {
    const auto disagreement = pair_->Run(sequence, coverage_);
    EXPECT_FALSE(disagreement) << ToText(sequence) << *disagreement;
  }
}

TEST_F(Differential, EveryScriptBodyAgreesAsAFunction) {
  for (const std::string_view body : ScriptBodies()) {
    Case sequence = ParseCase("0> SET s1 text\n0> HSET h1 a 1\n0> ZADD z1 0.1 a\n");
    sequence.steps.push_back({0, {"FUNCTION", "LOAD", LibraryOf(body)}});
    sequence.steps.push_back({0, {"FCALL", "body_of", "2", "s1", "l1", "text", "10"}});
    sequence.steps.push_back({0, {"FCALL", "body_of", "2", "h1", "l1", "\r\n", "-1"}});
    const auto disagreement = pair_->Run(sequence, coverage_);
    EXPECT_FALSE(disagreement) << ToText(sequence) << *disagreement;
  }
}

TEST_F(Differential, DataCommandsAgree) { Run("data", 25); }
TEST_F(Differential, TransactionsAgree) { Run("transactions", 9); }
TEST_F(Differential, ScriptsAgree) { Run("scripts", 15); }
TEST_F(Differential, FunctionsAgree) { Run("functions", 9); }
TEST_F(Differential, BlockedClientsAgree) { Run("blocking", 10); }
TEST_F(Differential, MessagesAgree) { Run("messages", 8); }
TEST_F(Differential, EventsAgree) { Run("events", 8); }
TEST_F(Differential, SettingsAgree) { Run("settings", 10); }
TEST_F(Differential, TrackingAgrees) { Run("tracking", 6); }

// The last one, because it judges what those before it have reached.
TEST_F(Differential, EveryModelledCommandIsReachedInEveryWay) {
  std::cout << coverage_->Table() << pair_->commands() << " commands, seed " << Seed() << "\n";
  if (pair_->commands() < kEnough) GTEST_SKIP() << "too few commands to reach everything";
  std::string gaps;
  for (const std::string& gap : coverage_->Gaps()) gaps.append(gap).append("\n");
  EXPECT_EQ(gaps, "");
}

}  // namespace
}  // namespace interlock::testing
