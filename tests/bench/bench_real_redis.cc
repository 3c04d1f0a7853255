// SPDX-License-Identifier: MIT
//
// What a command of the library costs on a real redis-server beside the same bytes sent by hiredis
// alone, and what it costs to hand a lock over.
#include <benchmark/benchmark.h>
#include <hiredis/hiredis.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <interlock/client.h>
#include <interlock/hiredis_connector.h>
#include <interlock/mutex.h>
#include <interlock/thread_runtime.h>

#include "tests/bench/ratio.h"
#include "tests/bench/redis_stack.h"

namespace interlock {
namespace {

constexpr char kName[] = "bench";

using HiredisContext = std::unique_ptr<redisContext, void (*)(redisContext*)>;

// The connection by itself: one short command, twice so that a block is as long as above.
void ConnectionToRawHiredis(benchmark::State& state) {
  const std::unique_ptr<Stack> stack = Start(state);
  if (stack == nullptr) return;
  const auto deadline = [&] { return stack->runtime.Now() + std::chrono::seconds(5); };
  auto connection = stack->connector->Connect(deadline());
  const HiredisContext raw(redisConnect("127.0.0.1", stack->server->port()), redisFree);
  if (!connection.ok() || raw == nullptr || raw->err != 0) return state.SkipWithError("no server");
  std::vector<std::string_view> argv = {"INCR", "n"};
  std::array<const char*, 2> raw_argv = {"INCR", "n"};
  CompareInBlocks(
      state,
      [&] {
        for (int i = 0; i < 2; ++i) {
          if (!(*connection)->Call(argv, deadline()).ok()) return false;
        }
        return true;
      },
      [&] {
        for (int i = 0; i < 2; ++i) {
          void* reply = redisCommandArgv(raw.get(), 2, raw_argv.data(), nullptr);
          if (reply == nullptr) return false;
          freeReplyObject(reply);
        }
        return true;
      });
}
BENCHMARK(ConnectionToRawHiredis)->Iterations(1)->UseManualTime()->Unit(benchmark::kMicrosecond);

// Contended: two clients take turns, so that each grant is a hand-over from one that is inside to
// one that is blocked in the server. `pushes` and `commands` are per hand-over.
void ContendedHandOver(benchmark::State& state) {
  const std::unique_ptr<Stack> stack = Start(state);
  if (stack == nullptr) return;
  constexpr int kRounds = 2000;
  for ([[maybe_unused]] const auto iteration : state) {
    if (!stack->server->Command({"CONFIG", "RESETSTAT"}).ok()) return;
    const auto work = [&] {
      Result<Mutex> mutex = Mutex::Create(*stack->client, kName);
      for (int i = 0; i < kRounds && mutex.ok(); ++i) {
        const Result<Lease> lease = mutex->AcquireFor(std::chrono::seconds(30));
        if (!lease.ok()) std::fprintf(stderr, "%s\n", lease.status().ToString().c_str());
      }
    };
    const auto start = std::chrono::steady_clock::now();
    std::thread other(work);
    work();
    other.join();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    state.SetIterationTime(taken.count() / (2 * kRounds));
    const auto per_round = [&](const char* command) {
      return static_cast<double>(stack->server->Calls(command)) / (2 * kRounds);
    };
    state.counters["pushes"] = per_round("lpush");
    state.counters["blocking_waits"] = per_round("blpop");
    state.counters["scripts"] = per_round("evalsha");
  }
}
BENCHMARK(ContendedHandOver)->Iterations(1)->UseManualTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace interlock
