// SPDX-License-Identifier: MIT
#include "sim/posix/selection.h"

namespace interlock::sim::posix {

namespace {

bool Has(int file, const fd_set* set) { return set != nullptr && FD_ISSET(file, set); }

int Leave(int file, bool ready, fd_set* set) {
  if (!Has(file, set)) return 0;
  if (!ready) FD_CLR(file, set);
  return ready ? 1 : 0;
}

}  // namespace

Selection::Selection(int count, fd_set* readable, fd_set* writable, fd_set* broken)
    : readable_(readable), writable_(writable), broken_(broken) {
  for (int file = 0; file < count; ++file) {
    const int events = (Has(file, readable) ? POLLIN : 0) | (Has(file, writable) ? POLLOUT : 0) |
                       (Has(file, broken) ? POLLPRI : 0);
    if (events != 0) entries_.push_back({file, static_cast<short>(events), 0});
  }
}

int Selection::Tell() {
  int ready = 0;
  for (const pollfd& entry : entries_) {
    const bool ended = (entry.revents & (POLLHUP | POLLERR)) != 0;
    ready += Leave(entry.fd, ended || (entry.revents & POLLIN) != 0, readable_);
    ready += Leave(entry.fd, ended || (entry.revents & POLLOUT) != 0, writable_);
    ready += Leave(entry.fd, (entry.revents & POLLPRI) != 0, broken_);
  }
  return ready;
}

}  // namespace interlock::sim::posix
