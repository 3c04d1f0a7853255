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

rc::Gen<Duration> AnyLength() { return LengthFrom(-kLongest); }

rc::Gen<Operation> AnyOperation() {
  auto unstopped = rc::gen::build<Operation>(
      rc::gen::set(&Operation::ask, rc::gen::element(Ask::kTry, Ask::kWaitFor, Ask::kWait)),
      rc::gen::set(&Operation::think, AnyLength()), rc::gen::set(&Operation::wait, AnyLength()),
      rc::gen::set(&Operation::hold, AnyLength()), rc::gen::set(&Operation::extend),
      rc::gen::set(&Operation::overstay, AnyLength()),
      rc::gen::set(&Operation::resource, rc::gen::inRange(0, 3)), rc::gen::set(&Operation::inside),
      rc::gen::set(&Operation::outlives), rc::gen::set(&Operation::drops),
      rc::gen::set(&Operation::heedless), rc::gen::set(&Operation::stall, AnyLength()),
      rc::gen::set(&Operation::shared),
      rc::gen::set(&Operation::sets_limit, rc::gen::inRange(0, 1001)),
      rc::gen::set(&Operation::forces));
  return rc::gen::map(rc::gen::pair(std::move(unstopped), rc::gen::maybe(AnyLength())),
                      [](std::pair<Operation, rc::Maybe<Duration>> drawn) {
                        auto& [operation, stop_after] = drawn;
                        operation.stops = static_cast<bool>(stop_after);
                        if (stop_after) operation.stop_after = *stop_after;
                        return operation;
                      });
}

rc::Gen<PlannedFault> AnyFault() {
  return rc::gen::build<PlannedFault>(
      rc::gen::set(&PlannedFault::kind,
                   rc::gen::map(rc::gen::inRange<std::size_t>(0, sim::KnownFaults().size()),
                                [](std::size_t index) { return sim::KnownFaults()[index].kind; })),
      rc::gen::set(&PlannedFault::step, rc::gen::inRange(0, 1'000'001)),
      rc::gen::set(&PlannedFault::length, AnyLength()),
      rc::gen::set(&PlannedFault::node, rc::gen::inRange(0, 3)));
}

rc::Gen<ClientPlan> AnyClient() {
  return rc::gen::build<ClientPlan>(
      rc::gen::set(&ClientPlan::clock_offset, AnyLength()),
      rc::gen::set(&ClientPlan::clock_rate_ppm, rc::gen::inRange<std::int64_t>(-500'000, 500'001)),
      rc::gen::set(&ClientPlan::limit, rc::gen::map(rc::gen::maybe(rc::gen::inRange(0, 1001)),
                                                    [](const rc::Maybe<int>& limit) {
                                                      return limit ? std::optional(*limit)
                                                                   : std::nullopt;
                                                    })),
      rc::gen::set(&ClientPlan::lease, rc::gen::element(Duration{}, Duration(1'000'000))),
      rc::gen::set(&ClientPlan::shares_objects),
      rc::gen::set(&ClientPlan::operations,
                   rc::gen::container<std::vector<Operation>>(AnyOperation())),
      rc::gen::set(&ClientPlan::faults, rc::gen::container<std::vector<PlannedFault>>(AnyFault())));
}

rc::Gen<PackedRun> AnyRun() {
  const auto workload = rc::gen::build<Workload>(
      rc::gen::set(&Workload::lease,
                   rc::gen::map(rc::gen::inRange<std::int64_t>(1'000'000, 86'400'000'000'001),
                                [](std::int64_t ns) { return Duration(ns); })),
      rc::gen::set(&Workload::life,
                   rc::gen::element(Duration{}, Duration(1'000'000), Duration(90'000'000))),
      rc::gen::set(&Workload::permits, rc::gen::inRange(1, 1001)),
      rc::gen::set(&Workload::resources, rc::gen::just(kMostResources)),
      rc::gen::set(&Workload::latency_max, LengthFrom(0)),
      rc::gen::set(&Workload::topology,
                   rc::gen::element(sim::Topology::kReplicated, sim::Topology::kIndependent,
                                    sim::Topology::kCluster)),
      rc::gen::set(&Workload::nodes, rc::gen::inRange(3, kMostNodes + 1)),
      rc::gen::set(&Workload::persistence,
                   rc::gen::element(sim::Persistence::kNone, sim::Persistence::kRdb,
                                    sim::Persistence::kAofAlways, sim::Persistence::kAofEverysec)),
      rc::gen::set(&Workload::guard, rc::gen::element(GuardKind::kNone, GuardKind::kUnfenced,
                                                      GuardKind::kFenced, GuardKind::kCheckAndSet)),
      rc::gen::set(&Workload::clients,
                   rc::gen::nonEmpty(rc::gen::container<std::vector<ClientPlan>>(AnyClient()))));
  const auto tape =
      rc::gen::map(rc::gen::arbitrary<std::array<std::vector<std::uint32_t>, sim::kLanes>>(),
                   [](std::array<std::vector<std::uint32_t>, sim::kLanes> lanes) {
                     return sim::Tape{std::move(lanes)};
                   });
  return rc::gen::map(rc::gen::pair(workload, tape), [](std::pair<Workload, sim::Tape> both) {
    return PackedRun{std::move(both.first), std::move(both.second)};
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
  const auto letters = *rc::gen::container<std::vector<std::size_t>>(
      rc::gen::inRange<std::size_t>(0, kAlphabet.size()));
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
  const auto at = *rc::gen::inRange<std::size_t>(0, token.size());
  const char other = *rc::gen::distinctFrom(rc::gen::arbitrary<char>(), token[at]);
  std::string damaged = token;
  damaged[at] = other;
  RC_ASSERT(!DecodeReplayToken(damaged).ok());
}

}  // namespace
}  // namespace interlock::scenarios
