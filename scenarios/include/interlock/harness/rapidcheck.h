// SPDX-License-Identifier: MIT
//
// Programs and fault plans for RapidCheck:
//
//   RC_GTEST_PROP(StoreProperty, KeepsWhatItAccepted,
//                 (const ClientSteps<Put>& steps, const FaultPlan& plan)) {
//     const Program program = ProgramOf("acme.store", steps, PerformPut, {{"all is kept", Lost}});
//     RequireOk(Simulate(program, plan, {.runs = 20, .faults = {{"crash", 1}, {"pause", 1}}}));
//   }
//
// Guarantee: steps and faults are shrunk together. RapidCheck leaves out steps, each smaller
// program is searched anew, and of what is left the smallest faults and schedule are those that
// Simulate finds; the case that RapidCheck prints shows them, with the token that replays it.
// Non-guarantee: RC_PARAMS' reproduce repeats the property, not the single run; the token does.
// You bring RapidCheck along; nothing of interlock links it. Thread safety: as RapidCheck.
#pragma once

#include <cstddef>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <interlock/harness/fault_plan.h>
#include <interlock/harness/simulate.h>
#include <rapidcheck.h>

namespace interlock::harness {

/// What each client does, step by step. `Step` needs an rc::Arbitrary and an operator<<.
template <typename Step>
struct ClientSteps {
  std::vector<std::vector<Step>> clients;  ///< at least one
};

template <typename Step>
std::ostream& operator<<(std::ostream& out, const ClientSteps<Step>& steps) {
  for (std::size_t i = 0; i < steps.clients.size(); ++i) {
    out << (i == 0 ? "" : "; ") << 'C' << i + 1 << ':';
    for (const Step& step : steps.clients[i]) out << ' ' << step;
  }
  return out;
}

/// A program whose clients perform their steps in turn.
template <typename Step>
Program ProgramOf(std::string name, const ClientSteps<Step>& steps,
                  const std::function<void(SimulatedClient&, const Step&)>& perform,
                  std::vector<Invariant> invariants) {
  Program program;
  program.name = std::move(name);
  program.invariants = std::move(invariants);
  for (const std::vector<Step>& own : steps.clients) {
    program.clients.push_back([own, perform](SimulatedClient& client) {
      for (const Step& step : own) perform(client, step);
    });
  }
  return program;
}

/// The property fails, with the report, unless the verdict is ok.
inline void RequireOk(const SimulateVerdict& verdict) {
  if (!verdict.ok) RC_FAIL(verdict.text);
}

/// The one plan that is smaller than a plan with which a program has failed. What that is is asked
/// only when RapidCheck wants it, because only then has the property failed.
class SmallestPlan {
 public:
  explicit SmallestPlan(FaultPlan plan) : plan_(std::move(plan)) {}

  rc::Maybe<rc::Shrinkable<FaultPlan>> operator()() {
    if (std::exchange(asked_, true) || plan_.token().empty()) return rc::Nothing;
    return rc::shrinkable::just(FaultPlan(plan_.seed(), plan_.token()));
  }

 private:
  FaultPlan plan_;
  bool asked_ = false;
};

}  // namespace interlock::harness

namespace rc {

template <>
struct Arbitrary<interlock::harness::FaultPlan> {
  static Gen<interlock::harness::FaultPlan> arbitrary() {
    using interlock::harness::FaultPlan;
    using interlock::harness::SmallestPlan;
    return [](const Random& random, int /*size*/) {
      const FaultPlan plan(Random(random).next());
      return shrinkable::lambda([plan] { return plan; },
                                [plan] { return makeSeq<SmallestPlan>(plan); });
    };
  }
};

template <typename Step>
struct Arbitrary<interlock::harness::ClientSteps<Step>> {
  static Gen<interlock::harness::ClientSteps<Step>> arbitrary() {
    using Clients = std::vector<std::vector<Step>>;
    constexpr int kMostClients = 4;
    constexpr int kMostSteps = 6;
    const auto some = [](int most, auto each) {
      return gen::mapcat(gen::inRange(1, most + 1), [each](int count) {
        return gen::container<std::vector<typename decltype(each)::ValueType>>(
            static_cast<std::size_t>(count), each);
      });
    };
    return gen::map(
        some(kMostClients, some(kMostSteps, gen::arbitrary<Step>())),
        [](Clients clients) { return interlock::harness::ClientSteps<Step>{std::move(clients)}; });
  }
};

}  // namespace rc
