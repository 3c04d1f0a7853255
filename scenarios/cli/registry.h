// SPDX-License-Identifier: MIT
//
// The locks that this program knows: those that ship with it, and the user's own. Names are matched
// as shell patterns; if nothing matches, the nearest name is suggested.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <interlock/harness/lock.h>
#include <interlock/result.h>

#include "scenarios/search/campaign.h"

namespace interlock::scenarios::cli {

class Registry {
 public:
  /// kInvalidArgument: a name occurs twice, has characters other than [a-z0-9./_-], or more than 64
  /// of them. `program` is the command that started this program. REQUIRES: `own` can be asked
  /// safely; see stand_in.h.
  static Result<Registry> Make(std::vector<std::shared_ptr<const harness::Subject>> own,
                               std::string_view program = "interlock");

  const std::vector<Entry>& entries() const { return entries_; }
  /// The entries that match any of the comma-separated patterns, in the order of entries().
  /// kInvalidArgument, with the nearest name, if a pattern matches nothing.
  Result<std::vector<Entry>> Select(std::string_view patterns) const;
  const Entry* Find(std::string_view name) const;

  /// For replay lines: "./interlock", or the path of the user's own binary.
  const std::string& program() const { return program_; }

 private:
  std::vector<Entry> entries_;
  std::string program_;
};

/// As Registry::Select; "chaos,pause@valkey-9.1": those two on that server.
Result<std::vector<const Scenario*>> SelectScenarios(std::string_view patterns);

/// The scenarios of the guarantee table whose fault class matches, on a server as there.
/// kInvalidArgument, with the nearest name, if none does.
Result<std::vector<const Scenario*>> SelectFaultClasses(std::string_view pattern);

/// As sim::UnknownName, for a word that is neither a property's code nor its slug.
std::string UnknownProperty(std::string_view given);

}  // namespace interlock::scenarios::cli
