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
#include <mutex>
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
constexpr int kHandOvers = 1000;
constexpr int kBlocks = 11;
// Long enough for the other one to get in line and fall asleep.
constexpr Clock::duration kHold = std::chrono::microseconds(500);

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

// Two clients take turns. What a hand-over takes is counted from when the one begins to give up its
// turn until the other one has it.
class Turns {
 public:
  explicit Turns(Clock::duration hold) : hold_(hold) { gaps_.reserve(kHandOvers); }

  // Work of a client in its turn, which it has just been given.
  void Work() {
    const Clock::time_point came = Clock::now();
    const std::lock_guard lock(mutex_);
    if (given_ != Clock::time_point()) gaps_.push_back(Seconds(came - given_));
    while (Clock::now() - came < hold_) {
    }
    given_ = Clock::now();
  }

  // In seconds.
  double MedianGap() {
    std::sort(gaps_.begin(), gaps_.end());
    return gaps_[gaps_.size() / 2];
  }

 private:
  const Clock::duration hold_;
  std::mutex mutex_;  // nobody waits for it: only whose turn it is touches the rest
  Clock::time_point given_;
  std::vector<double> gaps_;
};

struct HandOver {
  double gap = 0;   // seconds: the median, while the other one is asleep
  double turn = 0;  // seconds: the mean of a whole turn without any work in it
};

template <typename Play>
HandOver Measure(const Play& play) {
  Turns with_work(kHold);
  play(with_work);
  Turns without(Clock::duration::zero());
  const auto start = Clock::now();
  play(without);
  return {with_work.MedianGap(), Seconds(Clock::now() - start) / kHandOvers};
}

HandOver OfFairMutex(Stack& stack) {
  return Measure([&](Turns& turns) {
    const auto work = [&] {
      Result<FairMutex> mutex = FairMutex::Create(*stack.client, kName);
      for (int i = 0; i < kHandOvers / 2 && mutex.ok(); ++i) {
        const Result<Lease> lease = mutex->AcquireFor(std::chrono::seconds(30));
        if (!lease.ok()) std::fprintf(stderr, "%s\n", lease.status().ToString().c_str());
        if (lease.ok()) turns.Work();
      }
    };
    std::thread other(work);
    work();
    other.join();
  });
}

// As much work for the server as a request of FairMutex is.
constexpr std::string_view kWork =
    "for i = 1, 6 do redis.call('GET', KEYS[1]) redis.call('SET', KEYS[1], i, 'PX', 1000) end";

// The same with nothing but a list for each: whoever has popped pushes to the other. `asks`: and
// has something to ask the server before it sleeps, as whoever wants another turn has.
HandOver OfLists(Stack& stack, bool asks) {
  return Measure([&](Turns& turns) {
    const auto work = [&](const char* mine, const char* other, bool begins) {
      const MonotonicTime deadline = stack.runtime.Now() + std::chrono::seconds(60);
      auto connection = stack.connector->Connect(deadline);
      const std::array<std::string_view, 3> push = {"RPUSH", other, "1"};
      const std::array<std::string_view, 3> pop = {"BLPOP", mine, "30"};
      const std::array<std::string_view, 4> ask = {"EVAL", kWork, "1", "c"};
      for (int i = 0; i < kHandOvers / 2 && connection.ok(); ++i) {
        if (i > 0 || !begins) (void)(*connection)->Call(pop, deadline);
        turns.Work();
        (void)(*connection)->Call(push, deadline);
        if (asks) (void)(*connection)->Call(ask, deadline);
      }
    };
    std::thread second(work, "b", "a", false);
    work("a", "b", true);
    second.join();
    (void)stack.server->Command({"DEL", "a", "b"});
  });
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The limit is 1.3 times the gap of the lists. Where the server shares a processor with a waiter,
// that one runs only when the server has answered the other's next request: gap_ratio_asking.
void FairHandOverToPingPong(benchmark::State& state) {
  const std::unique_ptr<Stack> stack = Start(state);
  if (stack == nullptr) return;
  for ([[maybe_unused]] const auto iteration : state) {
    std::vector<double> gaps;
    std::vector<double> gaps_asking;
    std::vector<double> turns;
    std::vector<double> ours;
    for (int block = 0; block < kBlocks; ++block) {
      // Who goes first alternates, so that a drift of the machine favours neither.
      HandOver fair;
      if (block % 2 == 0) fair = OfFairMutex(*stack);
      const HandOver raw = OfLists(*stack, false);
      const HandOver asking = OfLists(*stack, true);
      if (block % 2 != 0) fair = OfFairMutex(*stack);
      gaps.push_back(fair.gap / raw.gap);
      gaps_asking.push_back(fair.gap / asking.gap);
      turns.push_back(fair.turn / raw.turn);
      ours.push_back(fair.gap);
    }
    state.counters["gap_ratio"] = Median(gaps);
    state.counters["gap_ratio_asking"] = Median(gaps_asking);
    state.counters["turn_ratio"] = Median(turns);
    state.SetIterationTime(Median(ours));
  }
}
BENCHMARK(FairHandOverToPingPong)->Iterations(1)->UseManualTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace interlock
