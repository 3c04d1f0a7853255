// SPDX-License-Identifier: MIT
#include "sim/posix/names.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace interlock::sim::posix {

namespace {

constexpr std::uint32_t kNetwork = 0xc0000200;  // 192.0.2.0
constexpr std::uint32_t kPrimary = 254;
constexpr std::uint32_t kLoopback = 0x7f000000;  // 127.0.0.0/8
constexpr std::string_view kName = "redis";
constexpr std::string_view kSocketEnding = ".sock";

std::optional<int> NumberIn(std::string_view text, int least, int most) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number >= least && number <= most ? std::optional(number) : std::nullopt;
}

bool IsNumeric(const char* name) {
  in_addr address{};
  return inet_pton(AF_INET, name, &address) == 1;
}

bool IsLoopback(std::uint32_t address) { return (address & 0xff000000U) == kLoopback; }

/// The last byte of the address.
std::optional<std::uint32_t> HostOf(const Engine& engine, std::string_view name, int port) {
  const int servers = engine.servers.count();
  in_addr numeric{};
  const bool is_numeric = inet_pton(AF_INET, std::string(name).c_str(), &numeric) == 1;
  const std::uint32_t ip = is_numeric ? ntohl(numeric.s_addr) : 0;
  if ((ip & ~0xffU) == kNetwork) return ip & 0xffU;
  if (name == kName) return kPrimary;
  if (name.starts_with("redis-")) {
    const auto node = NumberIn(name.substr(kName.size() + 1), 0, servers - 1);
    if (node.has_value()) return static_cast<std::uint32_t>(*node) + 1;
  }
  for (int node = 0; node < servers; ++node) {
    const redis::MasterAddress& address = engine.servers.address(node);
    if (address.host == name && address.port == port) return static_cast<std::uint32_t>(node) + 1;
  }
  if (name == "localhost" || IsLoopback(ip)) return kPrimary;
  return std::nullopt;
}

std::optional<int> NodeOf(const Engine& engine, std::uint32_t host) {
  if (host == kPrimary) return engine.servers.primary();
  const bool there = host >= 1 && host <= static_cast<std::uint32_t>(engine.servers.count());
  return there ? std::optional(static_cast<int>(host) - 1) : std::nullopt;
}

std::optional<int> NodeAtPath(const Engine& engine, const sockaddr* address, socklen_t size) {
  constexpr std::size_t kBefore = offsetof(sockaddr_un, sun_path);
  if (size <= kBefore) return std::nullopt;
  const auto* const path = reinterpret_cast<const sockaddr_un*>(address)->sun_path;
  std::string_view name(path, strnlen(path, size - kBefore));
  name.remove_prefix(name.rfind('/') + 1);
  if (!name.ends_with(kSocketEnding)) return std::nullopt;
  name.remove_suffix(kSocketEnding.size());
  const auto host = HostOf(engine, name, 0);
  return host.has_value() ? NodeOf(engine, *host) : std::nullopt;
}

}  // namespace

int LookUp(const Engine& engine, const char* name, const char* service, const addrinfo* hints,
           addrinfo** found) {
  const int family = hints != nullptr ? hints->ai_family : AF_UNSPEC;
  if (family == AF_INET6) return EAI_NONAME;
  if (family != AF_UNSPEC && family != AF_INET) return EAI_FAMILY;
  const auto port = NumberIn(service != nullptr ? service : "0", 0, 65535);
  if (!port.has_value()) return EAI_SERVICE;
  const int flags = hints != nullptr ? hints->ai_flags : 0;
  if (name != nullptr && (flags & AI_NUMERICHOST) != 0 && !IsNumeric(name)) return EAI_NONAME;
  const auto host = HostOf(engine, name != nullptr ? name : "localhost", *port);
  if (!host.has_value()) return EAI_NONAME;
  // In one block, as the C library's freeaddrinfo expects.
  auto* block = static_cast<char*>(std::calloc(1, sizeof(addrinfo) + sizeof(sockaddr_in)));
  if (block == nullptr) return EAI_MEMORY;
  auto* info = reinterpret_cast<addrinfo*>(block);
  auto* address = reinterpret_cast<sockaddr_in*>(block + sizeof(addrinfo));
  address->sin_family = AF_INET;
  address->sin_port = htons(static_cast<std::uint16_t>(*port));
  address->sin_addr.s_addr = htonl(kNetwork + *host);
  info->ai_family = AF_INET;
  info->ai_socktype = SOCK_STREAM;
  info->ai_protocol = IPPROTO_TCP;
  info->ai_addrlen = sizeof(sockaddr_in);
  info->ai_addr = reinterpret_cast<sockaddr*>(address);
  if (name != nullptr && (flags & AI_CANONNAME) != 0) info->ai_canonname = strdup(name);
  *found = info;
  return 0;
}

std::optional<int> NodeAt(const Engine& engine, const sockaddr* address, socklen_t size) {
  if (address->sa_family == AF_UNIX) return NodeAtPath(engine, address, size);
  if (address->sa_family != AF_INET || size < sizeof(sockaddr_in)) return std::nullopt;
  sockaddr_in ip{};
  std::memcpy(&ip, address, sizeof(ip));
  if (IsLoopback(ntohl(ip.sin_addr.s_addr))) return NodeOf(engine, kPrimary);
  return NodeOf(engine, ntohl(ip.sin_addr.s_addr) - kNetwork);
}

}  // namespace interlock::sim::posix
