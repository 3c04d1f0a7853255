// SPDX-License-Identifier: MIT
//
// The distribution of the generated workloads. Shares are measured over a fixed set of seeds, so
// the same answer comes every time; the bounds are some five standard deviations wide, and far from
// what an even mixture, or a swarm that forgot a die, would give.
#include "scenarios/cases/swarm.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "scenarios/cases/generators.h"
#include "sim/choices.h"

namespace interlock::scenarios {
namespace {

constexpr int kRuns = 8000;

WorkloadShape Shape(std::string_view scenario) {
  const Scenario* found = FindScenario(scenario);
  EXPECT_NE(found, nullptr) << scenario;
  return found->shape;
}

std::vector<Workload> DrawSwarm(const WorkloadShape& shape) {
  std::vector<Workload> workloads;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    workloads.push_back(Cooked(shape, Drawn(shape, sim::MixSeed(seed, 11))));
  }
  return workloads;
}

double Share(const std::vector<Workload>& workloads,
             const std::function<bool(const Workload&)>& has) {
  const auto count = std::count_if(workloads.begin(), workloads.end(), has);
  return static_cast<double>(count) / static_cast<double>(workloads.size());
}

std::vector<Operation> OperationsOf(const Workload& workload) {
  std::vector<Operation> all;
  for (const ClientPlan& client : workload.clients) {
    all.insert(all.end(), client.operations.begin(), client.operations.end());
  }
  return all;
}

bool Has(const Workload& workload, sim::FaultKind kind) {
  const sim::FaultPlan plan = FaultPlanOf(workload);
  return std::any_of(plan.begin(), plan.end(),
                     [kind](const sim::Fault& fault) { return fault.kind == kind; });
}

/// Counts of a number's values, as shares.
template <typename Number>
std::map<Number, double> Spread(const std::vector<Number>& numbers) {
  std::map<Number, double> shares;
  for (const Number number : numbers) shares[number] += 1.0 / static_cast<double>(numbers.size());
  return shares;
}

/// Every value is about as frequent as all others.
template <typename Number>
void ExpectEven(const std::vector<Number>& numbers, std::size_t values, double tolerance) {
  const auto shares = Spread(numbers);
  EXPECT_EQ(shares.size(), values);
  const double even = 1.0 / static_cast<double>(values);
  for (const auto& [value, share] : shares) {
    EXPECT_NEAR(share, even, even * tolerance) << static_cast<double>(value);
  }
}

/// Lengths of the kinds' faults, as powers of two times the lease.
std::vector<double> LengthsOf(const std::vector<Workload>& workloads, sim::FaultKind kind) {
  std::vector<double> powers;
  for (const Workload& workload : workloads) {
    for (const sim::Fault& fault : FaultPlanOf(workload)) {
      if (fault.kind != kind) continue;
      const double ratio =
          static_cast<double>(fault.length.count()) / static_cast<double>(workload.lease.count());
      powers.push_back(std::round(std::log2(ratio) * 16) / 16);
    }
  }
  return powers;
}

TEST(SwarmTest, AFifthOfTheRunsOfAFaultyScenarioIsCalm) {
  for (const Scenario& scenario : Catalogue()) {
    if (!scenario.pinned.empty() || scenario.shape.faults.empty()) continue;
    const double calm = Share(DrawSwarm(scenario.shape),
                              [](const Workload& one) { return FaultPlanOf(one).empty(); });
    EXPECT_NEAR(calm, 0.2, 0.03) << scenario.name;
  }
}

// With two kinds and many faults, a kind is absent because the run is calm (1/5), or because the
// other one is on alone (3/8 of the rest), or because its weight is small.
TEST(SwarmTest, EachKindOfFaultIsOffInAboutHalfOfTheRuns) {
  WorkloadShape shape = Shape("crash");
  shape.faults = {sim::FaultKind::kCrash, sim::FaultKind::kPause};
  shape.max_faults = 30;
  const std::vector<Workload> workloads = DrawSwarm(shape);
  for (const sim::FaultKind kind : shape.faults) {
    const double absent = Share(workloads, [kind](const Workload& one) { return !Has(one, kind); });
    EXPECT_GT(absent, 0.48) << sim::ToString(kind);
    EXPECT_LT(absent, 0.64) << sim::ToString(kind);
  }
}

TEST(SwarmTest, EveryKindOfFaultHasItsTurn) {
  const WorkloadShape shape = Shape("chaos");
  const std::vector<Workload> workloads = DrawSwarm(shape);
  std::vector<double> present;
  for (const sim::FaultKind kind : shape.faults) {
    present.push_back(Share(workloads, [kind](const Workload& one) { return Has(one, kind); }));
  }
  const auto [least, most] = std::minmax_element(present.begin(), present.end());
  EXPECT_GT(*least, 0.1);
  EXPECT_LT(*most, 0.3);
  EXPECT_LT(*most / *least, 1.25);
}

// An even mixture of three would make all of six operations alike in one run of 243.
TEST(SwarmTest, HalfOfTheRunsAskInOneWayOnly) {
  std::vector<Workload> long_ones = DrawSwarm(Shape("chaos"));
  std::erase_if(long_ones, [](const Workload& one) { return OperationsOf(one).size() < 6; });
  ASSERT_GT(long_ones.size(), 1000u);
  const double alike = Share(long_ones, [](const Workload& one) {
    const std::vector<Operation> all = OperationsOf(one);
    return std::all_of(all.begin(), all.end(),
                       [&](const Operation& operation) { return operation.ask == all[0].ask; });
  });
  EXPECT_GT(alike, 0.48);
  EXPECT_LT(alike, 0.64);
  for (const Ask ask : {Ask::kTry, Ask::kWaitFor, Ask::kWait}) {
    const double absent = Share(long_ones, [ask](const Workload& one) {
      const std::vector<Operation> all = OperationsOf(one);
      return std::none_of(all.begin(), all.end(),
                          [ask](const Operation& operation) { return operation.ask == ask; });
    });
    EXPECT_GT(absent, 0.40) << ToString(ask);
    EXPECT_LT(absent, 0.60) << ToString(ask);
  }
}

TEST(SwarmTest, ExtendingAndOverstayingAreOffInHalfOfTheRunsAndSometimesInEveryOperation) {
  std::vector<Workload> long_ones = DrawSwarm(Shape("chaos"));
  std::erase_if(long_ones, [](const Workload& one) { return OperationsOf(one).size() < 6; });
  const std::vector<std::function<bool(const Operation&)>> does = {
      [](const Operation& one) { return one.extend; },
      [](const Operation& one) { return one.overstay.count() > 0; }};
  for (const auto& it : does) {
    const double never = Share(long_ones, [&](const Workload& one) {
      const std::vector<Operation> all = OperationsOf(one);
      return std::none_of(all.begin(), all.end(), it);
    });
    const double always = Share(long_ones, [&](const Workload& one) {
      const std::vector<Operation> all = OperationsOf(one);
      return std::all_of(all.begin(), all.end(), it);
    });
    EXPECT_GT(never, 0.48);
    EXPECT_LT(never, 0.65);
    EXPECT_GT(always, 0.02);
    EXPECT_LT(always, 0.15);
  }
}

TEST(SwarmTest, NumbersOfClientsAndResourcesAreEven) {
  WorkloadShape shape = Shape("chaos");
  shape.max_resources = kMostResources;
  std::vector<std::size_t> clients;
  std::vector<int> resources;
  std::set<int> asked_for;
  double marathons = 0;
  for (const Workload& workload : DrawSwarm(shape)) {
    clients.push_back(workload.clients.size());
    resources.push_back(workload.resources);
    marathons += workload.clients[0].operations.size() > 3 ? 1.0 / kRuns : 0;
    for (const Operation& operation : OperationsOf(workload)) {
      EXPECT_LT(operation.resource, workload.resources);
      asked_for.insert(operation.resource);
    }
  }
  ExpectEven(clients, 5, 0.1);  // 2 to 6
  ExpectEven(resources, 3, 0.1);
  EXPECT_EQ(asked_for, (std::set<int>{0, 1, 2}));
  EXPECT_NEAR(marathons, 0.1, 0.02);
}

TEST(SwarmTest, RatiosOfLeaseLatencyAndHoldAreLogUniform) {
  std::vector<double> latencies;
  std::vector<double> holds;
  for (const Workload& workload : DrawSwarm(Shape("chaos"))) {
    const auto lease = static_cast<double>(workload.lease.count());
    const auto latency = static_cast<double>(workload.latency_max.count());
    latencies.push_back(std::floor(std::log2(lease / latency) + 0.01));
    EXPECT_LE(latency, lease / 100);
    for (const Operation& operation : OperationsOf(workload)) {
      const double ratio = lease / static_cast<double>(operation.hold.count());
      if (ratio > 1.2) holds.push_back(std::floor(std::log2(ratio) + 0.01));
    }
  }
  // From a hundredth of the lease (6.7 powers of two) to a 16384th; 7 has two rungs' neighbours.
  const auto latency_shares = Spread(latencies);
  EXPECT_EQ(latency_shares.begin()->first, 6);
  EXPECT_EQ(latency_shares.rbegin()->first, 14);
  EXPECT_EQ(latency_shares.size(), 9u);
  for (const auto& [power, share] : latency_shares) EXPECT_NEAR(share, 1.0 / 9, 0.02) << power;
  ExpectEven(holds, 10, 0.15);  // 2^-1 to 2^-10
}

TEST(SwarmTest, LengthsOfPausesAreLogUniformAroundTheLease) {
  const std::vector<double> lengths = LengthsOf(DrawSwarm(Shape("pause")), sim::FaultKind::kPause);
  ExpectEven(lengths, 13, 0.25);
  EXPECT_EQ(*std::min_element(lengths.begin(), lengths.end()), -6);
  EXPECT_EQ(*std::max_element(lengths.begin(), lengths.end()), 6);
}

TEST(SwarmTest, AHugeDelayIsRareAndPartitionsHaveALeastLength) {
  WorkloadShape shape = Shape("lossy");
  shape.faults = {sim::FaultKind::kDelayRequest, sim::FaultKind::kPartition};
  const std::vector<Workload> workloads = DrawSwarm(shape);
  const std::vector<double> delays = LengthsOf(workloads, sim::FaultKind::kDelayRequest);
  const auto huge = static_cast<double>(
      std::count_if(delays.begin(), delays.end(), [](double power) { return power > 6; }));
  EXPECT_NEAR(huge / static_cast<double>(delays.size()), 1.0 / 32, 0.012);
  const std::vector<double> partitions = LengthsOf(workloads, sim::FaultKind::kPartition);
  EXPECT_EQ(*std::min_element(partitions.begin(), partitions.end()), -4);
  EXPECT_EQ(*std::max_element(partitions.begin(), partitions.end()), 4);
}

TEST(SwarmTest, ClocksRunWithinTheShapesRateInHalfOfTheRuns) {
  WorkloadShape shape = Shape("chaos");
  shape.max_rate_ppm = 800;
  std::set<std::int64_t> rates;
  const double exact = Share(DrawSwarm(shape), [&](const Workload& one) {
    for (const ClientPlan& client : one.clients) rates.insert(client.clock_rate_ppm);
    return std::all_of(one.clients.begin(), one.clients.end(),
                       [](const ClientPlan& client) { return client.clock_rate_ppm == 0; });
  });
  EXPECT_EQ(rates, (std::set<std::int64_t>{-800, -400, -200, -100, 0, 100, 200, 400, 800}));
  EXPECT_NEAR(exact, 0.5, 0.03);
}

TEST(SwarmTest, OthersShareTheFirstClientsObjectsAsOftenAsNotAndElseTheRunsAreTheSame) {
  WorkloadShape shape = Shape("one-object");
  std::vector<Workload> sharing = DrawSwarm(shape);
  shape.share_objects = false;
  const std::vector<Workload> apart = DrawSwarm(shape);
  const auto shares = [](const ClientPlan& client) { return client.shares_objects; };
  EXPECT_EQ(Share(sharing,
                  [&](const Workload& one) {
                    return std::any_of(one.clients.begin(), one.clients.end(), shares) &&
                           !shares(one.clients.front());
                  }),
            1.0);
  const double alone = Share(sharing, [](const Workload& one) {
    return one.clients.size() == 4 && ProcessOf(one, 3) == 3;
  });
  EXPECT_NEAR(alone, 1.0 / 9, 0.02)
      << "one of three sizes; one in three is picked, or else by half";
  for (std::size_t i = 0; i < sharing.size(); ++i) {
    for (std::size_t j = 0; j < sharing[i].clients.size(); ++j) {
      ClientPlan& client = sharing[i].clients[j];
      if (!client.shares_objects) continue;
      const ClientPlan& host =
          sharing[i].clients[static_cast<std::size_t>(ProcessOf(sharing[i], static_cast<int>(j)))];
      EXPECT_EQ(client.clock_offset, host.clock_offset);
      EXPECT_EQ(client.lease, host.lease);
    }
    for (std::size_t j = 0; j < sharing[i].clients.size(); ++j) {
      ClientPlan& client = sharing[i].clients[j];
      client.shares_objects = false;
      client.clock_offset = apart[i].clients[j].clock_offset;
      client.lease = apart[i].clients[j].lease;
    }
    EXPECT_EQ(sharing[i], apart[i]);
  }
}

TEST(SwarmTest, ASemaphoreOverAQuorumHasOneToThreePermitsAndElseTheSameRuns) {
  WorkloadShape shape = Shape("quorum-chaos");
  const std::vector<Workload> of_locks = DrawSwarm(shape);
  shape.extras = ExtrasOf({.kind = harness::Permits{}, .quorum = true});
  std::vector<Workload> of_permits = DrawSwarm(shape);
  for (const int permits : {1, 2, 3}) {
    EXPECT_NEAR(Share(of_permits, [=](const Workload& one) { return one.permits == permits; }),
                1.0 / 3, 0.03);
  }
  for (Workload& workload : of_permits) workload.permits = 1;
  EXPECT_EQ(of_permits, of_locks);
}

}  // namespace
}  // namespace interlock::scenarios
