// SPDX-License-Identifier: MIT
#include "scenarios/search/foreign/real_replay.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <interlock/thread_runtime.h>

#include "scenarios/log/words.h"
#include "scenarios/run/foreign/drive_case.h"
#include "scenarios/run/foreign/real/real_try.h"
#include "scenarios/run/foreign/real/servers_here.h"
#include "sim/machine/redis_server.h"

namespace interlock::scenarios::drive {
namespace {

using sim::machine::RedisServer;

/// The properties that a try judges by what the servers hold. Others hold, or not, as they did in
/// the case if everything is as it was there.
constexpr std::array<std::string_view, 6> kJudged = {"server-exclusion", "section-exclusion",
                                                     "permits-section",  "foreign-release",
                                                     "foreign-extend",   "keys"};

Status Wrong(std::string message) {
  return Status(StatusCode::kInvalidArgument, std::move(message));
}

class RealReplaying {
 public:
  RealReplaying(const reports::Counterexample& example, const RealReplayOptions& options)
      : example_(example), options_(options), own_(options.redis == "spawn") {}

  Result<RealReplay> Run();

 private:
  Status Read();
  std::string WhyNot() const;
  Status FindServers();
  Status StartServers();
  Status Watch();
  Result<RealTryResult> TryOnce();
  Status CleanUp();
  void Take(RealTryResult result);

  const reports::Counterexample& example_;
  const RealReplayOptions& options_;
  const bool own_;
  const std::atomic<bool> never_ = false;
  ThreadRuntime runtime_;
  DriveCase case_;
  CaseSteps steps_;
  RealTryOptions try_;
  std::vector<std::unique_ptr<RedisServer>> started_;
  std::vector<HiredisOptions> servers_;
  std::vector<std::unique_ptr<WatchedServer>> watched_;
  RealReplay replay_;
};

Status RealReplaying::Read() {
  auto read = ReadCase(example_.program);
  if (!read.ok()) return read.status();
  case_ = *std::move(read);
  steps_ = CaseStepsOf(example_);
  try_.command = options_.command.empty() ? case_.options.command : options_.command;
  try_.clients = case_.options.clients;
  try_.permits = case_.options.permits;
  try_.pattern = case_.options.pattern;
  try_.longest = options_.longest;
  try_.stop = options_.stop != nullptr ? options_.stop : &never_;
  if (example_.columns.size() != static_cast<std::size_t>(try_.clients) + 1) {
    return Wrong("the case's table has not one column for each client");
  }
  return Status();
}

/// Why real servers cannot be made to do it; empty: they can.
std::string RealReplaying::WhyNot() const {
  if (case_.options.topology != sim::Topology::kIndependent) {
    return "its clients discover their servers, and real ones are given to them one by one";
  }
  if (!steps_.impossible.empty()) return steps_.impossible;
  if (steps_.steps.empty()) return "the case has no steps";
  if (const Duration length = steps_.steps.back().at; length > options_.longest) {
    return fmt::format("it lasts {}, which takes real time: the most is {}", TimeText(length),
                       TimeText(options_.longest));
  }
  const bool forgets = std::ranges::any_of(steps_.steps, [](const CaseStep& step) {
    return step.kind == CaseStep::Kind::kForgetScripts;
  });
  if (forgets && !own_) {
    return "the server's scripts are forgotten in it, which is only done to servers started for "
           "it: --redis spawn";
  }
  return {};
}

Status RealReplaying::FindServers() {
  if (own_) return Status();
  auto targets = ServersHere(options_.redis);
  if (!targets.ok()) return targets.status();
  servers_ = *std::move(targets);
  const auto wanted = static_cast<std::size_t>(case_.options.nodes);
  if (servers_.size() != wanted) {
    return Wrong(
        fmt::format("the case has {} servers, and {} URLs are given: give one for each, "
                    "separated by commas",
                    wanted, servers_.size()));
  }
  if (Status watched = Watch(); !watched.ok()) return watched;
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    const auto keys = watched_[i]->CountKeys();
    if (!keys.ok()) return keys.status();
    if (*keys == 0) continue;
    return Wrong(
        fmt::format("the server at {}:{} has {} keys: a replay watches all of them, so "
                    "it needs an empty one, and removes nothing of yours",
                    servers_[i].host, servers_[i].port, *keys));
  }
  return Status();
}

/// New ones for each try, so that nothing is left of the one before.
Status RealReplaying::StartServers() {
  watched_.clear();
  started_.clear();
  servers_.clear();
  for (int i = 0; i < case_.options.nodes; ++i) {
    // So that what times out in the server does so within 2 ms, not 100.
    auto server = RedisServer::Start({.arguments = {"--hz", "500"}});
    if (!server.ok()) return server.status();
    HiredisOptions place;
    place.port = (*server)->port();
    servers_.push_back(std::move(place));
    started_.push_back(*std::move(server));
  }
  return Watch();
}

Status RealReplaying::Watch() {
  for (const HiredisOptions& server : servers_) {
    auto watched = WatchedServer::Open(runtime_, server, static_cast<int>(watched_.size()));
    if (!watched.ok()) return watched.status();
    if (Status watches = (*watched)->Watch(); !watches.ok()) return watches;
    watched_.push_back(*std::move(watched));
  }
  replay_.server = watched_.front()->version().text() + (own_ ? " of its own" : "");
  return Status();
}

Result<RealTryResult> RealReplaying::TryOnce() {
  std::vector<WatchedServer*> watched;
  for (const auto& one : watched_) watched.push_back(one.get());
  return RealTry(try_, steps_.steps, servers_, std::move(watched)).Run();
}

Status RealReplaying::CleanUp() {
  if (own_) return Status();
  for (const auto& server : watched_) {
    if (Status removed = server->RemoveKeys(); !removed.ok()) return removed;
  }
  return Status();
}

void RealReplaying::Take(RealTryResult result) {
  ++replay_.tries;
  replay_.commands = result.commands;
  const std::string& slug = example_.property;
  bool violated = false;
  for (const Finding& finding : result.findings) {
    if (finding.slug == slug) {
      if (replay_.sentence.empty()) replay_.sentence = finding.sentence;
      violated = true;
    } else if (std::ranges::count(replay_.others, finding.sentence) == 0) {
      replay_.others.push_back(finding.sentence);
    }
  }
  if (std::ranges::count(kJudged, slug) == 0 && result.difference.empty()) {
    violated = true;
    replay_.sentence = example_.sentence;
  }
  replay_.reproduced += violated ? 1 : 0;
  if (!violated && replay_.difference.empty()) replay_.difference = std::move(result.difference);
}

Result<RealReplay> RealReplaying::Run() {
  if (Status read = Read(); !read.ok()) return read;
  if (Status found = FindServers(); !found.ok()) return found;
  replay_.impossible = WhyNot();
  if (!replay_.impossible.empty()) return std::move(replay_);
  for (std::uint64_t i = 0; i < options_.times && !*try_.stop; ++i) {
    options_.progress(i, options_.times);
    if (own_) {
      if (Status started = StartServers(); !started.ok()) return started;
    }
    auto result = TryOnce();
    if (Status clean = CleanUp(); !clean.ok()) return clean;
    if (!result.ok()) return result.status();
    if (!*try_.stop) Take(*std::move(result));
  }
  return std::move(replay_);
}

}  // namespace

Result<RealReplay> ReplayOnRealServer(const reports::Counterexample& example,
                                      const RealReplayOptions& options) {
  return RealReplaying(example, options).Run();
}

}  // namespace interlock::scenarios::drive
