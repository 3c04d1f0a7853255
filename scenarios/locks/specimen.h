// SPDX-License-Identifier: MIT
//
// The locks that ship with the program: sound ones, which must hold what they promise, and
// specimens, deliberately broken ones, which must be convicted. A checker that nobody has seen fail
// proves nothing; an acquitted specimen fails the gate just as a convicted sound lock does.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <interlock/harness/lock.h>

#include "reports/synchrony.h"

namespace interlock::scenarios {

using reports::SynchronyClass;

/// "In this scenario and class, this property must be seen violated."
struct Conviction {
  std::string_view property;  ///< slug: "server-exclusion"
  /// "pause": whatever its servers are; "pause@valkey-9.1": only on those.
  std::string_view scenario;
  SynchronyClass synchrony = SynchronyClass::kNone;
  /// Why real servers may acquit it of this property; empty: they must not.
  std::string_view escapes_real_servers = {};
  /// The other servers on which it comes about, if `scenario` names one: "valkey-8.1 valkey-9.2".
  /// Each is judged there if it is asked for; else the one of `scenario` stands for them.
  std::string_view also_on = {};

  /// Whether it is to come about in the scenario of this name, with its servers' or without.
  bool IsIn(std::string_view name, SynchronyClass its_class) const;
};

/// How little it takes: the smallest case in which an expected conviction can happen at all. A
/// bound says what may happen at most, so a search within anything smaller must find nothing. The
/// clients that come when all is well again (see run.h) are not counted.
struct Bound {
  int clients = 1;
  int attempts = 1;  ///< the busiest client's
  int crashes = 0;
  int expiries = 0;      ///< leases of living clients that end because time passed
  int pauses = 0;        ///< a client's, also if it comes back late; or a message's
  int lost_replies = 0;  ///< or lost requests
  bool operator==(const Bound&) const = default;
};

struct Specimen {
  std::shared_ptr<const harness::Subject> subject;
  std::vector<Conviction> expected;
  Bound least;
  /// Why the exhaustive search cannot convict it at all; empty: it can.
  std::string_view out_of_reach = {};
  /// Why it is not explored with clients that wait; empty: it is.
  std::string_view too_much_when_waiting = {};
};

std::vector<std::shared_ptr<const harness::Subject>> SoundSubjects();
/// Those that need a server with WAITAOF and an append-only file (Traits::on_disk).
std::vector<std::shared_ptr<const harness::Subject>> DurableSubjects();
/// Some of these locks as they were compiled, over hiredis and threads (Traits::posix). None in a
/// sanitizer build, where nothing serves them.
std::vector<std::shared_ptr<const harness::Subject>> CompiledSubjects();
std::vector<Specimen> Specimens();

}  // namespace interlock::scenarios
