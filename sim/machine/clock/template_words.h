// SPDX-License-Identifier: MIT
//
// What `interlock drive` and a template say to each other, over a socket that keeps messages apart
// (SOCK_SEQPACKET). A template is a client's process that stops where it first connects to its
// server, and there makes a copy of itself for each run, one at a time (see template.cc). A copy is
// asked for by one byte, which comes with two descriptors (SCM_RIGHTS): the page of the copy's
// clock, and the file of its output.
//
// Thread safety: plain data.
#pragma once

#include <cstdint>

namespace interlock::sim::machine {

/// The environment variable of a template: the descriptor of its socket, the number of connections
/// that it makes before the one where it stops, and the ports at which it looks for servers,
/// separated by spaces. Without such connections nobody listens there.
inline constexpr const char* kTemplateVariable = "INTERLOCK_TEMPLATE";

enum class TemplateNews : std::int32_t {
  kReached,  ///< its first connect; the number is that of its threads
  kFamily,   ///< that, but it has started another process, or is one
  kShares,   ///< that, but it would share an open epoll, pipe or socket with its copies
  kCopied,   ///< the number is the copy's process
  kEnded,    ///< the copy has; the number is its wait status (waitpid(2))
  kFailed,   ///< there is no copy; the number is errno
};

struct TemplateReport {
  TemplateNews news = TemplateNews::kReached;
  std::int32_t number = 0;
};

}  // namespace interlock::sim::machine
