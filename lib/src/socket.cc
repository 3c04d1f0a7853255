// SPDX-License-Identifier: MIT
#include "src/socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

namespace interlock {
namespace {

Status ConnectOne(Runtime& runtime, const sockaddr* address, socklen_t length,
                  MonotonicTime deadline, Socket& result) {
  Socket socket(::socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (socket.fd() < 0) return Status(StatusCode::kUnavailable, ErrnoText(errno));
  if (::connect(socket.fd(), address, length) != 0) {
    // An interrupted connect goes on in the background, like one that is in progress.
    if (errno != EINPROGRESS && errno != EINTR) {
      return Status(StatusCode::kUnavailable, ErrnoText(errno));
    }
    if (WaitReady(runtime, socket.fd(), POLLOUT, deadline) != Ready::kYes) {
      return Status(StatusCode::kUnavailable, "not connected before the deadline");
    }
    int error = 0;
    socklen_t size = sizeof(error);
    if (::getsockopt(socket.fd(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
    if (error != 0) return Status(StatusCode::kUnavailable, ErrnoText(error));
  }
  result = std::move(socket);
  return Status();
}

Status ConnectUnix(Runtime& runtime, const std::string& path, MonotonicTime deadline,
                   Socket& result) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  return ConnectOne(runtime, reinterpret_cast<const sockaddr*>(&address), sizeof(address), deadline,
                    result);
}

Status ConnectTcp(Runtime& runtime, const HiredisOptions& options, MonotonicTime deadline,
                  Socket& result) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error =
      ::getaddrinfo(options.host.c_str(), std::to_string(options.port).c_str(), &hints, &found);
  if (error != 0) return Status(StatusCode::kUnavailable, ::gai_strerror(error));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, ::freeaddrinfo);
  int left = 0;
  for (const addrinfo* a = found; a != nullptr; a = a->ai_next) ++left;
  Status status(StatusCode::kUnavailable, "the name has no address");
  // An address that swallows packets must not use up the time of those after it.
  for (const addrinfo* a = found; a != nullptr; a = a->ai_next, --left) {
    const MonotonicTime now = runtime.Now();
    const Duration share = deadline > now ? (deadline - now) / left : Duration::zero();
    status = ConnectOne(runtime, a->ai_addr, a->ai_addrlen, now + share, result);
    if (status.ok()) break;
  }
  return status;
}

void SetOption(int fd, int level, int name, int value) {
  // These options are improvements only: a connection works without them.
  (void)::setsockopt(fd, level, name, &value, sizeof(value));
}

Status Configure(const HiredisOptions& options, int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  timeval slice{};
  slice.tv_usec = static_cast<suseconds_t>(std::chrono::microseconds(kReadSlice).count());
  if (flags < 0 || ::fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) != 0 ||
      ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &slice, sizeof(slice)) != 0) {
    return Status(StatusCode::kUnavailable, ErrnoText(errno));
  }
  if (!options.unix_path.empty()) return Status();
  SetOption(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  if (options.keep_alive.count() > 0) {
    const int interval = static_cast<int>(options.keep_alive.count());
    SetOption(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    SetOption(fd, IPPROTO_TCP, TCP_KEEPIDLE, interval);
    SetOption(fd, IPPROTO_TCP, TCP_KEEPINTVL, std::max(interval / 3, 1));
    SetOption(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
  }
  return Status();
}

}  // namespace

std::string ErrnoText(int error) { return std::generic_category().message(error); }

void Socket::Close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Waker::Waker() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Waker::Wake() noexcept {
  // Fails only if it is readable already.
  constexpr std::uint64_t kOne = 1;
  [[maybe_unused]] const ssize_t written = ::write(event_.fd(), &kOne, sizeof(kOne));
}

Ready WaitReady(Runtime& runtime, int fd, short events, MonotonicTime deadline,
                const Waker* waker) {
  for (;;) {
    timespec timeout{};
    if (deadline != kNever) {
      const MonotonicTime now = runtime.Now();
      const Duration left = deadline > now ? deadline - now : Duration::zero();
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
      timeout.tv_sec = static_cast<std::time_t>(seconds.count());
      timeout.tv_nsec = static_cast<long>((left - seconds).count());
    }
    std::array<pollfd, 2> entries{pollfd{fd, events, 0},
                                  pollfd{waker != nullptr ? waker->fd() : -1, POLLIN, 0}};
    const int ready =
        ::ppoll(entries.data(), entries.size(), deadline == kNever ? nullptr : &timeout, nullptr);
    if (ready > 0) return entries[0].revents != 0 ? Ready::kYes : Ready::kWoken;
    if (ready < 0 && errno != EINTR) return Ready::kFailed;
    if (deadline != kNever && runtime.Now() >= deadline) return Ready::kDeadline;
  }
}

ssize_t ReceiveAwake(Runtime& runtime, int fd, std::span<char> into, MonotonicTime until) {
  do {
    const ssize_t got = ::recv(fd, into.data(), into.size(), MSG_DONTWAIT);
    if (got >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) return got;
    ::sched_yield();
  } while (runtime.Now() < until);
  return kNothingYet;
}

Result<Socket> ConnectSocket(Runtime& runtime, const HiredisOptions& options,
                             MonotonicTime deadline) {
  Socket socket;
  Status status = options.unix_path.empty()
                      ? ConnectTcp(runtime, options, deadline, socket)
                      : ConnectUnix(runtime, options.unix_path, deadline, socket);
  if (status.ok()) status = Configure(options, socket.fd());
  if (!status.ok()) return status;
  return socket;
}

}  // namespace interlock
