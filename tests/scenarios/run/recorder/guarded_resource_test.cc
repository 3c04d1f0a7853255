// SPDX-License-Identifier: MIT
//
// The model of what a lock guards: whom each kind lets in, and which updates it counts as lost.
#include "scenarios/run/recorder/guarded_resource.h"

#include <optional>

#include <gtest/gtest.h>

namespace interlock::scenarios {
namespace {

using Visitor = GuardedResource::Visitor;

constexpr Visitor kFirst{0, 33};
constexpr Visitor kSecond{1, 34};

/// The first holder reads; the second one reads and writes; then the first one's write comes.
bool StaleWriteIsAccepted(GuardedResource& resource, const Visitor& first, const Visitor& second) {
  EXPECT_EQ(resource.Read(first), 0U);
  EXPECT_EQ(resource.Read(second), 0U);
  EXPECT_TRUE(resource.Write(second, 1));
  return resource.Write(first, 1);
}

TEST(GuardedResourceTest, TheUnfencedAcceptsAStaleWriteAndLosesAnUpdate) {
  GuardedResource resource(GuardKind::kUnfenced);
  EXPECT_TRUE(StaleWriteIsAccepted(resource, kFirst, kSecond));
  EXPECT_EQ(resource.accepted_writes(), 2U);
  EXPECT_EQ(resource.lost_updates(), 1U);
}

TEST(GuardedResourceTest, TheFencedRefusesATokenBelowTheHighestSeen) {
  GuardedResource resource(GuardKind::kFenced);
  EXPECT_FALSE(StaleWriteIsAccepted(resource, kFirst, kSecond));
  EXPECT_EQ(resource.Read(kFirst), std::nullopt);
  EXPECT_EQ(resource.accepted_writes(), 1U);
  EXPECT_EQ(resource.lost_updates(), 0U);
}

// A later holder has read only: the older one must not write what it read before.
TEST(GuardedResourceTest, TheFencedLearnsTheTokenOfAReaderToo) {
  GuardedResource resource(GuardKind::kFenced);
  EXPECT_EQ(resource.Read(kFirst), 0U);
  EXPECT_EQ(resource.Read(kSecond), 0U);
  EXPECT_FALSE(resource.Write(kFirst, 1));
  EXPECT_TRUE(resource.Write(kSecond, 1));
  EXPECT_EQ(resource.lost_updates(), 0U);
}

TEST(GuardedResourceTest, TheFencedLetsTheSameTokenInAgain) {
  GuardedResource resource(GuardKind::kFenced);
  EXPECT_EQ(resource.Read(kFirst), 0U);
  EXPECT_TRUE(resource.Write(kFirst, 1));
  EXPECT_EQ(resource.Read(kFirst), 1U);
}

TEST(GuardedResourceTest, TheFencedLetsInWhoHasNoToken) {
  GuardedResource resource(GuardKind::kFenced);
  EXPECT_TRUE(StaleWriteIsAccepted(resource, {0, std::nullopt}, {1, std::nullopt}));
  EXPECT_EQ(resource.lost_updates(), 1U);
}

TEST(GuardedResourceTest, CheckAndSetRefusesAWriteAfterAnothersRead) {
  GuardedResource resource(GuardKind::kCheckAndSet);
  EXPECT_FALSE(StaleWriteIsAccepted(resource, {0, {}}, {1, {}}));
  EXPECT_EQ(resource.lost_updates(), 0U);
}

// antirez.a2p: who reads last may write, even if its grant is the older one.
TEST(GuardedResourceTest, CheckAndSetKnowsNoOrder) {
  GuardedResource resource(GuardKind::kCheckAndSet);
  EXPECT_FALSE(StaleWriteIsAccepted(resource, kSecond, kFirst));
}

}  // namespace
}  // namespace interlock::scenarios
