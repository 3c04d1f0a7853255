// SPDX-License-Identifier: MIT
//
// For any workload and tape at all: what goes in comes out; for any bytes at all: no crash, and
// nothing but a sound token is accepted.
#include <cstdio>
#include <optional>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scenarios/cases/replay_token.h"

namespace interlock::scenarios {
namespace {

/// A token refuses what is longer: a sum of lengths must not overflow.
constexpr std::int64_t kLongest = 100'000'000'000'000;  // ns

rc::Gen<Duration> LengthFrom(std::int64_t least) {
  return rc::gen::map(rc::gen::inRange<std::int64_t>(least, kLongest),
                      [](std::int64_t count) { return Duration(count); });
}

rc::Gen<std::size_t> IndexOf(std::size_t size) { return rc::gen::inRange<std::size_t>(0, size); }

rc::Gen<Duration> AnyLength() { return LengthFrom(-kLongest); }

// One value after the other: generators of whole structs would be the slowest file to compile.
rc::Gen<Operation> AnyOperation() {
  return rc::gen::exec([] {
    Operation operation;
    operation.ask = *rc::gen::element(Ask::kTry, Ask::kWaitFor, Ask::kWait);
    for (Duration* length : {&operation.think, &operation.wait, &operation.hold,
                             &operation.overstay, &operation.stall}) {
      *length = *AnyLength();
    }
    for (bool* flag :
         {&operation.extend, &operation.inside, &operation.outlives, &operation.drops,
          &operation.heedless, &operation.shared, &operation.forces, &operation.stops}) {
      *flag = *rc::gen::arbitrary<bool>();
    }
    operation.resource = *rc::gen::inRange(0, 3);
    operation.sets_limit = *rc::gen::inRange(0, 1001);
    if (operation.stops) operation.stop_after = *AnyLength();
    return operation;
  });
}

rc::Gen<PlannedFault> AnyFault() {
  return rc::gen::exec([] {
    PlannedFault fault;
    fault.kind = sim::KnownFaults()[*IndexOf(sim::KnownFaults().size())].kind;
    fault.step = *rc::gen::inRange(0, 1'000'001);
    fault.length = *AnyLength();
    fault.node = *rc::gen::inRange(0, 3);
    return fault;
  });
}

rc::Gen<ClientPlan> AnyClient() {
  return rc::gen::exec([] {
    ClientPlan client;
    client.clock_offset = *AnyLength();
    client.clock_rate_ppm = *rc::gen::inRange(-500'000, 500'001);
    if (*rc::gen::arbitrary<bool>()) client.limit = *rc::gen::inRange(0, 1001);
    client.lease = *rc::gen::element(Duration{}, Duration(1'000'000));
    client.shares_objects = *rc::gen::arbitrary<bool>();
    client.operations = *rc::gen::container<std::vector<Operation>>(AnyOperation());
    client.faults = *rc::gen::container<std::vector<PlannedFault>>(AnyFault());
    return client;
  });
}

rc::Gen<PackedRun> AnyRun() {
  return rc::gen::exec([] {
    PackedRun run;
    Workload& workload = run.workload;
    workload.lease = Duration(*rc::gen::inRange<std::int64_t>(1'000'000, 86'400'000'000'001));
    workload.life = *rc::gen::element(Duration{}, Duration(1'000'000), Duration(90'000'000));
    workload.permits = *rc::gen::inRange(1, 1001);
    workload.resources = kMostResources;
    workload.latency_max = *LengthFrom(0);
    workload.topology = *rc::gen::element(sim::Topology::kReplicated, sim::Topology::kIndependent,
                                          sim::Topology::kCluster, sim::Topology::kSentinel);
    workload.nodes = *rc::gen::inRange(1 + sim::kSentinelNodes, kMostNodes + 1);
    workload.persistence =
        *rc::gen::element(sim::Persistence::kNone, sim::Persistence::kRdb,
                          sim::Persistence::kAofAlways, sim::Persistence::kAofEverysec);
    workload.guard = *rc::gen::element(GuardKind::kNone, GuardKind::kUnfenced, GuardKind::kFenced,
                                       GuardKind::kCheckAndSet);
    workload.clients = *rc::gen::nonEmpty(rc::gen::container<std::vector<ClientPlan>>(AnyClient()));
    for (auto& lane : run.tape.lanes) lane = *rc::gen::arbitrary<std::vector<std::uint32_t>>();
    return run;
  });
}

rc::Gen<SynchronyClass> AnyClass() {
  return rc::gen::element(SynchronyClass::kNone, SynchronyClass::kBounded,
                          SynchronyClass::kArbitrary);
}

std::string WithCheckSum(const std::string& body) {
  char digits[16];
  std::snprintf(digits, sizeof digits, ":%08x", TokenCheckSum(body));
  return body + digits;
}

RC_GTEST_PROP(ReplayTokenPropertyTest, AnyPackedRunComesBack, ()) {
  const ReplayToken token{"broken/x", "chaos", *AnyClass(), *AnyRun()};
  const auto decoded = DecodeReplayToken(Encode(token));
  RC_ASSERT(decoded.ok());
  RC_ASSERT(decoded->lock == token.lock);
  RC_ASSERT(decoded->scenario == token.scenario);
  RC_ASSERT(decoded->synchrony == token.synchrony);
  RC_ASSERT((decoded->run == token.run));
}

RC_GTEST_PROP(ReplayTokenPropertyTest, AnySeedComesBack, (std::uint64_t seed)) {
  const auto decoded = DecodeReplayToken(Encode({"m", "s", *AnyClass(), seed}));
  RC_ASSERT(decoded.ok());
  RC_ASSERT(std::get<std::uint64_t>(decoded->run) == seed);
}

RC_GTEST_PROP(ReplayTokenPropertyTest, GarbageIsRefused, (const std::string& garbage)) {
  RC_ASSERT(!DecodeReplayToken(garbage).ok());
  RC_ASSERT(!DecodeReplayToken("v2:" + garbage).ok());
}

// A check sum proves that nothing was damaged, not that whoever wrote it was right.
RC_GTEST_PROP(ReplayTokenPropertyTest, GarbageWithARightCheckSumNeverCrashes, ()) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const auto letters = *rc::gen::container<std::vector<std::size_t>>(IndexOf(kAlphabet.size()));
  std::string packed;
  for (const std::size_t letter : letters) packed += kAlphabet[letter];
  const auto decoded = DecodeReplayToken(WithCheckSum("v2:mutex:chaos:none:p" + packed));
  if (!decoded.ok()) return;
  const auto again = DecodeReplayToken(Encode(*decoded));
  RC_ASSERT(again.ok());
  RC_ASSERT((again->run == decoded->run));
}

RC_GTEST_PROP(ReplayTokenPropertyTest, ADamagedPackedRunIsRefused, ()) {
  const std::string token = Encode({"m", "s", SynchronyClass::kNone, *AnyRun()});
  const auto at = *IndexOf(token.size());
  const char other = *rc::gen::distinctFrom(rc::gen::arbitrary<char>(), token[at]);
  std::string damaged = token;
  damaged[at] = other;
  RC_ASSERT(!DecodeReplayToken(damaged).ok());
}

}  // namespace
}  // namespace interlock::scenarios
