// SPDX-License-Identifier: MIT
#include "scenarios/run/forced/forced_node.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "sim/redis/text.h"

namespace interlock::scenarios::real {
namespace {

std::int64_t OffsetOf(sim::machine::Admin& admin, std::string_view field) {
  const Result<Reply> info = admin.Call({"INFO", "replication"});
  const std::size_t at = info.ok() ? info->text.find(field) : std::string::npos;
  std::int64_t value = -1;
  if (at == std::string::npos) return value;
  const char* const begin = info->text.data() + at + field.size();
  std::from_chars(begin, info->text.data() + info->text.size(), value);
  return value;
}

}  // namespace

Status ForcedNode::OpenAdmin(Runtime& runtime, int database) {
  HiredisOptions options = server.options;
  options.database = database;
  Result<sim::machine::Admin> opened = sim::machine::Admin::Open(runtime, options);
  if (!opened.ok()) return opened.status();
  admin.emplace(*std::move(opened));
  return Status();
}

Result<sim::machine::ServerVersion> ForcedNode::Open(Runtime& runtime, int database,
                                                     const sim::redis::Dialect& dialect) {
  if (Status opened = OpenAdmin(runtime, database); !opened.ok()) return opened;
  const HiredisOptions& at = server.options;
  Result<sim::machine::ServerVersion> version = sim::machine::VersionOf(*admin);
  if (!version.ok()) return version;
  if (sim::redis::DialectOfVersion(version->valkey, version->number) != &dialect) {
    return Status(StatusCode::kUnavailable,
                  fmt::format("{}:{} is {}: the case is simulated on {}, from which it may differ "
                              "rightly",
                              at.host, at.port, version->text(), dialect.name));
  }
  const Result<Reply> size = admin->Call({"DBSIZE"});
  if (!size.ok()) return size.status();
  if (size->integer > 0) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("database {} of {}:{} has {} keys: a forced replay compares all "
                              "data, so it needs an empty one, and removes nothing of yours",
                              database, at.host, at.port, size->integer));
  }
  return version;
}

Status ForcedNode::Connect(Runtime& runtime, int database, MonotonicTime deadline,
                           ForcedLink& link) const {
  HiredisOptions options = server.options;
  options.database = database;
  auto connector = MakeHiredisConnector(runtime, options);
  if (!connector.ok()) return connector.status();
  link.connector = *std::move(connector);
  auto made = link.connector->Connect(deadline);
  if (!made.ok()) return made.status();
  link.connection = *std::move(made);
  const std::vector<std::string_view> ask = {"CLIENT", "ID"};
  const Result<Reply> id = link.connection->Call(ask, deadline);
  if (!id.ok()) return id.status();
  link.id = std::to_string(id->integer);
  return Status();
}

bool ForcedNode::KnowsFromOthers(const sim::redis::Argv& argv) {
  if (argv.size() < 2) return false;
  const std::string name = sim::redis::ToLower(argv[0]);
  if (name == "eval") scripts_.insert(sim::redis::Sha1Hex(argv[1]));
  if (name == "script" && argv.size() > 2) scripts_.insert(sim::redis::Sha1Hex(argv[2]));
  if (name != "evalsha" || server.own != nullptr) return false;
  const std::string sha = sim::redis::ToLower(argv[1]);
  if (scripts_.contains(sha)) return false;
  const Result<Reply> exists = admin->Call({"SCRIPT", "EXISTS", sha});
  return exists.ok() && !exists->elements.empty() && exists->elements.front().integer == 1;
}

bool ForcedNode::FallsAsleep(const ForcedLink& link, const RealPace& pace) {
  return pace.Until([&] {
    const Result<Reply> list = admin->Call({"CLIENT", "LIST", "ID", link.id});
    const std::size_t flags = list.ok() ? list->text.find(" flags=") : std::string::npos;
    return flags != std::string::npos &&
           list->text.substr(flags, list->text.find(' ', flags + 1) - flags).find('b') !=
               std::string::npos;
  });
}

bool ForcedNode::Closes(const std::string& id, const RealPace& pace) {
  return pace.Until([&] {
    const Result<Reply> list = admin->Call({"CLIENT", "LIST", "ID", id});
    return list.ok() && list->text.empty();
  });
}

bool ForcedNode::AnyWatches() const {
  return std::ranges::any_of(links, [](const auto& one) { return one.second.watches; });
}

Status ForcedNode::Undergo(sim::Shadow::Happening happening, Runtime& runtime, int database) {
  using Happening = sim::Shadow::Happening;
  const auto fill = [&](std::string_view bytes) {
    return admin->Call({"CONFIG", "SET", "maxmemory", bytes}).status();
  };
  switch (happening) {
    case Happening::kKilled:
    case Happening::kPowerLost:
      links.clear();
      admin.reset();
      data.ForgetEnds();
      serves = false;
      server.own->Kill();
      return Status();
    case Happening::kStarted: {
      Status started = server.own->Restart();
      if (started.ok()) started = OpenAdmin(runtime, database);
      serves = started.ok();
      return started;
    }
    case Happening::kStopped:
      serves = false;
      server.own->Pause();
      return Status();
    case Happening::kResumed:
      serves = true;
      server.own->Resume();
      return Status();
    case Happening::kFull:
      return fill("1");
    case Happening::kNotFull:
      return fill("0");
    case Happening::kFollows:
      break;
  }
  return Status();
}

Status ForcedNode::ReplicaOf(int port) {
  return admin->Call({"REPLICAOF", "127.0.0.1", std::to_string(port)}).status();
}

Status ForcedNode::Follow(const ForcedNode& primary) {
  links.clear();
  data.ForgetEnds();
  serves = false;
  in_step = -1;
  return ReplicaOf(primary.server.options.port);
}

/// A stopped replica would keep later data in its socket, and might take them before it is
/// promoted. So it is told to follow itself instead, which fails and leaves its data as they are.
bool ForcedNode::CatchUp(ForcedNode& primary, const RealPace& pace) {
  const std::int64_t wanted = OffsetOf(*primary.admin, "master_repl_offset:");
  if (!ReplicaOf(primary.server.options.port).ok()) return false;
  const bool there = pace.Until([&] {
    const Result<Reply> info = admin->Call({"INFO", "replication"});
    return info.ok() && info->text.find("master_link_status:up") != std::string::npos &&
           OffsetOf(*admin, "slave_repl_offset:") >= wanted;
  });
  return there && ReplicaOf(server.options.port).ok();
}

Status ForcedNode::Promote() {
  serves = true;
  data.Promote();
  return admin->Call({"REPLICAOF", "NO", "ONE"}).status();
}

}  // namespace interlock::scenarios::real
