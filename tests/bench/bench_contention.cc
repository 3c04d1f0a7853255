// SPDX-License-Identifier: MIT
//
// What contention costs on a real redis-server: grants per second, commands per grant and fairness
// for a growing number of clients, each with connections of its own, and a hand-over of FairMutex
// beside the least that two clients need who take turns through Redis, a push and a blocking pop.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <interlock/fair_mutex.h>
#include <interlock/mutex.h>

#include "tests/bench/redis_stack.h"

namespace interlock {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kName[] = "bench";
constexpr int kHandOvers = 2000;
constexpr int kBlocks = 21;

double Seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

// Grants that each of the clients got while they all tried for as long as `time`.
template <typename Lock>
std::vector<double> Contend(Stack& stack, int clients, Clock::duration time) {
  std::vector<double> grants(static_cast<std::size_t>(clients), 0);
  std::vector<std::thread> threads;
  std::atomic<bool> go = false;
  std::atomic<bool> stop = false;
  for (double& count : grants) {
    threads.emplace_back([&] {
      Client client(stack.runtime, *stack.connector);
      Result<Lock> lock = Lock::Create(client, kName);
      while (!go) std::this_thread::yield();
      while (!stop) {
        const Result<Lease> lease = lock->AcquireFor(std::chrono::seconds(30));
        if (lease.ok() && !stop) ++count;
      }
    });
  }
  go = true;
  std::this_thread::sleep_for(time);
  stop = true;
  for (std::thread& thread : threads) thread.join();
  return grants;
}

// Jain's index: 1 if all got the same, 1/n if one got everything.
double Jain(const std::vector<double>& shares) {
  double sum = 0;
  double squares = 0;
  for (const double share : shares) {
    sum += share;
    squares += share * share;
  }
  return squares == 0 ? 0 : sum * sum / (static_cast<double>(shares.size()) * squares);
}

template <typename Lock>
void Contention(benchmark::State& state) {
  const std::unique_ptr<Stack> stack = Start(state);
  if (stack == nullptr) return;
  const int clients = static_cast<int>(state.range(0));
  for ([[maybe_unused]] const auto iteration : state) {
    if (!stack->server->Command({"CONFIG", "RESETSTAT"}).ok()) return;
    const auto start = Clock::now();
    const std::vector<double> grants =
        Contend<Lock>(*stack, clients, std::chrono::milliseconds(1500));
    const double taken = Seconds(Clock::now() - start);
    double sum = 0;
    for (const double count : grants) sum += count;
    if (sum == 0) return state.SkipWithError("nobody was granted anything");
    double commands = 0;
    for (const char* command : {"evalsha", "blpop"}) {
      commands += static_cast<double>(stack->server->Calls(command));
    }
    state.SetIterationTime(taken / sum);
    state.counters["grants/s"] = sum / taken;
    state.counters["commands/grant"] = commands / sum;
    state.counters["jain"] = Jain(grants);
  }
}
BENCHMARK_TEMPLATE(Contention, Mutex)
    ->Arg(2)
    ->Arg(8)
    ->Arg(64)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_TEMPLATE(Contention, FairMutex)
    ->Arg(2)
    ->Arg(8)
    ->Arg(64)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

// Seconds for each of kHandOvers grants of two clients that take turns.
double FairTurns(Stack& stack) {
  const auto work = [&] {
    Result<FairMutex> mutex = FairMutex::Create(*stack.client, kName);
    for (int i = 0; i < kHandOvers / 2 && mutex.ok(); ++i) {
      const Result<Lease> lease = mutex->AcquireFor(std::chrono::seconds(30));
      if (!lease.ok()) std::fprintf(stderr, "%s\n", lease.status().ToString().c_str());
    }
  };
  const auto start = Clock::now();
  std::thread other(work);
  work();
  other.join();
  return Seconds(Clock::now() - start) / kHandOvers;
}

// The same with nothing but a list for each: whoever has popped pushes to the other.
double PingPong(Stack& stack) {
  const auto work = [&](const char* mine, const char* other, bool begins) {
    const MonotonicTime deadline = stack.runtime.Now() + std::chrono::seconds(60);
    auto connection = stack.connector->Connect(deadline);
    const std::array<std::string_view, 3> push = {"RPUSH", other, "1"};
    const std::array<std::string_view, 3> pop = {"BLPOP", mine, "30"};
    for (int i = 0; i < kHandOvers / 2 && connection.ok(); ++i) {
      if (begins) (void)(*connection)->Call(push, deadline);
      (void)(*connection)->Call(pop, deadline);
      if (!begins) (void)(*connection)->Call(push, deadline);
    }
  };
  const auto start = Clock::now();
  std::thread second(work, "b", "a", false);
  work("a", "b", true);
  second.join();
  return Seconds(Clock::now() - start) / kHandOvers;
}

// The limit is 1.3 times the ping-pong.
void FairHandOverToPingPong(benchmark::State& state) {
  const std::unique_ptr<Stack> stack = Start(state);
  if (stack == nullptr) return;
  for ([[maybe_unused]] const auto iteration : state) {
    std::vector<double> ratios;
    std::vector<double> ours;
    for (int block = 0; block < kBlocks; ++block) {
      // Who goes first alternates, so that a drift of the machine favours neither.
      double fair = 0;
      double raw = 0;
      if (block % 2 == 0) fair = FairTurns(*stack);
      raw = PingPong(*stack);
      if (block % 2 != 0) fair = FairTurns(*stack);
      ratios.push_back(fair / raw);
      ours.push_back(fair);
    }
    std::sort(ratios.begin(), ratios.end());
    std::sort(ours.begin(), ours.end());
    state.counters["ratio"] = ratios[kBlocks / 2];
    state.SetIterationTime(ours[kBlocks / 2]);
  }
}
BENCHMARK(FairHandOverToPingPong)->Iterations(1)->UseManualTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace interlock
