// SPDX-License-Identifier: MIT
#include "scenarios/run/load/wall.h"

#include <sys/wait.h>

#include <array>
#include <cstddef>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "scenarios/log/log_file.h"
#include "scenarios/run/forks.h"
#include "scenarios/run/load/client.h"
#include "scenarios/run/wall_clock.h"
#include "sim/machine/admin.h"

namespace interlock::scenarios::contend {
namespace {

using sim::machine::RedisServer;

/// Runs a client with connections of its own.
Result<EventLog> RunWallClient(ThreadRuntime& runtime, const std::vector<HiredisOptions>& servers,
                               const ClientTask& task) {
  std::vector<std::unique_ptr<Connector>> connectors;
  ClientPlace place{runtime, {}, MachineWallClock()};
  for (const HiredisOptions& server : servers) {
    auto made = MakeHiredisConnector(runtime, server);
    if (!made.ok()) return made.status();
    connectors.push_back(std::move(made).value());
    place.nodes.push_back(connectors.back().get());
  }
  std::mutex mutex;  // a lock may send from tasks of its own
  EventLog log;
  const Note note = [&](int client, int resource, EventKind kind, EventDetails details) {
    const std::lock_guard guard(mutex);
    const VirtualTime at = runtime.Now() - task.began;
    log.push_back({at, at, client, resource, kind, std::move(details)});
  };
  RunLoadClient(task, place, note, {});
  return log;
}

/// Runs each client in a thread of this process; returns their logs.
std::vector<Result<EventLog>> RunInThreads(ThreadRuntime& runtime,
                                           const std::vector<HiredisOptions>& servers,
                                           const std::vector<ClientTask>& tasks) {
  std::vector<Result<EventLog>> logs(tasks.size(), EventLog());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    threads.emplace_back([&, i] { logs[i] = RunWallClient(runtime, servers, tasks[i]); });
  }
  for (std::thread& thread : threads) thread.join();
  return logs;
}

Result<EventLog> LogOf(int client, const ForkEnd& end) {
  if (end.answer) {
    if (!end.answer->ok()) return end.answer->status();
    Result<LogFile> log = ReadLog(**end.answer);
    if (!log.ok()) return log.status();
    return std::move(log->events);
  }
  return Status(StatusCode::kUnavailable, WIFSIGNALED(end.wait_status)
                                              ? fmt::format("client {} was ended by signal {}",
                                                            client + 1, WTERMSIG(end.wait_status))
                                              : fmt::format("client {} ended early", client + 1));
}

/// Runs each client in a process of its own; returns their logs, none once `stop` is set.
/// REQUIRES: this process has one thread. kUnavailable: a process could not be started.
Result<std::vector<Result<EventLog>>> RunInProcesses(const std::vector<HiredisOptions>& servers,
                                                     const std::vector<ClientTask>& tasks,
                                                     const std::atomic<bool>* stop) {
  const auto work = [&](std::size_t index, const std::atomic<bool>& stops) -> Result<std::string> {
    ThreadRuntime runtime;
    ClientTask task = tasks[index];
    task.stop = &stops;
    const Result<EventLog> log = RunWallClient(runtime, servers, task);
    if (!log.ok()) return log.status();
    return ToText({}, *log);
  };
  const Result<std::vector<ForkEnd>> ends = RunInForks(tasks.size(), work, stop);
  if (!ends.ok()) return ends.status();
  std::vector<Result<EventLog>> logs;
  for (std::size_t i = 0; i < ends->size() && !(stop != nullptr && *stop); ++i) {
    logs.push_back(LogOf(tasks[i].client, (*ends)[i]));
  }
  return logs;
}

}  // namespace

Result<std::unique_ptr<WallBench>> WallBench::Open(const Target& target, int most) {
  std::unique_ptr<WallBench> bench(new WallBench());
  if (target.redis == "spawn") {
    for (int i = 0; i < most; ++i) {
      auto server = sim::machine::RedisServer::Start();
      if (!server.ok()) return server.status();
      auto options = ParseRedisUrl((*server)->url());
      if (!options.ok()) return options.status();
      bench->servers_.push_back(std::move(options).value());
      bench->own_.push_back(std::move(server).value());
    }
    bench->backend_ = fmt::format("{} redis-server of its own", most);
  } else {
    auto servers = sim::machine::ParseTargets(target.redis, target.allow_remote);
    if (!servers.ok()) return servers.status();
    bench->servers_ = std::move(servers).value();
  }
  bench->processes_ = target.processes;
  std::array<std::byte, 16> bytes{};
  bench->runtime_.FillRandom(bytes);
  bench->prefix_ = "interlock:contend:";
  for (const std::byte byte : bytes) {
    bench->prefix_ += fmt::format("{:02x}", static_cast<unsigned>(byte));
  }
  bench->prefix_ += ':';
  for (const HiredisOptions& server : bench->servers_) {
    const Status good = sim::machine::CheckServer(bench->runtime_, server, bench->prefix_);
    if (!good.ok()) return good;
    bench->sweepers_.push_back(
        std::make_unique<sim::machine::KeySweeper>(bench->runtime_, server, bench->prefix_));
    bench->sweepers_.back()->Use(server.database);
    if (!bench->own_.empty()) continue;
    auto connector = MakeHiredisConnector(bench->runtime_, server);
    if (!connector.ok()) return connector.status();
    bench->backend_ += (bench->backend_.empty() ? "" : ",") + (*connector)->endpoint();
  }
  if (target.processes) bench->backend_ += "; each client a process";
  return bench;
}

Result<Measured> WallBench::Measure(const harness::Subject& subject, int clients, const Load& load,
                                    std::uint64_t seed, const std::atomic<bool>* stop) {
  const Result<Measurand> measurand =
      MeasurandOf(subject, clients, load, fmt::format("{}{}:", prefix_, ++points_));
  if (!measurand.ok()) return measurand.status();
  if (subject.traits().posix) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{} asks a server called redis, which only simulated ones are: "
                              "measure it in virtual time",
                              subject.name()));
  }
  const std::size_t least = subject.traits().quorum ? 3 : 1;
  if (servers_.size() < least) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{} asks three servers or more: give their URLs, separated by "
                              "commas, or --redis spawn",
                              subject.name()));
  }
  std::vector<HiredisOptions> servers = servers_;
  if (least == 1) servers.resize(1);
  // This leaves time for all clients to be there.
  const MonotonicTime began = runtime_.Now() + std::chrono::milliseconds(20 + 2 * clients);
  std::vector<ClientTask> tasks;
  for (int client = 0; client < clients; ++client) {
    tasks.push_back({client, &subject, measurand->options, load, seed, began, stop});
  }
  auto logs =
      processes_ ? RunInProcesses(servers, tasks, stop) : RunInThreads(runtime_, servers, tasks);
  if (!logs.ok()) return logs.status();
  EventLog all;
  for (Result<EventLog>& log : *logs) {
    if (!log.ok()) return log.status();
    all.insert(all.end(), std::make_move_iterator(log->begin()),
               std::make_move_iterator(log->end()));
  }
  return MeasuredBy(std::move(all), *measurand, false);
}

Status WallBench::Sweep() {
  for (const auto& sweeper : sweepers_) {
    if (const auto swept = sweeper->Sweep(); !swept.ok()) return swept.status();
  }
  return Status();
}

}  // namespace interlock::scenarios::contend
