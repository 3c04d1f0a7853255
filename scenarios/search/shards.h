// SPDX-License-Identifier: MIT
//
// A campaign shared by several processes: each one's results as plain data, and their merge.
#pragma once

#include <vector>

#include <interlock/result.h>

#include "reports/shard_report.h"
#include "scenarios/search/campaign.h"
#include "scenarios/search/lock_exploration.h"

namespace interlock::scenarios {

/// One block of runs, as stored in a shard's file.
reports::ShardBlock ToShardBlock(const Unit& unit, std::uint64_t first, const UnitResult& result);

/// The inverse of ToShardBlock, except for its unit.
UnitResult FromShardBlock(const reports::ShardBlock& block);

/// One exploration.
reports::ShardExploration ToShardExploration(const LockExploration& exploration,
                                             const ExplorationSum& sum);

/// The inverse of ToShardExploration, except for its exploration.
ExplorationSum FromShardExploration(const reports::ShardExploration& one);

/// Gives what RunCampaign would without shards: same rows, hashes and totals. `options` are those
/// given to all shards. kInvalidArgument, with the reason, unless the shards hold each block of the
/// plan exactly once and nothing else.
Result<CampaignResult> MergeShards(const CampaignOptions& options,
                                   const std::vector<reports::ShardReport>& shards);

}  // namespace interlock::scenarios
