// SPDX-License-Identifier: MIT
//
// Inspects the keys under a check's random prefix, and removes them at its end.
//
// Guarantee: touches only keys that begin with the prefix, in the named databases; the destructor
// removes the rest, so an early return leaves nothing behind. Non-guarantee: keys made by a killed
// client's last command after the sweep stay until their TTL; on one machine the server has such a
// command before the client's end is known, and runs it before the sweep. Thread safety: none.
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

/// `text` as a SCAN pattern that matches only itself.
std::string EscapeGlob(std::string_view text);

class KeySweeper {
 public:
  /// `runtime` must outlive it. REQUIRES: prefix is not empty.
  KeySweeper(Runtime& runtime, HiredisOptions options, std::string prefix);
  ~KeySweeper();
  KeySweeper(const KeySweeper&) = delete;
  KeySweeper& operator=(const KeySweeper&) = delete;

  /// Includes this database in sweeps from now on.
  void Use(int database);

  /// The keys under the prefix; `expires_at_ms` is the remaining ms to live.
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
