// SPDX-License-Identifier: MIT
//
// A lock by the votes of several servers, made of choices: a specimen makes the one that its story
// is about, and this does the rest as a careful client of Redis' page on distributed locks would,
// which visits the servers in turn. What the specimens of one server share is in plumbing.h.
//
// Thread safety: as harness::Subject; a recipe is immutable.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include <interlock/harness/lock.h>

#include "scenarios/locks/specimens/plumbing.h"

namespace interlock::scenarios::specimens {

struct VotingRecipe {
  std::string_view name;
  std::string_view summary;
  /// The number of votes that make a holder.
  std::function<std::size_t(std::size_t nodes)> quorum = [](std::size_t nodes) {
    return nodes / 2 + 1;
  };
  /// The end of the belief; by default counted from before the first request.
  bool believes_from_last_reply = false;
  Duration socket_timeout = std::chrono::milliseconds(100);
  bool losers_unlock = true;     ///< a client without a quorum gives back the votes that it got
  bool unlocks_unsure = true;    ///< also on servers that did not answer the lock
  bool starts_anywhere = false;  ///< a lock object visits the servers from one drawn at random on
  Duration pace{};               ///< from one server to the next; zero: as soon as it has answered
  /// From the beginning of a try to the next; zero: drawn at random from 50 to 250 ms, after it.
  Duration fixed_rhythm{};
  /// Script of one server's extension (KEYS key; ARGV token, lease); empty: there is none.
  std::string_view extend_script = {};
  std::function<std::size_t(std::size_t nodes)> extend_quorum = {};  ///< as `quorum`, if empty
  /// Fencing tokens: the highest of the counters of the servers that voted for it.
  bool counts = false;
};

std::shared_ptr<const harness::Subject> MakeVoting(VotingRecipe recipe);

}  // namespace interlock::scenarios::specimens
