// SPDX-License-Identifier: MIT
//
// One client of the comparison with other libraries (see run.py): takes and gives back a lock until
// the time is up, and tells when it asked, was granted, and began to give back.
//
//   interlock_bench_client KIND URL START_NS SECONDS HOLD_US
//
// KIND: mutex, fair-mutex, single-file, or set-nx, which is what a C++ program does without a lock
// library: SET NX PX by hiredis, tried again after a random pause of up to 5 ms,
// compare-and-delete. Or shapes: those of the gem redis-single-file's own benchmark.
#include <hiredis/hiredis.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <interlock/hiredis_connector.h>
#include <interlock/interlock.h>

namespace interlock {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kName[] = "side-by-side";

std::int64_t Now() { return Clock::now().time_since_epoch().count(); }

void StayUntil(std::int64_t ns) {
  while (Now() < ns) std::this_thread::yield();
}

struct Times {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int64_t hold = 0;
};

/// `acquire` answers how to give back. All times go to stdout: of each turn three.
void TakeTurns(const Times& times, const std::function<std::function<void()>()>& acquire) {
  std::vector<std::int64_t> turns;
  acquire()();  // connections are made, and the server learns the scripts
  StayUntil(times.start);
  while (Now() < times.end) {
    turns.push_back(Now());
    const auto release = acquire();
    turns.push_back(Now());
    StayUntil(turns.back() + times.hold);
    turns.push_back(Now());
    release();
  }
  for (const std::int64_t ns : turns) std::printf("%lld\n", static_cast<long long>(ns));
}

template <typename Lock>
void Ours(Result<Lock> lock, const Times& times) {
  TakeTurns(times, [&] {
    auto lease = std::make_shared<Result<Lease>>(lock->AcquireFor(std::chrono::seconds(60)));
    return [lease] { (void)(*lease)->Release(); };
  });
}

void SetNx(int port, const Times& times) {
  const std::unique_ptr<redisContext, void (*)(redisContext*)> redis(
      redisConnect("127.0.0.1", port), redisFree);
  std::mt19937_64 random(std::random_device{}());
  const auto says = [&](int type, auto... words) {
    void* raw = redisCommand(redis.get(), words...);
    if (raw == nullptr) std::exit(1);
    auto* reply = static_cast<redisReply*>(raw);
    const bool yes = reply->type == type;
    freeReplyObject(reply);
    return yes;
  };
  TakeTurns(times, [&] {
    const std::string token = std::to_string(random());
    while (!says(REDIS_REPLY_STATUS, "SET %s %s NX PX 30000", kName, token.c_str())) {
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 5000));
    }
    return [&says, token] {
      says(REDIS_REPLY_INTEGER, "EVAL %s 1 %s %s",
           "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) "
           "else return 0 end",
           kName, token.c_str());
    };
  });
}

/// How many times a second `shape` is done.
void PerSecond(const char* name, double seconds, const std::function<void()>& shape) {
  const Clock::time_point start = Clock::now();
  std::chrono::duration<double> taken{};
  int count = 0;
  for (; taken.count() < seconds; taken = Clock::now() - start) {
    shape();
    ++count;
  }
  std::printf("%s %.1f\n", name, count / taken.count());
}

void Synchronize(SingleFile& file) {
  if (Status done = file.Synchronize([] {}); !done.ok()) {
    std::fprintf(stderr, "%s\n", done.ToString().c_str());
  }
}

void SynchronizeOnce(Client& client) {
  Result<SingleFile> file = SingleFile::Create(client, {.name = kName});
  Synchronize(*file);
}

/// Threads begin with stacks as large as Ruby's: of C++'s own, ten are more than the C library
/// keeps from one round to the next, and a round with threads that do nothing takes longer than the
/// locks.
void UseStacksLikeRuby() {
  constexpr std::size_t kStack = 1024UL * 1024;
  pthread_attr_t attributes;
  pthread_getattr_default_np(&attributes);
  pthread_attr_setstacksize(&attributes, kStack);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

/// Those of the gem redis-single-file's own benchmark.
void Shapes(Runtime& runtime, Connector& connector, const std::string& url, double seconds) {
  UseStacksLikeRuby();
  Client client(runtime, connector);
  Result<SingleFile> file = SingleFile::Create(client, {.name = kName});
  Synchronize(*file);
  PerSecond("single", seconds, [&] { Synchronize(*file); });
  PerSecond("threads", seconds, [&] {
    std::vector<std::thread> threads;
    for (int i = 0; i < 10; ++i) threads.emplace_back([&] { SynchronizeOnce(client); });
    for (std::thread& thread : threads) thread.join();
  });
  PerSecond("processes", seconds, [&] {
    std::vector<pid_t> children;
    for (int i = 0; i < 10; ++i) {
      children.push_back(::fork());
      if (children.back() != 0) continue;
      {
        ThreadRuntime own_runtime;
        const auto own_connector = MakeHiredisConnector(own_runtime, url);
        Client own_client(own_runtime, **own_connector);
        SynchronizeOnce(own_client);
      }
      ::_exit(0);
    }
    for (const pid_t child : children) ::waitpid(child, nullptr, 0);
  });
}

int Main(int argc, char** argv) {
  if (argc != 6) return 64;
  const std::string_view kind = argv[1];
  const std::string url = argv[2];
  Times times;
  times.start = std::atoll(argv[3]);
  times.end = times.start + static_cast<std::int64_t>(std::atof(argv[4]) * 1e9);
  times.hold = std::atoll(argv[5]) * 1000;
  if (kind == "set-nx") {
    SetNx(std::atoi(url.substr(url.rfind(':') + 1).c_str()), times);
    return 0;
  }
  ThreadRuntime runtime;
  const auto connector = MakeHiredisConnector(runtime, url);
  if (kind == "shapes") {
    Shapes(runtime, **connector, url, std::atof(argv[4]));
    return 0;
  }
  Client client(runtime, **connector);
  if (kind == "mutex") {
    Ours(Mutex::Create(client, kName), times);
  } else if (kind == "fair-mutex") {
    Ours(FairMutex::Create(client, kName), times);
  } else if (kind == "single-file") {
    Ours(SingleFile::Create(client, {.name = kName}), times);
  } else {
    return 64;
  }
  return 0;
}

}  // namespace
}  // namespace interlock

int main(int argc, char** argv) { return interlock::Main(argc, argv); }
