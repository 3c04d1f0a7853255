// SPDX-License-Identifier: MIT
//
// TCP on the loopback, without waiting. Thread safety: pure functions.
#pragma once

namespace interlock::scenarios::real {

/// On a free port; -1: that failed.
int ListenOnLoopback();
int PortOf(int listener);
/// -1: nobody had connected, or it is gone already.
int AcceptOne(int listener);
/// -1: nobody listens there.
int ConnectOnLoopback(int port);
/// Closes with a reset instead of an end, whatever is still under way.
void CloseWithReset(int fd);

}  // namespace interlock::scenarios::real
