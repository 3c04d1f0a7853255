// SPDX-License-Identifier: MIT
//
// The resource that a lock guards: a counter outside Redis that each holder increments by reading
// it, working, and writing what it read plus one. A plain model: no time, no network, no locks.
//
// GuardKind decides which accesses it accepts. It counts lost updates: accepted increments that a
// later write, based on an older reading, has overwritten. Without any, the value is the number of
// accepted writes.
//
// Readers are unordered among themselves: a fenced resource refuses one only if its token is below
// that of a client that may write, and check-and-set ignores readers.
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
  /// The client making an access, and its credentials.
  struct Visitor {
    std::size_t grant = 0;  ///< unique and unordered: what check-and-set leaves behind
    /// nullopt for locks without tokens; a fenced resource admits a client that shows none.
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
