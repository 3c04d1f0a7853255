// SPDX-License-Identifier: MIT
//
// Non-blocking TCP on the loopback. Thread safety: pure functions.
#pragma once

#include <netinet/in.h>

namespace interlock::sim::machine {

/// 127.0.0.1; port 0: a free one.
sockaddr_in Loopback(int port);
/// On a free port; -1 on failure.
int ListenOnLoopback();
int PortOf(int listener);
/// -1: nobody has connected, or the peer is gone already.
int AcceptOne(int listener);
/// -1: nobody listens there.
int ConnectOnLoopback(int port);
/// Closes with a reset instead of an end, discarding data in flight.
void CloseWithReset(int fd);

}  // namespace interlock::sim::machine
