// SPDX-License-Identifier: MIT
//
// What a lock over several nodes says to each of them: what a mutex says, and one thing more.
//
// Keys: those of a mutex.
//
// Thread safety: immutable.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/scripts/mutex_scripts.h"

namespace interlock::internal {

class QuorumScripts {
 public:
  QuorumScripts(const std::string& prefix, const std::string& name, Milliseconds lease);

  /// The scripts of a mutex on one node.
  const MutexScripts& node() const { return node_; }

  /// Raises the fencing counter to `fencing_token`, if the token owns; never lowers it. Answers
  /// whether the token owns, see ParseFlag.
  ScriptCall RaiseFence(const std::string& token, std::uint64_t fencing_token) const;

  /// For tests, and for tools that load them in advance: those beyond the mutex's.
  static std::vector<const Script*> All();

 private:
  const ResourceKeys keys_;
  const MutexScripts node_;
};

}  // namespace interlock::internal
