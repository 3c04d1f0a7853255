// SPDX-License-Identifier: MIT
//
// The sets of select as the entries of poll, and back. Internal to sim/posix. Thread safety: none.
#pragma once

#include <poll.h>
#include <sys/select.h>

#include <span>
#include <vector>

namespace interlock::sim::posix {

class Selection {
 public:
  /// Null: an empty set. The sets must outlive this.
  Selection(int count, fd_set* readable, fd_set* writable, fd_set* broken);
  std::span<pollfd> entries() { return entries_; }
  /// Leaves in the sets what the entries say is ready, and returns how many bits that are.
  int Tell();

 private:
  fd_set* readable_;
  fd_set* writable_;
  fd_set* broken_;
  std::vector<pollfd> entries_;
};

}  // namespace interlock::sim::posix
