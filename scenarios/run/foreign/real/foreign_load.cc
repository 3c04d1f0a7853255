// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/real/foreign_load.h"

#include <chrono>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <interlock/thread_runtime.h>

#include "scenarios/run/foreign/real/load_run.h"
#include "scenarios/run/foreign/real/ping_cost.h"
#include "scenarios/run/foreign/real/servers_here.h"
#include "scenarios/run/foreign/real/watched_server.h"
#include "scenarios/run/load/contend.h"
#include "scenarios/run/load/measure.h"
#include "sim/machine/redis_server.h"

namespace interlock::scenarios::drive {
namespace {

using sim::machine::RedisServer;

class ForeignBench {
 public:
  explicit ForeignBench(const ForeignLoad& options)
      : options_(options), own_(options.redis == "spawn") {}

  Result<reports::ContentionReport> Run();

 private:
  Status FindServers();
  Status Open();
  Status Tidy();
  Status MeasurePoint(int clients);
  void Describe(const PingCost& ping);

  const ForeignLoad& options_;
  const bool own_;
  ThreadRuntime runtime_;
  std::vector<std::unique_ptr<RedisServer>> started_;
  std::vector<HiredisOptions> servers_;
  std::vector<std::unique_ptr<WatchedServer>> looks_;
  reports::ContentionReport report_;
};

Status ForeignBench::FindServers() {
  for (int i = 0; own_ && i < options_.masters; ++i) {
    auto server = RedisServer::Start();
    if (!server.ok()) return server.status();
    servers_.emplace_back().port = (*server)->port();
    started_.push_back(*std::move(server));
  }
  if (!own_) {
    auto servers = ServersHere(options_.redis);
    if (!servers.ok()) return servers.status();
    servers_ = *std::move(servers);
  }
  return Open();
}

Status ForeignBench::Open() {
  std::vector<std::string> places;
  for (const HiredisOptions& server : servers_) {
    auto look = WatchedServer::Open(runtime_, server, static_cast<int>(looks_.size()));
    if (!look.ok()) return look.status();
    looks_.push_back(*std::move(look));
    places.push_back(server.unix_path.empty() ? fmt::format("{}:{}", server.host, server.port)
                                              : server.unix_path);
    const auto keys = looks_.back()->CountKeys();
    if (!keys.ok()) return keys.status();
    if (*keys == 0) continue;
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("the server at {} has {} keys: nobody knows which ones the clients "
                              "will make, so all are removed in the end, and it has to be empty "
                              "at the beginning",
                              places.back(), *keys));
  }
  report_.backend = looks_.front()->version().text();
  if (own_) {
    report_.backend += " of its own";
  } else {
    report_.backend += fmt::format(" at {}", fmt::join(places, ", "));
  }
  if (servers_.size() > 1 && own_)
    report_.backend = fmt::format("{} {}", servers_.size(), report_.backend);
  return Status();
}

/// Removes what the clients have left, and what a client's last command may bring after that.
Status ForeignBench::Tidy() {
  for (const auto& look : looks_) {
    for (std::int64_t left = 1; left > 0;) {
      if (Status removed = look->RemoveKeys(); !removed.ok()) return removed;
      const auto keys = look->CountKeys();
      if (!keys.ok()) return keys.status();
      left = *keys;
    }
  }
  return Status();
}

Status ForeignBench::MeasurePoint(int clients) {
  LoadRun run(options_.command, clients, options_.load, servers_, runtime_, *options_.stop);
  auto log = run.Run();
  if (Status tidy = Tidy(); !tidy.ok()) return tidy;
  if (!log.ok()) return log.status();
  if (!log->has_value()) {
    report_.status = reports::RunStatus::kPartial;
    return Status();
  }
  contend::Frame frame;
  frame.lock = fmt::format("{}", fmt::join(options_.command, " "));
  frame.clients = clients;
  frame.resources = std::max(run.sections(), 1);
  frame.from_ns = options_.load.warm_up.count();
  frame.to_ns = options_.load.whole().count();
  frame.one_owner = options_.load.permits == 1;
  report_.points.push_back(contend::Measure(**log, frame));
  if (const reports::ContentionPoint& point = report_.points.back();
      frame.one_owner && point.overlap_ns > 0) {
    report_.notes.push_back(fmt::format(
        "with {} clients two or more of them were in a section of one name for {:.1f} ms of "
        "{:.1f}: "
        "the lock does not keep them out (or has as many permits, which --permits is to say)",
        clients, static_cast<double>(point.overlap_ns) / 1e6,
        static_cast<double>(point.window_ns) / 1e6));
  }
  if (options_.keep) options_.keep(report_.points.back(), **log);
  return Status();
}

void ForeignBench::Describe(const PingCost& ping) {
  const auto us = [](Duration time) { return static_cast<double>(time.count()) / 1e3; };
  report_.notes.push_back(fmt::format(
      "clients reach the server through a proxy of interlock's: a PING takes {:.0f} us through it, "
      "{:.0f} us without (medians)",
      us(ping.relayed), us(ping.direct)));
  report_.notes.emplace_back(
      "the proxy answers INTERLOCK.ENTER when the section's time is over; a wait is from the first "
      "command after a release to ENTER, and a release ends with the reply to the first command "
      "after LEAVE");
  report_.notes.emplace_back(
      "wall time: each client is a process, and shares the machine with the others, the proxy and "
      "the server; what happens in the server is not seen");
}

Result<reports::ContentionReport> ForeignBench::Run() {
  if (Status found = FindServers(); !found.ok()) return found;
  const auto ping = MeasurePing(servers_.front());
  if (!ping.ok()) return ping.status();
  contend::Load load = options_.load;
  load.lease = {};
  load.patience = {};
  report_.load = contend::Describe(load);
  Describe(*ping);
  std::uint64_t done = 0;
  for (const int clients : options_.clients) {
    if (*options_.stop) {
      report_.status = reports::RunStatus::kPartial;
      break;
    }
    if (Status measured = MeasurePoint(clients); !measured.ok()) return measured;
    if (options_.progress) options_.progress(++done, options_.clients.size());
  }
  return std::move(report_);
}

}  // namespace

Result<reports::ContentionReport> MeasureForeign(const ForeignLoad& options) {
  return ForeignBench(options).Run();
}

}  // namespace interlock::scenarios::drive
