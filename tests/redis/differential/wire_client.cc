// SPDX-License-Identifier: MIT
#include "tests/redis/differential/wire_client.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace interlock::testing {

using sim::redis::Argv;
using sim::redis::Value;

namespace {

int ConnectTo(int family, const void* address, socklen_t length) {
  const int fd = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(fd, static_cast<const sockaddr*>(address), length) == 0) return fd;
  ::close(fd);
  throw std::runtime_error("cannot connect to redis-server");
}

}  // namespace

WireClient::WireClient(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socket_ = ConnectTo(AF_INET, &address, sizeof address);
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

WireClient::WireClient(const std::string& unix_path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (unix_path.size() >= sizeof address.sun_path) throw std::runtime_error("path too long");
  std::memcpy(address.sun_path, unix_path.data(), unix_path.size());
  socket_ = ConnectTo(AF_UNIX, &address, sizeof address);
}

WireClient::~WireClient() { ::close(socket_); }

void WireClient::Queue(const Argv& argv) { sim::redis::AppendCommand(argv, &out_); }

void WireClient::Flush() {
  std::string_view left = out_;
  while (!left.empty()) {
    const ssize_t n = ::send(socket_, left.data(), left.size(), MSG_NOSIGNAL);
    if (n <= 0) break;  // Read will find the end of the stream.
    left.remove_prefix(static_cast<std::size_t>(n));
  }
  out_.clear();
}

void WireClient::Send(const Argv& argv) {
  Queue(argv);
  Flush();
}

bool WireClient::Fill(int timeout_ms) {
  pollfd ready{socket_, POLLIN, 0};
  if (closed_ || ::poll(&ready, 1, timeout_ms) <= 0) return false;
  std::array<char, 65536> chunk;
  const ssize_t n = ::recv(socket_, chunk.data(), chunk.size(), 0);
  if (n <= 0) {
    closed_ = true;
    return false;
  }
  parser_.Feed({chunk.data(), static_cast<std::size_t>(n)});
  return true;
}

std::optional<Value> WireClient::Read(int timeout_ms) {
  for (;;) {
    if (std::optional<Value> value = parser_.Next()) return value;
    if (parser_.malformed()) throw std::runtime_error("malformed reply from redis-server");
    if (!Fill(timeout_ms)) return std::nullopt;
  }
}

Value WireClient::Await() {
  std::optional<Value> value = Read(10000);
  if (!value) throw std::runtime_error("redis-server does not answer");
  return std::move(*value);
}

Value WireClient::Call(const Argv& argv) {
  Send(argv);
  return Await();
}

}  // namespace interlock::testing
