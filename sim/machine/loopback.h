// SPDX-License-Identifier: MIT
//
// TCP on the loopback, without waiting. Thread safety: pure functions.
#pragma once

#include <netinet/in.h>

namespace interlock::sim::machine {

/// 127.0.0.1; port 0: a free one.
sockaddr_in Loopback(int port);
/// On a free port; -1: that failed.
int ListenOnLoopback();
int PortOf(int listener);
/// -1: nobody had connected, or it is gone already.
int AcceptOne(int listener);
/// -1: nobody listens there.
int ConnectOnLoopback(int port);
/// Closes with a reset instead of an end, whatever is still under way.
void CloseWithReset(int fd);

}  // namespace interlock::sim::machine
