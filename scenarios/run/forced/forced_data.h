// SPDX-License-Identifier: MIT
//
// The keys of one server of a forced replay: compares them with those of the simulated server, and
// holds their ends to virtual time. What is left of a real key's time is prolonged by a part of a
// second, so that no delay of ours ends a lease before its time; when it ends in the simulation it
// is made to end.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/run/forced/alike.h"
#include "scenarios/run/forced/dataset.h"
#include "scenarios/run/forced/real_pace.h"
#include "sim/machine/admin.h"
#include "sim/redis/server.h"

namespace interlock::scenarios::real {

/// Something that a real server does or has otherwise than the simulated one.
struct Unlike {
  std::string what;  ///< "reply", "no reply", "data of key x"; "data": they could not be read
  std::string simulated;
  std::string real;
};

class ForcedData {
 public:
  /// The times left of the keys that end, in ms.
  std::vector<std::int64_t> LeftOf(Duration now) const;

  /// Ends the real keys whose simulated time is over, because real servers cut times to whole
  /// milliseconds in other places than the simulated ones did.
  std::optional<Unlike> AwaitEnds(sim::machine::Admin& admin, RealPace& pace, Duration now);

  /// Compares all data, and prolongs the keys that will end soon, unless a transaction `watches`
  /// keys: it would see a change.
  std::optional<Unlike> Compare(const sim::redis::Server& server, int database, bool watches,
                                sim::machine::Admin& admin, Alike& alike, const RealPace& pace,
                                Duration now);

  /// A replica is in step with its primary: if it is promoted, it has what that had then.
  void NoteInStep(const ForcedData& primary);
  void Promote();
  /// The server is gone, or takes another one's data.
  void ForgetEnds() { ends_.clear(); }

  /// The keys that the replay has made, in all.
  const std::set<std::string>& made() const { return made_; }
  /// How late real time was when the data were compared last.
  Duration settled_late() const { return settled_late_; }
  void BeginAt(Duration late) { settled_late_ = late; }

 private:
  using Ends = std::vector<std::pair<std::string, std::int64_t>>;
  using Prolonged = std::map<std::string, std::int64_t>;

  void NoteEnds(const Dataset& simulated, std::int64_t now_ms);

  Ends ends_;            // keys that expire, and when, in ms
  Prolonged prolonged_;  // keys, and their ends in the simulation
  std::set<std::string> made_;
  Duration settled_late_{};
  // For a replica: those of the primary when it was last in step.
  Ends ends_in_step_;
  Prolonged prolonged_in_step_;
};

}  // namespace interlock::scenarios::real
