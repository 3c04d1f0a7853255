// SPDX-License-Identifier: MIT
//
// The fake Redis by itself, in process, on one core: what every simulated command costs at least.
// Goals: 5 M plain commands/s, 1.5 M scripts/s.
#include <cstdint>
#include <string>

#include <benchmark/benchmark.h>

#include "sim/redis/server.h"

namespace interlock::sim::redis {
namespace {

class LastReply : public Sink {
 public:
  void OnReply(ClientId /*client*/, Value& value) override {
    ++replies;
    benchmark::DoNotOptimize(&value);
    if (value.type == Value::Type::kError) ++errors;
    last = value.text;
  }
  void OnClosed(ClientId /*client*/) override {}
  std::int64_t replies = 0;
  std::int64_t errors = 0;
  std::string last;
};

struct Fake {
  Fake() {
    server.SetSink(&sink);
    server.SetTime(1'700'000'000'000'000);
    client = server.Connect();
  }
  void Run(const Argv& argv) { server.Execute(client, argv); }
  void Report(benchmark::State& state) const {
    state.SetItemsProcessed(sink.replies);
    if (sink.errors != 0) state.SkipWithError("the fake answered an error");
  }
  Server server;
  LastReply sink;
  ClientId client = 0;
};

void Repeat(benchmark::State& state, const Argv& argv) {
  Fake fake;
  for (auto _ : state) fake.Run(argv);
  fake.Report(state);
}

void BM_Set(benchmark::State& state) {
  Repeat(state, {"SET", "lock:{orders}", "token-0123456789"});
}
BENCHMARK(BM_Set);

void BM_SetNxPx(benchmark::State& state) {
  Repeat(state, {"SET", "lock:{orders}", "token-0123456789", "NX", "PX", "30000"});
}
BENCHMARK(BM_SetNxPx);

void BM_Get(benchmark::State& state) {
  Fake fake;
  fake.Run({"SET", "lock:{orders}", "token-0123456789"});
  const Argv get = {"GET", "lock:{orders}"};
  for (auto _ : state) fake.Run(get);
  fake.Report(state);
}
BENCHMARK(BM_Get);

void BM_Incr(benchmark::State& state) { Repeat(state, {"INCR", "counter"}); }
BENCHMARK(BM_Incr);

// Compare and delete, as every lock's release does; the key is missing every other time.
void BM_ReleaseScript(benchmark::State& state) {
  Fake fake;
  fake.Run({"SCRIPT", "LOAD",
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) "
            "else return 0 end"});
  const Argv release = {"EVALSHA", fake.sink.last, "1", "lock:{orders}", "token-0123456789"};
  const Argv acquire = {"SET", "lock:{orders}", "token-0123456789"};
  fake.sink.replies = 0;
  for (auto _ : state) {
    fake.Run(acquire);
    fake.Run(release);
  }
  fake.Report(state);
}
BENCHMARK(BM_ReleaseScript);

// One waiter, one push, one pop: three commands would be two round trips.
void BM_HandOver(benchmark::State& state) {
  Fake fake;
  const ClientId waiter = fake.server.Connect();
  const Argv pop = {"BLPOP", "queue", "0"};
  const Argv push = {"RPUSH", "queue", "token"};
  for (auto _ : state) {
    fake.server.Execute(waiter, pop);
    fake.Run(push);
  }
  fake.Report(state);
}
BENCHMARK(BM_HandOver);

}  // namespace
}  // namespace interlock::sim::redis
