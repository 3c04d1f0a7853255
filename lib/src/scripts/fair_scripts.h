// SPDX-License-Identifier: MIT
//
// The scripts of a fair mutex: one owner, and a queue of waiters. Whoever gives the resource back
// makes the first live waiter its owner, in the same script, and tells it so through a list of its
// own: the element is the grant. What a script does is said beside it.
//
// A waiter keeps one token from its first command to its grant or its end, so everything that it
// sends may be sent again. It counts as live until the server's clock shows the moment by which it
// had to be heard of again.
//
// Keys: `base` (the owner), `base:queue` (tokens of waiters, first come first), `base:waiters` (by
// token: live until, lease), `base:turn:<token>` (one element: its grant), `base:fence`,
// `base:cancelled:<token>`. Those of waiters are made from a declared key and share its slot.
//
// Thread safety: immutable.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/scripts/lock_scripts.h"
#include "src/scripts/mutex_scripts.h"

namespace interlock::internal {

class FairScripts final : public LockScripts {
 public:
  /// `grace`: how long a waiter may take to fetch its grant, or to be heard of after it had to look
  /// again; `look_again`: the longest that a waiter sleeps.
  FairScripts(const std::string& prefix, const std::string& name, Milliseconds lease,
              Milliseconds grace, Milliseconds look_again);

  /// A try: refused while somebody is the owner, or live waiters stand in line.
  ScriptCall Acquire(const std::string& token) const override;
  /// The same, and if refused the token stands in line; one that does already keeps its place.
  ScriptCall Queue(const std::string& token) const;
  ScriptCall Extend(const std::string& token, Milliseconds lease) const override;
  ScriptCall Release(const std::string& token, std::uint64_t fencing_token) const override;
  /// Also takes the token out of the line.
  ScriptCall Abandon(const std::string& token) const override;
  ScriptCall Inspect() const override;
  std::string Refusal() const override;

  /// The list on which the waiter with this token sleeps.
  std::string Turn(const std::string& token) const;

  /// For tests, and for tools that load them in advance.
  static std::vector<const Script*> All();

 private:
  ScriptCall Call(const Script& script, const std::string& token,
                  std::vector<std::string> arguments) const;
  ScriptCall Ask(const char* what, const std::string& token) const;

  const MutexScripts mutex_;
  const Milliseconds grace_;
  const Milliseconds look_again_;
};

/// The fencing token in an element of a waiter's list. kProtocolError: another form.
Result<std::uint64_t> ParseTurn(const std::string& element);

}  // namespace interlock::internal
