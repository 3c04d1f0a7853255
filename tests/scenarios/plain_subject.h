// SPDX-License-Identifier: MIT
//
// The smallest honest lock, for tests of the harness itself: SET NX PX, compare-and-delete in Lua,
// a look every 50 ms. It uses nothing of the library's locks, so that it stays as it is while they
// change: golden trace hashes hang on every byte that it sends.
//
// Thread safety: as harness::Subject.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <interlock/harness/lock.h>

namespace interlock::scenarios::testing {

struct PlainOptions {
  std::string name = "test/plain";
  bool release_blindly = false;                   ///< DEL, whoever owns it
  std::optional<StatusCode> release_answer = {};  ///< what Release says; it then does nothing
  bool release_asks_on = false;  ///< until its entry is there to be deleted: for ever if it is over
  bool extend_in_words_only = false;  ///< Extend says ok and does nothing
  bool hide_owner = false;            ///< Owners() shows nothing
  int lease_percent = 100;            ///< how much of LockOptions::lease it grants
  /// How much of LockOptions::lease is a lock-delay, at the end of what it grants; if it is not 0,
  /// Traits say so.
  int delay_percent = 0;
  bool os_threads = false;                ///< Traits say so, and nothing of Traits::posix
  std::vector<std::string> preface = {};  ///< a command sent before each SET
  /// Called with what NewLock is given; may be called by several threads at once.
  std::function<void(const harness::LockOptions&)> on_new_lock = {};
};

std::shared_ptr<const harness::Subject> PlainSubject(PlainOptions options = {});

}  // namespace interlock::scenarios::testing
