// SPDX-License-Identifier: MIT
//
// Judges the protected sections that foreign clients report. Section-exclusion (LK003): two clients
// are between INTERLOCK.ENTER and INTERLOCK.LEAVE of the same name; permits-section (LK013): more
// clients than permits. Not demanded once a lease of theirs has run out by a fault, or after one
// had delayed its owner, or while it would go on but for waits at the gate (see excuses.h), as no
// lease lock can promise it then. Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "scenarios/run/foreign/finding.h"

namespace interlock::scenarios::drive {

class Sections {
 public:
  /// REQUIRES: permits >= 1.
  Sections(int permits, Findings& findings) : permits_(permits), findings_(findings) {}

  /// `excused`: by client, see Holds.
  /// Returns the section's number: they are counted from 0 as they are first reported.
  int Enter(int client, const std::string& section, const std::vector<bool>& excused);
  int Leave(int client, const std::string& section);
  /// The process is gone, and its sections are over.
  void Ended(int client);

  bool Inside(int client) const;
  std::uint64_t entries() const { return entries_; }  ///< so far
  bool any() const { return entries_ > 0; }
  /// "C1 entered stock twice": the client that first did so without leaving it in between; empty:
  /// none. Sections of one client, such as those of its threads, are not told apart.
  const std::string& entered_twice() const { return entered_twice_; }
  /// The most clients that have been in any single section.
  std::size_t most_entrants() const;

 private:
  const int permits_;
  std::uint64_t entries_ = 0;
  std::string entered_twice_;
  Findings& findings_;
  struct Section {
    int number = 0;
    std::set<int> inside;
    std::set<int> entrants;  // all that were ever inside
  };
  Section& Named(const std::string& section);

  std::map<std::string, Section> sections_;
};

}  // namespace interlock::scenarios::drive
