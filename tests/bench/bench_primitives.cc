// SPDX-License-Identifier: MIT
//
// What each primitive costs on a real redis-server while nobody else wants it: the time of an
// acquire and its release, and how many commands they take.
#include <benchmark/benchmark.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <interlock/count_down_latch.h>
#include <interlock/fair_mutex.h>
#include <interlock/multi_mutex.h>
#include <interlock/mutex.h>
#include <interlock/redlock.h>
#include <interlock/reentrant_mutex.h>
#include <interlock/semaphore.h>
#include <interlock/shared_mutex.h>
#include <interlock/single_file.h>

#include "tests/bench/redis_stack.h"

namespace interlock {
namespace {

constexpr char kName[] = "bench";
constexpr int kMasters = 3;

/// Times `turn`, which says whether it went well. `servers`: those that it asks.
void Turns(benchmark::State& state, const std::vector<std::unique_ptr<Stack>>& servers,
           const std::function<bool()>& turn) {
  // Connections are made, and the servers learn the scripts.
  if (!turn()) return state.SkipWithError("not granted, or not released");
  for (const auto& stack : servers) (void)stack->server->Command({"CONFIG", "RESETSTAT"});
  for ([[maybe_unused]] const auto iteration : state) {
    if (!turn()) return state.SkipWithError("not granted, or not released");
  }
  double commands = 0;
  for (const auto& stack : servers) {
    commands += static_cast<double>(stack->server->Calls("evalsha"));
  }
  state.counters["commands"] = benchmark::Counter(commands, benchmark::Counter::kAvgIterations);
}

std::vector<std::unique_ptr<Stack>> StartServers(benchmark::State& state, int count) {
  std::vector<std::unique_ptr<Stack>> servers;
  for (int i = 0; i < count; ++i) {
    servers.push_back(Start(state));
    if (servers.back() == nullptr) return {};
  }
  return servers;
}

/// Makes a lock, and times one turn of whatever `turn` makes of it.
template <typename Make, typename Turn>
void OnOneServer(benchmark::State& state, const Make& make, Turn turn) {
  const auto servers = StartServers(state, 1);
  if (servers.empty()) return;
  auto lock = make(*servers[0]->client);
  if (!lock.ok()) return state.SkipWithError(lock.status().message().c_str());
  Turns(state, servers, [&] { return turn(*lock); });
}

bool AcquireAndRelease(LeaseSource& lock) {
  Result<Lease> lease = lock.TryAcquire();
  return lease.ok() && lease->Release().ok();
}

template <typename Lock>
void Uncontended(benchmark::State& state) {
  OnOneServer(
      state, [](Client& client) { return Lock::Create(client, kName); },
      [](Lock& lock) { return AcquireAndRelease(lock); });
}
BENCHMARK_TEMPLATE(Uncontended, Mutex)->Unit(benchmark::kMicrosecond);
BENCHMARK_TEMPLATE(Uncontended, FairMutex)->Unit(benchmark::kMicrosecond);

void UncontendedReentrantMutex(benchmark::State& state) {
  OnOneServer(
      state, [](Client& client) { return ReentrantMutex::Create(client, kName); },
      [owner = std::shared_ptr<ReentrantMutex::Owner>()](ReentrantMutex& mutex) mutable {
        if (owner == nullptr) owner = std::make_shared<ReentrantMutex::Owner>(mutex.NewOwner());
        return AcquireAndRelease(*owner);
      });
}
BENCHMARK(UncontendedReentrantMutex)->Unit(benchmark::kMicrosecond);

void UncontendedReader(benchmark::State& state) {
  OnOneServer(
      state, [](Client& client) { return SharedMutex::Create(client, kName); },
      [](SharedMutex& mutex) { return AcquireAndRelease(mutex.reader()); });
}
BENCHMARK(UncontendedReader)->Unit(benchmark::kMicrosecond);

void UncontendedWriter(benchmark::State& state) {
  OnOneServer(
      state, [](Client& client) { return SharedMutex::Create(client, kName); },
      [](SharedMutex& mutex) { return AcquireAndRelease(mutex.writer()); });
}
BENCHMARK(UncontendedWriter)->Unit(benchmark::kMicrosecond);

void UncontendedSemaphore(benchmark::State& state) {
  OnOneServer(
      state, [](Client& client) { return Semaphore::Create(client, kName, {.limit = 10}); },
      [](Semaphore& semaphore) { return AcquireAndRelease(semaphore); });
}
BENCHMARK(UncontendedSemaphore)->Unit(benchmark::kMicrosecond);

void UncontendedSingleFile(benchmark::State& state) {
  OnOneServer(
      state, [](Client& client) { return SingleFile::Create(client); },
      [](SingleFile& queue) { return AcquireAndRelease(queue); });
}
BENCHMARK(UncontendedSingleFile)->Unit(benchmark::kMicrosecond);

void UncontendedMultiMutexOfThree(benchmark::State& state) {
  OnOneServer(
      state,
      [](Client& client) {
        return MultiMutex::Create(client, {"a", "b", "c"});
      },
      [](MultiMutex& mutex) {
        Result<MultiLease> leases = mutex.TryAcquire();
        return leases.ok() && leases->Release().ok();
      });
}
BENCHMARK(UncontendedMultiMutexOfThree)->Unit(benchmark::kMicrosecond);

/// A round: closed, counted down, found open, and forgotten.
void RoundOfCountDownLatch(benchmark::State& state) {
  OnOneServer(
      state, [](Client& client) { return CountDownLatch::Create(client, kName); },
      [](CountDownLatch& latch) {
        return latch.Close(1).ok() && latch.CountDown("one").ok() && latch.Await().ok() &&
               latch.Remove().ok();
      });
}
BENCHMARK(RoundOfCountDownLatch)->Unit(benchmark::kMicrosecond);

void UncontendedRedlockOfThree(benchmark::State& state) {
  const auto servers = StartServers(state, kMasters);
  if (servers.empty()) return;
  // One clock for all of them: the runtime of the first.
  std::vector<std::unique_ptr<Connector>> connectors;
  std::vector<std::unique_ptr<Client>> clients;
  std::vector<Client*> nodes;
  for (const auto& stack : servers) {
    auto connector = MakeHiredisConnector(servers[0]->runtime, stack->server->url());
    if (!connector.ok()) return state.SkipWithError(connector.status().message().c_str());
    connectors.push_back(std::move(connector).value());
    clients.push_back(std::make_unique<Client>(servers[0]->runtime, *connectors.back()));
    nodes.push_back(clients.back().get());
  }
  Result<Redlock> lock = Redlock::Create(nodes, kName);
  if (!lock.ok()) return state.SkipWithError(lock.status().message().c_str());
  Turns(state, servers, [&] { return AcquireAndRelease(*lock); });
}
BENCHMARK(UncontendedRedlockOfThree)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace interlock
