// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/real/load_run.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <utility>

#include <fmt/format.h>

#include "scenarios/log/words.h"
#include "sim/machine/launch.h"

namespace interlock::scenarios::drive {
namespace {

/// A client that has not asked for its lock, and has done nothing for so long, will not.
constexpr Duration kDoesNothing = std::chrono::seconds(8);
constexpr Duration kLongestStart = std::chrono::seconds(60);
/// How often the clients are looked at.
constexpr Duration kBetweenLooks = std::chrono::milliseconds(20);
constexpr std::size_t kSaidLast = 500;  // bytes
constexpr int kPrintedTooMuch = 128 + SIGXFSZ;

}  // namespace

LoadRun::LoadRun(const std::vector<std::string>& command, int clients, const contend::Load& load,
                 const std::vector<HiredisOptions>& servers, Runtime& runtime,
                 const std::atomic<bool>& stop)
    : command_(command),
      clients_(clients),
      load_(load),
      runtime_(runtime),
      stop_(stop),
      log_(clients, runtime),
      relay_(clients, servers, log_) {
  relay_.SetSection(load.hold);
}

Result<std::optional<EventLog>> LoadRun::Run() {
  Status status = Begin();
  if (status.ok()) status = AwaitAll();
  const MonotonicTime began = runtime_.Now();
  if (status.ok()) status = Watch(AddSaturating(began, load_.whole()));
  if (status.ok() && !stop_ && log_.entries() == 0) {
    status = Wrong(0,
                   "has reported no section: INTERLOCK.ENTER name, once it is inside, and "
                   "INTERLOCK.LEAVE name, while it still is");
  }
  End();
  if (!status.ok()) return status;
  if (stop_) return std::optional<EventLog>();
  return std::optional(log_.TakeFrom(began));
}

Status LoadRun::Begin() {
  if (Status opened = relay_.Open(); !opened.ok()) return opened;
  for (int client = 0; client < clients_; ++client) {
    std::vector<int> ports;
    for (int node = 0; node < relay_.nodes(); ++node) ports.push_back(relay_.port(client, node));
    auto process =
        sim::machine::Launch(sim::machine::CommandOf(command_, client), client, {ports}, {});
    if (!process.ok()) return process.status();
    processes_.push_back(*std::move(process));
  }
  return Status();
}

/// Waits until each client asks for its lock, so that none is measured while it starts.
Status LoadRun::AwaitAll() {
  const MonotonicTime last = AddSaturating(runtime_.Now(), kLongestStart);
  int waited_for = -1;
  Duration worked{};
  MonotonicTime limit = runtime_.Now();
  while (!stop_) {
    int missing = -1;
    for (int client = 0; client < clients_ && missing < 0; ++client) {
      if (!relay_.HasParked(client)) missing = client;
    }
    if (missing < 0) break;
    if (Status ends = LookAtEnds(); !ends.ok()) return ends;
    const Duration work = processes_[static_cast<std::size_t>(missing)]->ProcessorTime();
    if (std::exchange(waited_for, missing) != missing || std::exchange(worked, work) != work) {
      limit = std::min(last, AddSaturating(runtime_.Now(), kDoesNothing));
    }
    if (runtime_.Now() > limit) {
      return Wrong(missing, relay_.has_connected(missing)
                                ? "has connected, and sends no command"
                                : "has not connected: it finds its server in REDIS_URL, "
                                  "REDIS_HOST and REDIS_PORT, or in {url} and {port} of its own "
                                  "arguments");
    }
    relay_.Poll(kBetweenLooks);
  }
  relay_.PassAll();
  return Status();
}

Status LoadRun::Watch(MonotonicTime until) {
  MonotonicTime look = runtime_.Now();
  for (MonotonicTime now = look; now < until && !stop_; now = runtime_.Now()) {
    if (now >= look) {
      if (Status ends = LookAtEnds(); !ends.ok()) return ends;
      look = AddSaturating(now, kBetweenLooks);
    }
    relay_.Poll(std::min(look, until) - now);
  }
  return Status();
}

Status LoadRun::LookAtEnds() {
  if (!relay_.trouble().ok()) return relay_.trouble();
  for (int client = 0; client < clients_; ++client) {
    sim::machine::ForeignProcess& process = *processes_[static_cast<std::size_t>(client)];
    if (!process.ended()) continue;
    if (process.exit_code() == kPrintedTooMuch) {
      return Wrong(client, "has printed (or written) more than 64 MiB");
    }
    return Wrong(client, fmt::format("has ended with exit code {}, where it is to take its lock "
                                     "again and again until it is killed",
                                     process.exit_code()));
  }
  return Status();
}

Status LoadRun::Wrong(int client, std::string_view what) {
  const std::string said = processes_[static_cast<std::size_t>(client)]->OutputTail(kSaidLast);
  return Status(StatusCode::kInvalidArgument, fmt::format("{} {}{}{}", ClientName(client), what,
                                                          said.empty() ? "" : "; it says: ", said));
}

void LoadRun::End() {
  for (const auto& process : processes_) process->Kill();
  for (int client = 0; client < clients_; ++client) relay_.Drop(client);
}

}  // namespace interlock::scenarios::drive
