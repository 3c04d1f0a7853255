// SPDX-License-Identifier: MIT
//
// A lock written on hiredis alone, with the clocks and random bytes of the C library, as production
// code is; and what is often wrong with such a lock. Its adapter knows nothing of sockets.
//
// Thread safety: as harness::Subject.
#pragma once

#include <memory>
#include <string>

#include <interlock/harness/lock.h>

namespace interlock::scenarios::testing {

struct HiredisLockOptions {
  std::string name = "test/on-hiredis";
  bool deletes_blindly = false;  ///< DEL, whoever owns it
  /// After a time-out it goes on with the connection, where the late reply answers the next
  /// command.
  bool keeps_late_connections = false;
};

std::shared_ptr<const harness::Subject> HiredisSubject(HiredisLockOptions options = {});

}  // namespace interlock::scenarios::testing
