// SPDX-License-Identifier: MIT
#include "scenarios/latch_program.h"

#include <algorithm>

namespace interlock::scenarios {
namespace {

/// More than any client has operations.
constexpr int kMostOperations = 1000;

/// How often a count down is said again whose outcome is not known.
constexpr int kMostSaid = 3;

int PartyOf(int client, std::size_t operation) {
  return client * kMostOperations + static_cast<int>(operation);
}

class LatchProgram {
 public:
  LatchProgram(int client, harness::Environment& environment,
               std::span<const std::unique_ptr<harness::Lock>> locks, ProgramEvents& events)
      : client_(client), runtime_(environment.runtime), locks_(locks), events_(events) {}

  void Think(const Operation& operation) {
    if (operation.think.count() == 0) return;
    runtime_.NewEvent()->WaitUntil(runtime_.Now() + operation.think);
  }

  /// False: the world is being torn down.
  bool CountDown(const Operation& operation, int party) {
    for (int said = 0; said < kMostSaid; ++said) {
      events_.OnCountDown(Who(operation), party);
      const Status status = LockFor(operation).CountDown(NameOfParty(party));
      if (status.code() == StatusCode::kCancelled) return false;
      events_.OnAnswered(Who(operation), status);
      const bool again =
          status.code() == StatusCode::kUnavailable || status.outcome() == Outcome::kUnknown;
      if (!again) break;
    }
    return true;
  }

  /// False: the world is being torn down.
  bool Await(const Operation& operation) {
    events_.OnAsk(Who(operation), operation);
    const auto passed = operation.ask == Ask::kTry
                            ? LockFor(operation).TryAcquire()
                            : LockFor(operation).AcquireUntil(DeadlineOf(operation));
    if (passed.code() == StatusCode::kCancelled) return false;
    events_.OnAnswered(Who(operation), passed.status());
    return true;
  }

 private:
  Party Who(const Operation& operation) const { return {client_, operation.resource}; }
  harness::Lock& LockFor(const Operation& operation) {
    return *locks_[static_cast<std::size_t>(operation.resource)];
  }
  MonotonicTime DeadlineOf(const Operation& operation) const {
    if (operation.ask == Ask::kWait) return kNever;
    return AddSaturating(runtime_.Now(), operation.wait);
  }

  const int client_;
  Runtime& runtime_;
  const std::span<const std::unique_ptr<harness::Lock>> locks_;
  ProgramEvents& events_;
};

bool CountsAgain(const std::vector<Operation>& operations, std::size_t index) {
  const auto later = operations.begin() + static_cast<std::ptrdiff_t>(index) + 1;
  return std::any_of(later, operations.end(), [&](const Operation& other) {
    return other.resource == operations[index].resource;
  });
}

}  // namespace

std::vector<int> PartiesOf(const Workload& workload, int resource) {
  std::vector<int> parties;
  for (std::size_t client = 0; client < workload.clients.size(); ++client) {
    const std::vector<Operation>& operations = workload.clients[client].operations;
    for (std::size_t i = 0; i < operations.size(); ++i) {
      if (operations[i].resource != resource) continue;
      parties.push_back(PartyOf(static_cast<int>(client), i));
    }
  }
  if (parties.empty()) parties.push_back(PartyOf(0, 0));
  return parties;
}

std::string NameOfParty(int party) {
  return "C" + std::to_string(party / kMostOperations + 1) + "." +
         std::to_string(party % kMostOperations + 1);
}

void RunLatchClient(int client, const ClientPlan& plan, std::size_t& next,
                    harness::Environment& environment,
                    std::span<const std::unique_ptr<harness::Lock>> locks, ProgramEvents& events) {
  LatchProgram program(client, environment, locks, events);
  for (; next < plan.operations.size(); ++next) {
    const Operation& operation = plan.operations[next];
    program.Think(operation);
    events.Step(client);
    if (!program.CountDown(operation, PartyOf(client, next))) return;
    if (operation.ask == Ask::kWait && CountsAgain(plan.operations, next)) continue;
    if (!program.Await(operation)) return;
  }
}

void CountForAll(int client, const Operation& operation, std::span<const int> parties,
                 harness::Environment& environment,
                 std::span<const std::unique_ptr<harness::Lock>> locks, ProgramEvents& events) {
  LatchProgram program(client, environment, locks, events);
  program.Think(operation);
  for (const int party : parties) {
    if (!program.CountDown(operation, party)) return;
  }
  program.Await(operation);
}

}  // namespace interlock::scenarios
