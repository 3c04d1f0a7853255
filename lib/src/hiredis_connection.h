// SPDX-License-Identifier: MIT
//
// A connection over a socket, with hiredis as its reader of replies. The contract is that of
// interlock/connection.h.
//
// Thread safety: belongs to one task at a time.
#pragma once

#include <memory>
#include <string>

#include <interlock/connection.h>
#include <interlock/hiredis_connector.h>
#include <interlock/runtime.h>

#include "src/busy_wait.h"
#include "src/socket.h"
#include "src/tls.h"

namespace interlock {

/// `socket` is connected; `tls`: null for none. `endpoint`: for messages.
std::unique_ptr<Connection> MakeHiredisConnection(Runtime& runtime, Socket socket,
                                                  std::unique_ptr<TlsSession> tls,
                                                  const HiredisOptions& options,
                                                  std::shared_ptr<internal::BusyTurn> busy_turn,
                                                  std::string endpoint);

}  // namespace interlock
