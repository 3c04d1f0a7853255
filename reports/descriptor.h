// SPDX-License-Identifier: MIT
//
// Descriptor: owns an open file, folder or socket, and closes it on every path.
//
// Thread safety: as any std container.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace interlock::reports {

class Descriptor {
 public:
  /// A negative `fd` means that it owns nothing, as after a failed open.
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.Take()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { Close(); }

  int get() const { return fd_; }

  /// Gives up the descriptor without closing it.
  int Take() { return std::exchange(fd_, -1); }

  /// Returns 0 or errno: a network file system may report a failed write only here. After EINTR,
  /// Linux has closed the descriptor all the same.
  int Close() {
    const int fd = Take();
    return fd >= 0 && ::close(fd) != 0 && errno != EINTR ? errno : 0;
  }

 private:
  int fd_;
};

}  // namespace interlock::reports
