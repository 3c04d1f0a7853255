// SPDX-License-Identifier: MIT
#include "tests/redis/stub_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace interlock::testing {
namespace {

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// Appends one read to `out`; false at the end of the stream.
bool ReadSome(int fd, std::string& out) {
  char chunk[16384];
  const ssize_t got = ::recv(fd, chunk, sizeof(chunk), 0);
  if (got <= 0) return false;
  out.append(chunk, static_cast<std::size_t>(got));
  return true;
}

}  // namespace

void SendAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string ReadUntil(int fd, std::string_view text) {
  std::string seen;
  while (seen.find(text) == std::string::npos && ReadSome(fd, seen)) {
  }
  return seen;
}

void DrainUntilClosed(int fd) {
  std::string ignored;
  while (ReadSome(fd, ignored)) ignored.clear();
}

StubServer::StubServer(std::function<void(int)> serve)
    : serve_(std::move(serve)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = Loopback(0);
  socklen_t length = sizeof(address);
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 &&
      ::listen(listener_, 64) == 0 &&
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) == 0) {
    port_ = ntohs(address.sin_port);
  }
  acceptor_ = std::thread([this] { Accept(); });
}

StubServer::~StubServer() {
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  ::close(listener_);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
  }
  for (std::thread& thread : threads_) thread.join();
}

std::string StubServer::url() const { return "redis://127.0.0.1:" + std::to_string(port_); }

void StubServer::Accept() {
  for (;;) {
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    ++connections_;
    const std::lock_guard<std::mutex> lock(mutex_);
    open_.push_back(fd);
    threads_.emplace_back([this, fd] {
      serve_(fd);
      const std::lock_guard<std::mutex> closing(mutex_);
      open_.erase(std::find(open_.begin(), open_.end(), fd));
      ::close(fd);
    });
  }
}

LossyProxy::LossyProxy(int server_port)
    : server_port_(server_port), stub_([this](int client) { Serve(client); }) {}

void LossyProxy::LoseReplyTo(std::string text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  to_lose_.push_back(std::move(text));
}

bool LossyProxy::TakeLoss(std::string_view request) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = std::find_if(to_lose_.begin(), to_lose_.end(), [&](const std::string& text) {
    return request.find(text) != std::string_view::npos;
  });
  if (found == to_lose_.end()) return false;
  to_lose_.erase(found);
  return true;
}

void LossyProxy::Serve(int client) {
  const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = Loopback(server_port_);
  bool open = ::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  bool losing = false;
  while (open) {
    pollfd entries[2] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
    if (::poll(entries, 2, -1) < 0) break;
    std::string bytes;
    if (entries[0].revents != 0) {
      open = ReadSome(client, bytes);
      losing = losing || TakeLoss(bytes);
      SendAll(server, bytes);
    } else if (entries[1].revents != 0) {
      open = ReadSome(server, bytes) && !losing;
      if (losing) ++lost_;
      if (open) SendAll(client, bytes);
    }
  }
  ::close(server);
}

}  // namespace interlock::testing
