// SPDX-License-Identifier: MIT
//
// What a lock guards: a counter outside of Redis, to which each holder adds one by reading it,
// working, and writing what it has read plus one. A plain model: no time, no network, no locks.
//
// It decides by GuardKind which accesses it accepts, and counts lost updates: additions that were
// accepted and that a later write, made from an older reading, has wiped out. If all goes well the
// value is the number of accepted writes.
//
// Readers come in any order among themselves: a fenced resource refuses one only if its token is
// below that of a client that may write, and to check-and-set a reader is nobody.
//
// Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "scenarios/cases/workload.h"

namespace interlock::scenarios {

class GuardedResource {
 public:
  /// One access: whose it is, and with what.
  struct Visitor {
    std::size_t grant = 0;  ///< a unique value, in no order: what check-and-set leaves behind
    /// nullopt for locks without them; a client that shows none to a fenced resource is let in.
    std::optional<std::uint64_t> fencing_token;
    bool shared = false;  ///< it will not write
  };

  explicit GuardedResource(GuardKind guard) : guard_(guard) {}

  /// The value; nullopt: refused.
  std::optional<std::uint64_t> Read(const Visitor& visitor);
  /// False: refused.
  bool Write(const Visitor& visitor, std::uint64_t value);

  std::uint64_t accepted_writes() const { return accepted_writes_; }
  std::uint64_t lost_updates() const { return accepted_writes_ - value_; }

 private:
  bool Admits(const Visitor& visitor);

  const GuardKind guard_;
  std::uint64_t value_ = 0;
  std::uint64_t accepted_writes_ = 0;
  std::uint64_t highest_token_ = 0;
  std::uint64_t highest_of_writers_ = 0;
  std::optional<std::size_t> last_reader_;
};

}  // namespace interlock::scenarios
