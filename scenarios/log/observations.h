// SPDX-License-Identifier: MIT
//
// What the servers' data show at the instant of a command or of an answer, and not afterwards, as
// entries change: facts for the judges of ownership (judge/ownership.h). The ledger makes them of
// commands, answers.h of what clients are told.
//
// Thread safety: plain data.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include <interlock/result.h>

#include "scenarios/log/mishaps.h"

namespace interlock::scenarios {

/// A new entry, made for the client while others were promised as much as the server may grant.
struct GrantedBeside {
  int other = -1;
  VirtualTime until{};  ///< the end of its promise
};

/// A new entry, made for a client that asked under a limit which was not the one in force.
struct GrantedUnderAnotherLimit {
  int wish = 0;  ///< 0: it follows the limit in force, and none was
  int in_force = 0;
};

/// A command of the client removed the entry of another one, whose promise went on.
struct RemovedAnothers {
  int owner = -1;
  VirtualTime until{};
};

/// A command of the client moved the deadline of another one's entry.
struct AlteredAnothers {
  int owner = -1;
  VirtualTime from{};
  VirtualTime to{};
  bool by_release = false;  ///< the client was releasing
};

/// An extension of the client made an entry anew that had expired.
struct RevivedItsOwn {
  VirtualTime over{};
};

/// The client was told "released", and nothing of its own was.
struct ReleasedNothing {
  VirtualTime ends{};  ///< of what it owned
};

/// The client was told "extended", and owned nothing when it asked, or got less than a lease.
struct ExtendedNothing {
  VirtualTime ends{};  ///< of what it owned
};

/// The client was told that its lease, which nobody asked to extend, is valid for longer than any
/// server has promised.
struct RenewedNothing {
  VirtualTime told{};
  VirtualTime promised{};
};

/// An operator was told "released" of a holder that nobody has released.
struct ForcedNothing {};

/// An operator was told something else of a holder although it could have been released, or was.
struct DeniedForce {
  StatusCode answer = StatusCode::kOk;
  std::string_view why;  ///< the end of a sentence: what was so instead
};

struct Observation {
  VirtualTime at{};
  int client = -1;  ///< whose command or answer it was
  std::variant<GrantedBeside, GrantedUnderAnotherLimit, RemovedAnothers, AlteredAnothers,
               RevivedItsOwn, ReleasedNothing, ExtendedNothing, RenewedNothing, ForcedNothing,
               DeniedForce>
      what;
};

}  // namespace interlock::scenarios
