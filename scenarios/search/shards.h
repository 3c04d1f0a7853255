// SPDX-License-Identifier: MIT
//
// A campaign shared by several processes: what each ran as plain data, and the whole made of it.
#pragma once

#include <vector>

#include <interlock/result.h>

#include "reports/shard_report.h"
#include "scenarios/search/campaign.h"
#include "scenarios/search/lock_exploration.h"

namespace interlock::scenarios {

/// One block of runs, as a shard's file has it.
reports::ShardBlock ToShardBlock(const Unit& unit, std::uint64_t first, const UnitResult& result);

/// What ToShardBlock was made from, but for its unit.
UnitResult FromShardBlock(const reports::ShardBlock& block);

/// One exploration.
reports::ShardExploration ToShardExploration(const LockExploration& exploration,
                                             const ExplorationSum& sum);

/// What ToShardExploration was made from, but for its exploration.
ExplorationSum FromShardExploration(const reports::ShardExploration& one);

/// What RunCampaign gives for the same options without shards: same rows, hashes and totals.
/// `options` are those that all shards were given. kInvalidArgument, with the reason, unless the
/// shards hold each block of the plan exactly once and nothing else.
Result<CampaignResult> MergeShards(const CampaignOptions& options,
                                   const std::vector<reports::ShardReport>& shards);

}  // namespace interlock::scenarios
