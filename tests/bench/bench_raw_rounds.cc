// SPDX-License-Identifier: MIT
//
// What each lock costs on a real redis-server while nobody else wants it: the time of an acquire
// and its release, how many commands they take, and the ratio to the same bytes sent by hiredis
// alone. INTERLOCK_REDIS_SERVER names the binary of another server.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
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

#include "tests/bench/ratio.h"
#include "tests/bench/recorded_rounds.h"
#include "tests/bench/redis_stack.h"

namespace interlock {
namespace {

constexpr char kName[] = "bench";

void Once(benchmark::internal::Benchmark* one) {
  one->Iterations(1)->UseManualTime()->Unit(benchmark::kMicrosecond);
}

using Nodes = std::vector<Client*>;

/// Servers, and two ways of the library to them: one is timed, one is recorded.
class Servers {
 public:
  bool Start(benchmark::State& state, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      stacks_.push_back(interlock::Start(state));
      if (stacks_.back() == nullptr) return false;
      // One clock for all of them.
      auto connector = MakeHiredisConnector(stacks_[0]->runtime, stacks_[i]->server->url());
      if (!connector.ok()) return false;
      connectors_.push_back(std::move(connector).value());
      recorders_.push_back(std::make_unique<RecordingConnector>(*connectors_.back(), i));
    }
    return true;
  }

  Nodes Timed() {
    return ClientsOver([this](std::size_t i) { return connectors_[i].get(); });
  }
  Nodes Recorded() {
    return ClientsOver([this](std::size_t i) { return recorders_[i].get(); });
  }

  void RecordInto(RecordedRounds* rounds) {
    for (const auto& recorder : recorders_) recorder->RecordInto(rounds);
  }
  bool Empty() {
    return std::ranges::all_of(
        stacks_, [](const auto& stack) { return stack->server->Command({"FLUSHALL"}).ok(); });
  }
  std::vector<int> Ports() const {
    std::vector<int> ports;
    for (const auto& stack : stacks_) ports.push_back(stack->server->port());
    return ports;
  }

 private:
  template <typename Way>
  Nodes ClientsOver(Way way) {
    Nodes nodes;
    for (std::size_t i = 0; i < stacks_.size(); ++i) {
      clients_.push_back(std::make_unique<Client>(stacks_[0]->runtime, *way(i)));
      nodes.push_back(clients_.back().get());
    }
    return nodes;
  }

  std::vector<std::unique_ptr<Stack>> stacks_;
  std::vector<std::unique_ptr<Connector>> connectors_;
  std::vector<std::unique_ptr<RecordingConnector>> recorders_;
  std::vector<std::unique_ptr<Client>> clients_;
};

/// `make` makes a round of a lock over the clients of the servers: a function that says whether it
/// went well.
template <typename Make>
void Compare(benchmark::State& state, Make make, std::size_t count) {
  Servers servers;
  if (!servers.Start(state, count)) return;
  const std::function<bool()> timed = make(servers.Timed());
  const std::function<bool()> recorded = make(servers.Recorded());
  // The first rounds make connections, and the servers know the scripts.
  if (!timed() || !recorded() || !servers.Empty()) return state.SkipWithError("no lock");
  RecordedRounds rounds;
  servers.RecordInto(&rounds);
  for (int i = 0; i < kCallsPerBlock; ++i) {
    if (!recorded()) return state.SkipWithError("no lock");
    rounds.EndRound();
  }
  servers.RecordInto(nullptr);
  const auto sent = std::ranges::count_if(
      rounds.calls(), [](const RecordedCall& call) { return !call.words.empty(); });
  state.counters["commands"] = static_cast<double>(sent) / kCallsPerBlock;
  RawRounds raw(rounds, servers.Ports());
  if (!raw.ok()) return state.SkipWithError("no server");
  CompareInBlocks(
      state, timed, [&] { return raw.Next(); },
      [&] {
        raw.Rewind();
        return servers.Empty();
      });
}

bool AcquireAndRelease(LeaseSource& lock) {
  Result<Lease> lease = lock.TryAcquire();
  return lease.ok() && lease->Release().ok();
}

/// A round of what `create` makes of the clients.
template <typename Create, typename Round>
void CompareLock(benchmark::State& state, Create create, Round round, std::size_t servers = 1) {
  const auto make = [&](const Nodes& nodes) -> std::function<bool()> {
    auto made = create(nodes);
    if (!made.ok()) return [] { return false; };
    using Lock = std::remove_reference_t<decltype(*made)>;
    return
        [lock = std::make_shared<Lock>(*std::move(made)), round]() mutable { return round(*lock); };
  };
  Compare(state, make, servers);
}

template <typename Lock>
void UncontendedToRaw(benchmark::State& state) {
  CompareLock(
      state, [](const Nodes& nodes) { return Lock::Create(*nodes[0], kName); },
      [](Lock& lock) { return AcquireAndRelease(lock); });
}
BENCHMARK_TEMPLATE(UncontendedToRaw, Mutex)->Apply(Once);
BENCHMARK_TEMPLATE(UncontendedToRaw, FairMutex)->Apply(Once);

/// Without fencing: SET NX PX, and DELIFEQ, DELEX or the script, as the server has it.
void UncontendedNativeMutexToRaw(benchmark::State& state) {
  CompareLock(
      state, [](const Nodes& nodes) { return Mutex::Create(*nodes[0], kName, {.fencing = false}); },
      [](Mutex& mutex) { return AcquireAndRelease(mutex); });
}
BENCHMARK(UncontendedNativeMutexToRaw)->Apply(Once);

void UncontendedReentrantMutexToRaw(benchmark::State& state) {
  CompareLock(
      state, [](const Nodes& nodes) { return ReentrantMutex::Create(*nodes[0], kName); },
      [owner = std::shared_ptr<ReentrantMutex::Owner>()](ReentrantMutex& mutex) mutable {
        if (owner == nullptr) owner = std::make_shared<ReentrantMutex::Owner>(mutex.NewOwner());
        return AcquireAndRelease(*owner);
      });
}
BENCHMARK(UncontendedReentrantMutexToRaw)->Apply(Once);

void UncontendedReaderToRaw(benchmark::State& state) {
  CompareLock(
      state, [](const Nodes& nodes) { return SharedMutex::Create(*nodes[0], kName); },
      [](SharedMutex& mutex) { return AcquireAndRelease(mutex.reader()); });
}
BENCHMARK(UncontendedReaderToRaw)->Apply(Once);

void UncontendedWriterToRaw(benchmark::State& state) {
  CompareLock(
      state, [](const Nodes& nodes) { return SharedMutex::Create(*nodes[0], kName); },
      [](SharedMutex& mutex) { return AcquireAndRelease(mutex.writer()); });
}
BENCHMARK(UncontendedWriterToRaw)->Apply(Once);

void UncontendedSemaphoreToRaw(benchmark::State& state) {
  CompareLock(
      state, [](const Nodes& nodes) { return Semaphore::Create(*nodes[0], kName, {.limit = 10}); },
      [](Semaphore& semaphore) { return AcquireAndRelease(semaphore); });
}
BENCHMARK(UncontendedSemaphoreToRaw)->Apply(Once);

void UncontendedSingleFileToRaw(benchmark::State& state) {
  CompareLock(
      state, [](const Nodes& nodes) { return SingleFile::Create(*nodes[0]); },
      [](SingleFile& queue) { return AcquireAndRelease(queue); });
}
BENCHMARK(UncontendedSingleFileToRaw)->Apply(Once);

void UncontendedMultiMutexToRaw(benchmark::State& state) {
  CompareLock(
      state,
      [](const Nodes& nodes) {
        return MultiMutex::Create(*nodes[0], {"a", "b", "c"});
      },
      [](MultiMutex& mutex) {
        Result<MultiLease> leases = mutex.TryAcquire();
        return leases.ok() && leases->Release().ok();
      });
}
BENCHMARK(UncontendedMultiMutexToRaw)->Apply(Once);

void RoundOfCountDownLatchToRaw(benchmark::State& state) {
  CompareLock(
      state, [](const Nodes& nodes) { return CountDownLatch::Create(*nodes[0], kName); },
      [](CountDownLatch& latch) {
        return latch.Close(1).ok() && latch.CountDown("one").ok() && latch.Await().ok() &&
               latch.Remove().ok();
      });
}
BENCHMARK(RoundOfCountDownLatchToRaw)->Apply(Once);

/// Of three masters, which it asks side by side; the raw commands are sent in the order in which
/// they left it, and a reply is read where it had read it.
void UncontendedRedlockToRaw(benchmark::State& state) {
  CompareLock(
      state, [](const Nodes& nodes) { return Redlock::Create(nodes, kName); },
      [](Redlock& lock) { return AcquireAndRelease(lock); }, 3);
}
BENCHMARK(UncontendedRedlockToRaw)->Apply(Once);

}  // namespace
}  // namespace interlock
