// SPDX-License-Identifier: MIT
//
// What a forced replay does to servers, apart from passing clients' commands on to them.
#include <algorithm>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "scenarios/run/forced/forced_replay.h"
#include "sim/tripwire.h"

namespace interlock::scenarios::real {

bool ForcedReplay::OpenAdmin(Node& node) {
  HiredisOptions options = node.server.options;
  options.database = database_;
  Result<sim::machine::Admin> admin = sim::machine::Admin::Open(runtime_, options);
  if (admin.ok()) node.admin.emplace(*std::move(admin));
  return node.admin.has_value();
}

Status ForcedReplay::Open(int database, bool replicated) {
  database_ = database;
  replicated_ = replicated;
  for (Node& node : nodes_) {
    HiredisOptions options = node.server.options;
    options.database = database;
    Result<sim::machine::Admin> admin = sim::machine::Admin::Open(runtime_, options);
    if (!admin.ok()) return admin.status();
    node.admin.emplace(*std::move(admin));
    const Result<std::string> version = sim::machine::VersionOf(*node.admin);
    if (!version.ok()) return version.status();
    backend_ = "redis-server " + *version;
    if (!version->starts_with("7.0.")) {
      return Status(StatusCode::kUnavailable,
                    fmt::format("{}:{} is Redis {}: the simulated servers are Redis 7.0, so others "
                                "may differ rightly",
                                options.host, options.port, *version));
    }
    const Result<Reply> size = node.admin->Call({"DBSIZE"});
    if (!size.ok()) return size.status();
    if (size->integer > 0) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("database {} of {}:{} has {} keys: a forced replay compares all "
                                "data, so it needs an empty one, and removes nothing of yours",
                                database, options.host, options.port, size->integer));
    }
  }
  for (std::size_t i = 1; replicated && i < nodes_.size(); ++i) {
    if (Status followed = Follow(nodes_[i]); !followed.ok()) return followed;
    if (!CatchUp(nodes_[i])) return Status(StatusCode::kUnavailable, "a replica does not follow");
    nodes_[i].in_step = 0;  // nothing is written yet
  }
  return Status();
}

Status ForcedReplay::Follow(Node& replica) {
  replica.links.clear();
  replica.ends.clear();
  replica.serves = false;
  replica.in_step = -1;
  return ReplicaOf(replica, node(primary_).server.options.port);
}

Status ForcedReplay::ReplicaOf(Node& replica, int port) {
  return replica.admin->Call({"REPLICAOF", "127.0.0.1", std::to_string(port)}).status();
}

/// A stopped replica would keep later data in its socket, and might take them before it is
/// promoted. So it is told to follow itself instead, which fails and leaves its data as they are.
bool ForcedReplay::CatchUp(Node& replica) {
  const auto offset = [](sim::machine::Admin& admin, std::string_view field) {
    const Result<Reply> info = admin.Call({"INFO", "replication"});
    const std::size_t at = info.ok() ? info->text.find(field) : std::string::npos;
    std::int64_t value = -1;
    if (at == std::string::npos) return value;
    const char* const begin = info->text.data() + at + field.size();
    std::from_chars(begin, info->text.data() + info->text.size(), value);
    return value;
  };
  const std::int64_t wanted = offset(*node(primary_).admin, "master_repl_offset:");
  if (!ReplicaOf(replica, node(primary_).server.options.port).ok()) return false;
  const bool there = Until([&] {
    const Result<Reply> info = replica.admin->Call({"INFO", "replication"});
    return info.ok() && info->text.find("master_link_status:up") != std::string::npos &&
           offset(*replica.admin, "slave_repl_offset:") >= wanted;
  });
  return there && ReplicaOf(replica, replica.server.options.port).ok();
}

void ForcedReplay::OnAdmin(int number, int /*database*/, const sim::redis::Argv& argv,
                           const Client* victim, Duration now) {
  if (Over()) return;
  const sim::TripwireExemption this_is_real;
  Node& its_node = node(number);
  WaitFor(now);
  AwaitEnds(its_node, now);
  sim::redis::Argv words = argv;
  if (victim != nullptr) words.back() = its_node.links[victim->link].id;
  const Result<Reply> done = its_node.admin->Call({words.begin(), words.end()});
  if (!done.ok()) Differ({number, 0, -1}, "operator", "ok", done.status().message(), now);
}

void ForcedReplay::OnServer(int number, Happening happening, Duration now) {
  if (Over()) return;
  const sim::TripwireExemption this_is_real;
  Node& its_node = node(number);
  WaitFor(now);
  // A replica serves no clients, and ignores how full it is.
  const bool replica = replicated_ && number != primary_;
  const bool of_process = happening == Happening::kStopped || happening == Happening::kResumed ||
                          happening == Happening::kFull || happening == Happening::kNotFull;
  if (replica && of_process) return;
  sim::machine::RedisServer* const own = its_node.server.own;
  const auto configure = [&](std::string_view bytes) {
    const Result<Reply> done = its_node.admin->Call({"CONFIG", "SET", "maxmemory", bytes});
    if (!done.ok()) Differ({number, 0, -1}, "CONFIG", "ok", done.status().message(), now);
  };
  switch (happening) {
    case Happening::kKilled:
    case Happening::kPowerLost:
      its_node.links.clear();
      its_node.admin.reset();
      its_node.ends.clear();
      its_node.serves = false;
      return own->Kill();
    case Happening::kStarted: {
      const Status started = own->Restart();
      if (!started.ok() || !OpenAdmin(its_node)) {
        return Differ({number, 0, -1}, "restart", "ok", started.message(), now);
      }
      its_node.serves = true;
      late_ = Late(now);
      return;
    }
    case Happening::kStopped:
      its_node.serves = false;
      return own->Pause();
    case Happening::kResumed:
      its_node.serves = true;
      return own->Resume();
    case Happening::kFollows: {
      const Status followed = Follow(its_node);
      if (!followed.ok()) Differ({number, 0, -1}, "REPLICAOF", "ok", followed.message(), now);
      return;
    }
    case Happening::kFull:
      return configure("1");
    case Happening::kNotFull:
      return configure("0");
  }
}

void ForcedReplay::OnInStep(int number, std::int64_t offset, Duration now) {
  Node& replica = node(number);
  if (Over() || replica.serves || replica.in_step == offset) return;
  const sim::TripwireExemption this_is_real;
  WaitFor(now);
  replica.in_step = offset;
  replica.ends_in_step = node(primary_).ends;
  replica.prolonged_in_step = node(primary_).prolonged;
  if (!CatchUp(replica)) Differ({number, 0, -1}, "replica", "in step", "behind", now);
}

void ForcedReplay::OnPromoted(int number, std::int64_t offset, Duration now) {
  if (Over()) return;
  const sim::TripwireExemption this_is_real;
  Node& replica = node(number);
  if (offset != replica.in_step) {
    obstacle_ =
        "the replica has taken a part of what its primary had: a real one takes all or nothing "
        "here";
    return;
  }
  WaitFor(now);
  primary_ = number;
  replica.serves = true;
  replica.ends = std::move(replica.ends_in_step);
  replica.prolonged = std::move(replica.prolonged_in_step);
  const Status promoted = replica.admin->Call({"REPLICAOF", "NO", "ONE"}).status();
  if (!promoted.ok()) Differ({number, 0, -1}, "REPLICAOF", "ok", promoted.message(), now);
}

void ForcedReplay::CleanUp() {
  for (Node& one : nodes_) {
    one.links.clear();
    if (one.server.own != nullptr || !one.admin) continue;
    for (const std::string& key : one.made) (void)one.admin->Call({"UNLINK", key});
  }
}

}  // namespace interlock::scenarios::real
