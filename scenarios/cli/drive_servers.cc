// SPDX-License-Identifier: MIT
#include "scenarios/cli/drive_servers.h"

#include <chrono>

#include <fmt/format.h>

#include "scenarios/cli/output.h"
#include "scenarios/cli/server_option.h"
#include "scenarios/cli/values.h"

namespace interlock::scenarios::cli {

using reports::ExitCode;

void DriveServers::AddTo(Command command, drive::DriveOptions& drive) {
  command
      .Add("--masters", masters_, "servers with data of their own; default 1, and 3 in a cluster")
      .InRange(1, drive::kMostNodes);
  command
      .Add("--topology", topology_,
           "what they are: independent of each other, for locks over a quorum; sentinel: one, with "
           "a replica and three Sentinels; cluster: masters that share the slots, with a replica "
           "each")
      .OneOf({"independent", "sentinel", "cluster"})
      .ShowDefault();
  command.Add("--replication-lag", replication_lag_,
              "how long writes are on their way to a replica: a failover loses those that are; "
              "default 0, so that it loses none");
  AddServerOption(command, drive.server);
}

ExitCode DriveServers::Apply(drive::DriveOptions& drive) const {
  constexpr int kUsualShards = 3;
  if (topology_ == "cluster") drive.topology = sim::Topology::kShards;
  if (topology_ == "sentinel") drive.topology = sim::Topology::kSentinel;
  const bool cluster = drive.topology == sim::Topology::kShards;
  drive.nodes = masters_.value_or(cluster ? kUsualShards : 1);
  if (drive.topology == sim::Topology::kSentinel && drive.nodes != 1) {
    return Complain(ExitCode::kUsage,
                    fmt::format("--masters {}: Sentinels watch 1 here", drive.nodes));
  }
  if (drive::ServersOf(drive) > drive::kMostNodes) {
    return Complain(ExitCode::kUsage,
                    fmt::format("--masters {}: each has a replica here; expected at most {}",
                                drive.nodes, drive::kMostNodes / 2));
  }
  return replication_lag_.empty() ? ExitCode::kPass : ApplyLag(drive);
}

ExitCode DriveServers::ApplyLag(drive::DriveOptions& drive) const {
  constexpr auto kLongest = std::chrono::minutes(15);
  const auto lag = ParseDuration(replication_lag_);
  if (!lag || *lag > kLongest || *lag % std::chrono::milliseconds(1) != Duration{}) {
    return Complain(ExitCode::kUsage,
                    fmt::format("--replication-lag: {} is not a time up to 15m, in whole ms",
                                replication_lag_));
  }
  if (drive.topology == sim::Topology::kIndependent) {
    return Complain(ExitCode::kUsage,
                    "--replication-lag: no server has a replica; expected --topology sentinel or "
                    "--topology cluster with it");
  }
  drive.replication_lag = *lag;
  return ExitCode::kPass;
}

}  // namespace interlock::scenarios::cli
