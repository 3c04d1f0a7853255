// SPDX-License-Identifier: MIT
//
// Looks at the keys under the random prefix of a check, and removes them at its end.
//
// Guarantee: only keys that begin with the prefix are touched, in the databases that were named;
// the destructor removes what is left, so an early return leaves nothing behind. Non-guarantee:
// keys that a killed client's last command makes after the sweep stay until their TTL; on one
// machine such a command is in the server's hands before the client's end is known, and is run
// before the sweep. Thread safety: none.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/hiredis_connector.h>
#include <interlock/result.h>
#include <interlock/runtime.h>

#include "sim/machine/admin.h"
#include "sim/redis/server.h"

namespace interlock::sim::machine {

/// `text` as a pattern of SCAN that matches just itself.
std::string EscapeGlob(std::string_view text);

class KeySweeper {
 public:
  /// `runtime` must outlive it. REQUIRES: prefix is not empty.
  KeySweeper(Runtime& runtime, HiredisOptions options, std::string prefix);
  ~KeySweeper();
  KeySweeper(const KeySweeper&) = delete;
  KeySweeper& operator=(const KeySweeper&) = delete;

  /// Sweeps this database too from now on.
  void Use(int database);

  /// The keys under the prefix, each with its remaining ms to live as `expires_at_ms`.
  Result<std::vector<redis::Server::KeyInfo>> Look(int database);

  /// Removes all keys under the prefix, and returns how many there were.
  Result<std::size_t> Sweep();

 private:
  Result<Admin> Open(int database);
  Result<std::size_t> SweepOne(int database);

  Runtime& runtime_;
  const HiredisOptions options_;
  const std::string prefix_;
  std::set<int> databases_;
};

}  // namespace interlock::sim::machine
