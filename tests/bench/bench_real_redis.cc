// SPDX-License-Identifier: MIT
//
// What the library costs on a real redis-server, on a port of its own. Absolute times say more
// about the machine than about the library, so the measure is a ratio: the same bytes sent by
// hiredis alone. The two take turns in short blocks, each pair of blocks gives one ratio, and the
// median is shown, which neither a slow start nor a disturbance in a few blocks can move.
#include <benchmark/benchmark.h>
#include <hiredis/hiredis.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <interlock/client.h>
#include <interlock/hiredis_connector.h>
#include <interlock/mutex.h>
#include <interlock/thread_runtime.h>

#include "src/scripts/mutex_scripts.h"
#include "tests/bench/redis_stack.h"
#include "tests/support/script_words.h"

namespace interlock {
namespace {

constexpr int kBlocks = 60;
constexpr int kPairsPerBlock = 500;
constexpr char kName[] = "bench";

using HiredisContext = std::unique_ptr<redisContext, void (*)(redisContext*)>;

/// Sends words by hiredis alone. False: there was no reply, or an error, or `check` says so of it.
template <typename Check>
bool Call(redisContext* context, const std::vector<std::string>& words, Check check) {
  std::array<const char*, 12> argv;
  std::array<std::size_t, 12> lengths;
  for (std::size_t i = 0; i < words.size(); ++i) {
    argv[i] = words[i].data();
    lengths[i] = words[i].size();
  }
  auto* reply = static_cast<redisReply*>(
      redisCommandArgv(context, static_cast<int>(words.size()), argv.data(), lengths.data()));
  if (reply == nullptr) return false;
  const bool ok = reply->type != REDIS_REPLY_ERROR && check(*reply);
  freeReplyObject(reply);
  return ok;
}

// What a program would send that uses hiredis and knows the library's scripts by heart: the
// argument vectors are made once, only the tokens in them change, and nothing of a reply is copied
// but the fencing token.
class RawMutex {
 public:
  explicit RawMutex(int port)
      : context_(redisConnect("127.0.0.1", port), redisFree),
        acquire_(testing::EvalSha(Scripts().Acquire(std::string(kTokenSize, '0')))),
        release_(testing::EvalSha(Scripts().Release(std::string(kTokenSize, '0'), 0))) {}

  bool ok() const { return context_ != nullptr && context_->err == 0; }

  bool AcquireAndRelease() {
    std::array<char, kTokenSize + 1> token;
    std::snprintf(token.data(), token.size(), "%032llx", ++count_);
    acquire_[kAcquireCancelled].replace(acquire_[kAcquireCancelled].size() - kTokenSize, kTokenSize,
                                        token.data());
    acquire_[kAcquireToken] = token.data();
    bool ok = Call(context_.get(), acquire_, [&](const redisReply& reply) {
      if (reply.type != REDIS_REPLY_ARRAY || reply.elements != 2) return false;
      release_[kReleaseFence].assign(reply.element[1]->str,
                                     static_cast<std::size_t>(reply.element[1]->len));
      return reply.element[0]->integer == 1;
    });
    release_[kReleaseToken] = token.data();
    ok = ok &&
         Call(context_.get(), release_, [](const redisReply& reply) { return reply.integer == 1; });
    return ok;
  }

 private:
  static constexpr std::size_t kTokenSize = 32;
  // EVALSHA sha 3 key key key argument...
  static constexpr std::size_t kAcquireCancelled = 5;
  static constexpr std::size_t kAcquireToken = 6;
  static constexpr std::size_t kReleaseToken = 6;
  static constexpr std::size_t kReleaseFence = 7;

  static internal::MutexScripts Scripts() {
    const MutexOptions options;
    return internal::MutexScripts(
        options.key_prefix, kName,
        std::chrono::duration_cast<internal::Milliseconds>(options.lease));
  }

  HiredisContext context_;
  std::vector<std::string> acquire_;
  std::vector<std::string> release_;
  unsigned long long count_ = 0;
};

// The same of a mutex without fencing: SET NX PX and DELIFEQ, on a server that has it.
class RawNativeMutex {
 public:
  explicit RawNativeMutex(int port)
      : context_(redisConnect("127.0.0.1", port), redisFree),
        acquire_{"SET", MutexOptions().key_prefix + "{" + kName + "}", "", "NX", "PX", "30000"},
        release_{"DELIFEQ", acquire_[1], ""} {}

  bool ok() const { return context_ != nullptr && context_->err == 0; }

  bool AcquireAndRelease() {
    std::array<char, 33> token;
    std::snprintf(token.data(), token.size(), "%032llx", ++count_);
    acquire_[2] = release_[2] = token.data();
    return Call(context_.get(), acquire_,
                [](const redisReply& reply) { return reply.type == REDIS_REPLY_STATUS; }) &&
           Call(context_.get(), release_,
                [](const redisReply& reply) { return reply.integer == 1; });
  }

 private:
  HiredisContext context_;
  std::vector<std::string> acquire_;
  std::vector<std::string> release_;
  unsigned long long count_ = 0;
};

// Seconds per call, or a negative number if a call failed.
template <typename F>
double TimeBlock(F call) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kPairsPerBlock; ++i) {
    if (!call()) return -1;
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  return taken.count() / kPairsPerBlock;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// Times `ours` and `raw` in turns and reports the median ratio.
void CompareInBlocks(benchmark::State& state, const std::function<bool()>& ours,
                     const std::function<bool()>& raw) {
  for ([[maybe_unused]] const auto iteration : state) {
    std::vector<double> ratios;
    std::vector<double> our_times;
    for (int block = -1; block < kBlocks; ++block) {
      double times[2] = {};
      // Who goes first alternates, so that a drift of the machine favours neither.
      for (const int turn : {block & 1, 1 - (block & 1)}) {
        times[turn] = turn == 0 ? TimeBlock(ours) : TimeBlock(raw);
      }
      if (times[0] < 0 || times[1] < 0) {
        state.SkipWithError("a command failed");
        return;
      }
      if (block < 0) continue;  // warm-up: connections, scripts, caches
      ratios.push_back(times[0] / times[1]);
      our_times.push_back(times[0]);
    }
    const double ratio = Median(ratios);
    std::array<char, 80> label;
    std::snprintf(label.data(), label.size(), "ratio %.3f (median of %d interleaved blocks)", ratio,
                  kBlocks);
    state.SetLabel(label.data());
    state.counters["ratio"] = ratio;
    state.SetIterationTime(Median(our_times));
  }
}

// Uncontended acquire and release: two round trips. The limit is 1.05 times hiredis alone.
void UncontendedMutexToRawHiredis(benchmark::State& state) {
  const std::unique_ptr<Stack> stack = Start(state);
  if (stack == nullptr) return;
  Result<Mutex> mutex = Mutex::Create(*stack->client, kName);
  RawMutex raw(stack->server->port());
  if (!mutex.ok() || !raw.ok()) return state.SkipWithError("no lock");
  const auto ours = [&] {
    Result<Lease> lease = mutex->TryAcquire();
    return lease.ok() && lease->Release().ok();
  };
  // The first run makes the server know the scripts, which the raw side takes for granted.
  if (!ours()) return state.SkipWithError("no lock");
  CompareInBlocks(state, ours, [&] { return raw.AcquireAndRelease(); });
}
BENCHMARK(UncontendedMutexToRawHiredis)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

// Without fencing, on Valkey 9: INTERLOCK_REDIS_SERVER names its binary. The limit is the same.
void UncontendedNativeMutexToRawHiredis(benchmark::State& state) {
  const std::unique_ptr<Stack> stack = Start(state);
  if (stack == nullptr) return;
  Result<Mutex> mutex = Mutex::Create(*stack->client, kName, {.fencing = false});
  RawNativeMutex raw(stack->server->port());
  if (!mutex.ok() || !raw.ok()) return state.SkipWithError("no lock");
  if (!raw.AcquireAndRelease()) return state.SkipWithError("the server has no DELIFEQ");
  CompareInBlocks(
      state,
      [&] {
        Result<Lease> lease = mutex->TryAcquire();
        return lease.ok() && lease->Release().ok();
      },
      [&] { return raw.AcquireAndRelease(); });
}
BENCHMARK(UncontendedNativeMutexToRawHiredis)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

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
