// SPDX-License-Identifier: MIT
//
// Several redis-servers that belong together, and connectors that find their way among them.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <interlock/cluster_connector.h>
#include <interlock/hiredis_connector.h>
#include <interlock/sentinel_connector.h>

#include "tests/redis/lock_test.h"

namespace interlock::testing {

class TopologyTest : public LockTest {
 protected:
  void StartTopology(const sim::machine::RedisTopologyOptions& options) {
    auto topology = sim::machine::RedisTopology::Start(options);
    ASSERT_TRUE(topology.ok()) << topology.status().ToString();
    topology_ = std::move(topology).value();
  }

  std::unique_ptr<SentinelConnector> MakeSentinelConnector(TopologyObserver observer,
                                                           const std::string& password = "") {
    const auto sentinels = MakeHiredisNodes(runtime_, {});
    const auto masters = MakeHiredisNodes(runtime_, {.password = password});
    SentinelOptions options = {.master_name = std::string(sim::machine::kMasterName),
                               .recheck = milliseconds(100),
                               .observer = std::move(observer)};
    for (std::size_t i = 0; i < topology_->sentinels(); ++i) {
      options.sentinels.push_back({"127.0.0.1", topology_->sentinel(i).port()});
    }
    auto made = SentinelConnector::Create(runtime_, *sentinels, *masters, std::move(options));
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    return std::move(made).value();
  }

  std::unique_ptr<ClusterConnector> MakeClusterConnector(TopologyObserver observer) {
    const auto nodes = MakeHiredisNodes(runtime_, {});
    ClusterOptions options = {.observer = std::move(observer)};
    for (std::size_t i = 0; i < topology_->masters(); ++i) {
      options.seeds.push_back({"127.0.0.1", topology_->master(i).port()});
    }
    auto made = ClusterConnector::Create(runtime_, *nodes, std::move(options));
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    return std::move(made).value();
  }

  std::unique_ptr<sim::machine::RedisTopology> topology_;
};

}  // namespace interlock::testing
