// SPDX-License-Identifier: MIT
//
// A connected stream socket whose every wait is bounded by a deadline of the Runtime.
// Name resolution is the exception: the system gives it no deadline.
//
// Thread safety: a Socket belongs to one task at a time.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <span>
#include <string>
#include <utility>

#include <interlock/hiredis_connector.h>
#include <interlock/result.h>
#include <interlock/runtime.h>
#include <interlock/time.h>

namespace interlock {

/// How long a plain recv on a connected Socket blocks before it fails with EAGAIN.
inline constexpr std::chrono::milliseconds kReadSlice{100};

std::string ErrnoText(int error);

/// Owns a descriptor.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Socket() { Close(); }

  int fd() const { return fd_; }
  void Close();

 private:
  int fd_ = -1;
};

/// A descriptor that any thread can make readable, to wake a thread that polls.
class Waker {
 public:
  Waker();
  /// Never waits.
  void Wake() noexcept;
  /// Negative: the system had none to give.
  int fd() const { return event_.fd(); }

 private:
  Socket event_;
};

enum class Ready { kYes, kDeadline, kFailed, kWoken };

/// Waits for poll events. Errors and hang-ups of the peer count as ready: the read or write that
/// follows says which. A deadline in the past asks once. kWoken: `waker` was woken, and the socket
/// is not ready. YIELDS.
Ready WaitReady(Runtime& runtime, int fd, short events, MonotonicTime deadline,
                const Waker* waker = nullptr);

inline constexpr ssize_t kNothingYet = -2;

/// Reads what has come, as recv does; if nothing has, looks again and again until `until`, and then
/// returns kNothingYet. Any thread that is ready to run on this processor goes first: it may be the
/// peer.
ssize_t ReceiveAwake(Runtime& runtime, int fd, std::span<char> into, MonotonicTime until);

/// Connects to the server that `options` name, and sets blocking reads of kReadSlice, TCP_NODELAY
/// and
/// keep-alive probes. kUnavailable: not connected before `deadline`. YIELDS.
Result<Socket> ConnectSocket(Runtime& runtime, const HiredisOptions& options,
                             MonotonicTime deadline);

}  // namespace interlock
