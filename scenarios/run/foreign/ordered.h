// SPDX-License-Identifier: MIT
//
// Which commands of a connection have a place in the order of a run: all but those that neither
// read nor change data (HELLO, CLIENT, PING ...), and those that are only queued for a transaction.
//
// Thread safety: none.
#pragma once

#include "sim/redis/server.h"

namespace interlock::scenarios::drive {

class OrderedCommands {
 public:
  /// Takes the connection's next command, and says whether it has a place in the order.
  bool Take(const sim::redis::Argv& argv);
  /// Whether commands are queued until EXEC now.
  bool in_transaction() const { return in_transaction_; }

 private:
  bool in_transaction_ = false;
};

}  // namespace interlock::scenarios::drive
