// SPDX-License-Identifier: MIT
//
// The options of a Redlock; see options.h, which includes them.
//
// Thread safety: plain data.
#pragma once

#include <chrono>
#include <string>

#include <interlock/result.h>
#include <interlock/time.h>

namespace interlock {

struct RedlockOptions {
  /// As in MutexOptions. A Redlock shares prefix and name with no other lock of the same servers.
  std::string key_prefix = "interlock:redlock:";

  /// As in MutexOptions. [4 * node_timeout, 24 h]
  Duration lease = std::chrono::seconds(30);

  /// How long one node may take for one answer, connecting included. A slower node has no vote. It
  /// is paid once per round while a node hangs, so it must be far below the lease; 100 ms is far
  /// above a healthy node's answer in one region. [1 ms, lease / 4]
  Duration node_timeout = std::chrono::milliseconds(100);

  /// The drift allowance has two parts, as on Redis' page on distributed locks: a fraction of the
  /// lease, as in MutexOptions, and a fixed part for leases so short that servers' whole
  /// milliseconds count. [0, 500] and [0, lease / 4]
  int drift_per_mille = 10;
  Duration drift_extra = std::chrono::milliseconds(2);

  /// Fencing tokens cost a second round trip per grant; false: fencing_token() is 0. All clients
  /// of one name must agree.
  bool fencing = true;

  /// The first pause between two tries, doubled after each further try up to the longest, and
  /// shortened at random by up to a half. Both should be well above the time between the first and
  /// the last node's execution of a try, or clients that split the votes do so again. [1 ms, 1 h],
  /// first <= max.
  Duration first_pause = std::chrono::milliseconds(25);
  Duration max_pause = std::chrono::milliseconds(250);
};

/// kOk, or kInvalidArgument with the reason.
Status Validate(const RedlockOptions& options);

}  // namespace interlock
