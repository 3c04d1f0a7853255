// SPDX-License-Identifier: MIT
//
// What a world shows to a source of choices, and what the source may do to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>

#include "tests/sim/world_fixture.h"

namespace interlock::sim {
namespace {

/// Two clients that set the same key, and a third that sets another one, in one world.
std::uint64_t SetKeys(Choices& choices, const FaultPlan& plan) {
  Universe universe;
  World world(universe, WorldOptions{}, plan, choices, nullptr);
  for (int client = 0; client < 3; ++client) {
    world.AddProcess({});
    world.Start(client, [&world, client] {
      auto connected = world.connector(client).Connect(kNever);
      if (!connected.ok()) return;
      for (int round = 0; round < 5; ++round) {
        world.Step(client);
        const char* key = client == 2 ? "other" : (round % 2 == 0 ? "{k}:a" : "{k}:b");
        const MonotonicTime deadline = AddSaturating(world.runtime(client).Now(), seconds(1));
        if (!Call(**connected, {"SET", key, "v"}, deadline).ok()) return;
      }
    });
  }
  world.Run(kHorizon);
  world.Heal();
  world.Run(2 * kHorizon);
  return world.trace().hash();
}

class WatchingSource final : public ChoiceSource {
 public:
  explicit WatchingSource(std::map<int, std::set<std::uint64_t>>& resources, bool& equal_commands)
      : resources_(resources), equal_commands_(equal_commands) {}
  std::uint32_t Draw(Lane lane, std::uint32_t bound) override { return draws_.Draw(lane, bound); }
  // Everybody's messages arrive at once, so that tasks are often ready together.
  std::uint32_t PickLatency(int, std::uint32_t) override { return 0; }
  std::uint32_t PickTask(std::span<const Candidate> candidates) override {
    std::map<std::uint64_t, std::uint64_t> resource_of;
    for (const Candidate& candidate : candidates) {
      if (candidate.resource != 0) resources_[candidate.process].insert(candidate.resource);
      if (candidate.pending == 0) continue;
      const auto [at, added] = resource_of.emplace(candidate.pending, candidate.resource);
      if (!added && at->second == candidate.resource) equal_commands_ = true;
    }
    return Draw(Lane::kSchedule, static_cast<std::uint32_t>(candidates.size()));
  }
  bool sees_candidates() const override { return true; }

 private:
  SeededSource draws_{1};
  std::map<int, std::set<std::uint64_t>>& resources_;
  bool& equal_commands_;
};

TEST(ChoiceSourceTest, CandidatesNameTheResourceOfTheCommandThatTheyAreAboutToSend) {
  std::map<int, std::set<std::uint64_t>> resources;
  bool equal_commands = false;
  Choices choices =
      Choices::FromSource(std::make_unique<WatchingSource>(resources, equal_commands));
  SetKeys(choices, {});
  ASSERT_EQ(resources.size(), 3u);
  EXPECT_EQ(resources[0].size(), 1u) << "all keys with one hash tag are one resource";
  EXPECT_EQ(resources[0], resources[1]);
  EXPECT_NE(resources[0], resources[2]);
  EXPECT_TRUE(equal_commands) << "the same command has the same hash, whoever sends it";
}

class InjectingSource final : public ChoiceSource {
 public:
  std::uint32_t Draw(Lane lane, std::uint32_t bound) override { return draws_.Draw(lane, bound); }
  std::optional<Fault> InjectFault(int process, int step, StepKind kind) override {
    ++kinds[kind];
    const auto strike = [&](int p, int s, FaultKind fault, Duration length) {
      return process == p && step == s && done_.insert({p, s, fault}).second
                 ? std::optional<Fault>(Fault{fault, p, s, length})
                 : std::nullopt;
    };
    if (auto fault = strike(0, 3, FaultKind::kPause, milliseconds(7))) return fault;
    if (auto fault = strike(0, 3, FaultKind::kLostReply, {})) return fault;
    return strike(1, 6, FaultKind::kCrash, {});
  }
  bool injects_faults() const override { return true; }

  std::map<StepKind, int> kinds;

 private:
  SeededSource draws_{5};
  std::set<std::tuple<int, int, FaultKind>> done_;
};

TEST(ChoiceSourceTest, ARunWithInjectedFaultsReplaysFromItsPlanAndTape) {
  auto owner = std::make_unique<InjectingSource>();
  InjectingSource& source = *owner;
  Choices choices = Choices::FromSource(std::move(owner));
  const FaultPlan plan = {{FaultKind::kDelayReply, 2, 4, milliseconds(3)}};
  const std::uint64_t hash = SetKeys(choices, plan);
  ASSERT_EQ(choices.injected().size(), 3u);
  for (const StepKind kind : {StepKind::kConnect, StepKind::kBeforeSend, StepKind::kAfterSend,
                              StepKind::kReply, StepKind::kClock, StepKind::kMark}) {
    EXPECT_GT(source.kinds[kind], 0) << static_cast<int>(kind);
  }

  FaultPlan whole = plan;
  whole.insert(whole.end(), choices.injected().begin(), choices.injected().end());
  Choices replay = Choices::FromTape(choices.TakeTape());
  EXPECT_EQ(SetKeys(replay, whole), hash);
  Choices without = Choices::FromTape(choices.TakeTape());
  EXPECT_NE(SetKeys(without, plan), hash);
}

TEST(ChoiceSourceTest, APlainSourceOfTheCallerRunsAsTheSeedThatItHolds) {
  class Plain final : public ChoiceSource {
   public:
    std::uint32_t Draw(Lane lane, std::uint32_t bound) override { return draws_.Draw(lane, bound); }
    bool sees_candidates() const override { return true; }
    bool injects_faults() const override { return true; }

   private:
    SeededSource draws_{9};
  };
  Choices seeded = Choices::FromSeed(9);
  Choices held = Choices::FromSource(std::make_unique<Plain>());
  const FaultPlan plan = {{FaultKind::kCrash, 1, 9, {}}};
  EXPECT_EQ(SetKeys(seeded, plan), SetKeys(held, plan));
}

}  // namespace
}  // namespace interlock::sim
