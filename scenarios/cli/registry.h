// SPDX-License-Identifier: MIT
//
// The locks that this program knows: those that ship with it, and the user's own. Also how names
// are matched: shell patterns, and the nearest name when nothing matches.
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
  /// kInvalidArgument: a name twice, or with letters outside of [a-z0-9./_-], or over 64 of them.
  /// `program` is how this program was called. `own` may be asked: see stand_in.h.
  static Result<Registry> Make(std::vector<std::shared_ptr<const harness::Subject>> own,
                               std::string_view program = "interlock");

  const std::vector<Entry>& entries() const { return entries_; }
  /// Those that match any of the patterns, which commas separate, in the order of entries().
  /// kInvalidArgument, with the nearest name, if one of them matches nothing.
  Result<std::vector<Entry>> Select(std::string_view patterns) const;
  const Entry* Find(std::string_view name) const;

  /// For replay lines: "./interlock", or the path of the user's own binary.
  const std::string& program() const { return program_; }

 private:
  std::vector<Entry> entries_;
  std::string program_;
};

/// As Registry::Select.
Result<std::vector<const Scenario*>> SelectScenarios(std::string_view patterns);

/// Of the guarantee table, those whose class of faults matches. kInvalidArgument, with the nearest
/// name, if none does.
Result<std::vector<const Scenario*>> SelectFaultClasses(std::string_view pattern);

/// As sim::UnknownName, for what is neither a property's code nor its name.
std::string UnknownProperty(std::string_view given);

}  // namespace interlock::scenarios::cli
