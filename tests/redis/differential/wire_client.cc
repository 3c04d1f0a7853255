// SPDX-License-Identifier: MIT
#include "tests/redis/differential/wire_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <stdexcept>

namespace interlock::testing {

using sim::redis::Argv;
using sim::redis::Value;

WireClient::WireClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("cannot connect to redis-server");
  }
}

WireClient::~WireClient() { ::close(socket_); }

void WireClient::Send(const Argv& argv) {
  std::string out("*");
  out.append(std::to_string(argv.size())).append("\r\n");
  for (const std::string& argument : argv) {
    out.append("$").append(std::to_string(argument.size())).append("\r\n");
    out.append(argument).append("\r\n");
  }
  std::size_t sent = 0;
  while (sent < out.size()) {
    const ssize_t n = ::send(socket_, out.data() + sent, out.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) throw std::runtime_error("redis-server hung up");
    sent += static_cast<std::size_t>(n);
  }
}

bool WireClient::Fill(int timeout_ms) {
  pollfd ready{socket_, POLLIN, 0};
  if (::poll(&ready, 1, timeout_ms) <= 0) return false;
  std::array<char, 65536> chunk;
  const ssize_t n = ::recv(socket_, chunk.data(), chunk.size(), 0);
  if (n <= 0) return false;
  buffer_.erase(0, position_);
  position_ = 0;
  buffer_.append(chunk.data(), static_cast<std::size_t>(n));
  return true;
}

bool WireClient::Line(std::string* line, int timeout_ms) {
  for (;;) {
    const std::size_t end = buffer_.find("\r\n", position_);
    if (end != std::string::npos) {
      line->assign(buffer_, position_, end - position_);
      position_ = end + 2;
      return true;
    }
    if (!Fill(timeout_ms)) return false;
  }
}

std::optional<Value> WireClient::Read(int timeout_ms) {
  std::string line;
  if (!Line(&line, timeout_ms) || line.empty()) return std::nullopt;
  Value value;
  const std::string rest = line.substr(1);
  switch (line[0]) {
    case '+':
      value.type = Value::Type::kStatus;
      value.text = rest;
      return value;
    case '-':
      value.type = Value::Type::kError;
      value.text = rest;
      return value;
    case ':':
      value.type = Value::Type::kInteger;
      value.integer = std::stoll(rest);
      return value;
    case '$': {
      if (rest == "-1") return value;
      const auto length = static_cast<std::size_t>(std::stoll(rest));
      while (buffer_.size() - position_ < length + 2) {
        if (!Fill(timeout_ms)) return std::nullopt;
      }
      value.type = Value::Type::kString;
      value.text.assign(buffer_, position_, length);
      position_ += length + 2;
      return value;
    }
    case '*': {
      value.type = rest == "-1" ? Value::Type::kNilArray : Value::Type::kArray;
      for (long long left = std::stoll(rest); left > 0; --left) {
        std::optional<Value> element = Read(timeout_ms);
        if (!element) return std::nullopt;
        value.elements.push_back(std::move(*element));
      }
      return value;
    }
    default:
      return std::nullopt;
  }
}

Value WireClient::Call(const Argv& argv) {
  Send(argv);
  std::optional<Value> value = Read();
  if (!value) throw std::runtime_error("redis-server did not answer " + sim::redis::ToText(argv));
  return std::move(*value);
}

}  // namespace interlock::testing
