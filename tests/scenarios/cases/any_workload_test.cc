// SPDX-License-Identifier: MIT
//
// The tree of smaller workloads, gone down as RapidCheck does: to the first one below that fails
// too, until none does.
#include "tests/scenarios/cases/any_workload.h"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

namespace interlock::scenarios::testing {
namespace {

const Scenario& Chaos() { return *FindScenario("chaos"); }

std::size_t FaultsOf(const Workload& workload) { return FaultPlanOf(workload).size(); }

bool HasCrash(const Workload& workload) {
  const sim::FaultPlan plan = FaultPlanOf(workload);
  return std::any_of(plan.begin(), plan.end(),
                     [](const sim::Fault& fault) { return fault.kind == sim::FaultKind::kCrash; });
}

/// Clients, operations and faults.
std::size_t SizeOf(const Workload& workload) {
  std::size_t size = workload.clients.size() + FaultsOf(workload);
  for (const ClientPlan& client : workload.clients) size += client.operations.size();
  return size;
}

/// The local minimum below this seed's workload of those that fail.
Workload Smallest(std::uint64_t seed, const std::function<bool(const Workload&)>& fails) {
  rc::Shrinkable<Workload> node = TreeOf(Chaos(), seed);
  for (int steps = 0; steps < 1000; ++steps) {
    rc::Seq<rc::Shrinkable<Workload>> below = node.shrinks();
    auto next = below.next();
    while (next && !fails(next->value())) next = below.next();
    if (!next) return node.value();
    node = *next;
  }
  ADD_FAILURE() << "seed " << seed << " has no end";
  return node.value();
}

TEST(AnyWorkloadTest, IfEverythingFailsTheSmallestWorkloadIsLeft) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Workload smallest = Smallest(seed, [](const Workload&) { return true; });
    EXPECT_EQ(smallest.clients.size(), 2U);
    EXPECT_EQ(SizeOf(smallest), 2U);
    EXPECT_EQ(smallest.lease, std::chrono::seconds(1));
  }
}

TEST(AnyWorkloadTest, NoWorkloadBelowIsLarger) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const rc::Shrinkable<Workload> root = TreeOf(Chaos(), seed);
    rc::Seq<rc::Shrinkable<Workload>> below = root.shrinks();
    int offered = 0;
    while (const auto next = below.next()) {
      ++offered;
      EXPECT_LE(SizeOf(next->value()), SizeOf(root.value()));
    }
    EXPECT_GT(offered, 0);
  }
}

TEST(AnyWorkloadTest, IfCrashesFailOneCrashIsLeft) {
  int tried = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    if (!HasCrash(TreeOf(Chaos(), seed).value())) continue;
    ++tried;
    const Workload smallest = Smallest(seed, HasCrash);
    EXPECT_EQ(smallest.clients.size(), 2U);
    EXPECT_EQ(FaultsOf(smallest), 1U);
    EXPECT_EQ(SizeOf(smallest), 3U);
  }
  EXPECT_GT(tried, 10);
}

}  // namespace
}  // namespace interlock::scenarios::testing
