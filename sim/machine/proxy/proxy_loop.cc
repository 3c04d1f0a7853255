// SPDX-License-Identifier: MIT
#include "sim/machine/proxy/proxy_loop.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "sim/machine/loopback.h"

namespace interlock::sim::machine {
namespace {

using std::chrono::milliseconds;

bool Again() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

ProxyLoop::ProxyLoop(ProxyTask task) : task_(std::move(task)) {
  int clients = 0;
  for (const ProxyListener& listener : task_.listeners) {
    clients = std::max(clients, listener.client + 1);
  }
  messages_.resize(static_cast<std::size_t>(clients));
  held_until_.resize(static_cast<std::size_t>(clients));
}

void ProxyLoop::Run() {
  for (;;) {
    std::vector<pollfd> wanted = {{task_.control, POLLIN, 0}};
    for (const ProxyListener& listener : task_.listeners)
      wanted.push_back({listener.fd, POLLIN, 0});
    for (const Pair& pair : pairs_) {
      for (const Stream& stream : pair.streams) {
        wanted.push_back({stream.ended ? -1 : stream.from, POLLIN, 0});
      }
    }
    poll(wanted.data(), wanted.size(), TimeoutMs());
    auto seen = wanted.begin();
    if (seen++->revents != 0 && !TakeRoutes()) return;
    // Pairs that are accepted now are not in `wanted` yet.
    const auto first_pair = seen + static_cast<std::ptrdiff_t>(task_.listeners.size());
    auto of_pair = first_pair;
    for (Pair& pair : pairs_) {
      for (const Direction direction : {kToServer, kFromServer}) {
        if (of_pair++->revents != 0) Read(pair, direction);
      }
    }
    for (const ProxyListener& listener : task_.listeners) {
      if (seen++->revents != 0) Accept(listener);
    }
    for (Pair& pair : pairs_) {
      for (const Direction direction : {kToServer, kFromServer}) Flush(pair, direction);
      if (pair.reset_at && runtime_.Now() >= *pair.reset_at) pair.broken = true;
    }
    for (Pair& pair : pairs_) Close(pair);
    pairs_.remove_if([](const Pair& pair) { return pair.streams[kToServer].from < 0; });
  }
}

bool ProxyLoop::TakeRoutes() {
  ProxyRoute route;
  if (read(task_.control, &route, sizeof route) != static_cast<ssize_t>(sizeof route)) return false;
  task_.servers[static_cast<std::size_t>(route.node)] = route.port;
  for (Pair& pair : pairs_) {
    if (route.reset && pair.node == route.node) pair.broken = true;
  }
  return true;
}

void ProxyLoop::Accept(const ProxyListener& listener) {
  const int client = AcceptOne(listener.fd);
  if (client < 0) return;
  const int server = ConnectOnLoopback(task_.servers[static_cast<std::size_t>(listener.node)]);
  if (server < 0) return CloseWithReset(client);
  Pair& pair = pairs_.emplace_back();
  pair.client = listener.client;
  pair.node = listener.node;
  pair.streams[kToServer].from = pair.streams[kFromServer].to = client;
  pair.streams[kToServer].to = pair.streams[kFromServer].from = server;
}

void ProxyLoop::Read(Pair& pair, Direction direction) {
  Stream& stream = pair.streams[direction];
  std::string bytes(64 * 1024, '\0');
  const ssize_t got = recv(stream.from, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got < 0 && Again()) return;
  if (got < 0) {
    pair.broken = true;
    return;
  }
  if (got == 0) {
    stream.ended = true;
    return;
  }
  bytes.resize(static_cast<std::size_t>(got));
  Chunk chunk{runtime_.Now(), std::move(bytes)};
  direction == kToServer ? OnRequest(pair, std::move(chunk)) : OnReply(pair, std::move(chunk));
}

void ProxyLoop::OnRequest(Pair& pair, Chunk chunk) {
  const std::optional<RealFault> fault = NextFault(pair.client);
  if (fault.has_value()) return Strike(*fault, pair, std::move(chunk));
  pair.streams[kToServer].chunks.push_back(std::move(chunk));
}

/// The client's first fault that is due with this message.
std::optional<RealFault> ProxyLoop::NextFault(int client) {
  const int message = messages_[static_cast<std::size_t>(client)]++;
  const auto due =
      std::find_if(task_.faults.begin(), task_.faults.end(), [&](const RealFault& fault) {
        return fault.client == client && fault.step <= message &&
               InfoOf(fault.kind).place == RealFaultPlace::kLink;
      });
  if (due == task_.faults.end()) return std::nullopt;
  const RealFault fault = *due;
  task_.faults.erase(due);
  return fault;
}

void ProxyLoop::Strike(const RealFault& fault, Pair& pair, Chunk chunk) {
  auto& requests = pair.streams[kToServer].chunks;
  auto& held = held_until_[static_cast<std::size_t>(pair.client)];
  const MonotonicTime now = runtime_.Now();
  MonotonicTime until = now + fault.length;
  switch (fault.kind) {
    case RealFaultKind::kResetBefore:
      pair.broken = true;
      return Report(fault, now);
    case RealFaultKind::kLostRequest:
      Silence(pair, kToServer);
      return Report(fault, *pair.reset_at);
    case RealFaultKind::kHalfOpen:
      Silence(pair, kToServer);
      Silence(pair, kFromServer);
      return Report(fault, *pair.reset_at);
    case RealFaultKind::kDelayRequest:
      chunk.due = until;
      break;
    case RealFaultKind::kPartition:
      held = {until, until};
      break;
    case RealFaultKind::kPartitionToServer:
      held[kToServer] = until;
      break;
    case RealFaultKind::kPartitionFromServer:
      held[kFromServer] = until;
      break;
    default:  // a fault of the reply
      pair.at_reply = fault;
      requests.push_back(std::move(chunk));
      return;
  }
  requests.push_back(std::move(chunk));
  Report(fault, until);
}

void ProxyLoop::OnReply(Pair& pair, Chunk chunk) {
  const std::optional<RealFault> fault = std::exchange(pair.at_reply, std::nullopt);
  const MonotonicTime now = runtime_.Now();
  if (fault.has_value() && fault->kind == RealFaultKind::kResetAfter) {
    pair.broken = true;
    return Report(*fault, now);
  }
  if (fault.has_value() && fault->kind == RealFaultKind::kLostReply) {
    Silence(pair, kFromServer);
    return Report(*fault, *pair.reset_at);
  }
  if (fault.has_value()) {
    chunk.due = now + fault->length;
    Report(*fault, chunk.due);
  }
  pair.streams[kFromServer].chunks.push_back(std::move(chunk));
}

/// Data that is already due still arrives.
void ProxyLoop::Silence(Pair& pair, Direction direction) {
  Flush(pair, direction);
  pair.streams[direction].silent = true;
  pair.reset_at = runtime_.Now() + kSilence;
}

void ProxyLoop::Report(const RealFault& fault, MonotonicTime until) {
  const MonotonicTime now = runtime_.Now();
  const ProxyStrike strike{fault.kind, fault.client, now.time_since_epoch().count(),
                           std::max(now, until).time_since_epoch().count()};
  while (write(task_.strikes, &strike, sizeof strike) < 0 && errno == EINTR) {
  }
}

MonotonicTime ProxyLoop::HeldUntil(const Pair& pair, Direction direction) const {
  const Stream& stream = pair.streams[direction];
  const MonotonicTime held = held_until_[static_cast<std::size_t>(pair.client)][direction];
  return stream.chunks.empty() ? held : std::max(held, stream.chunks.front().due);
}

void ProxyLoop::Flush(Pair& pair, Direction direction) {
  Stream& stream = pair.streams[direction];
  if (stream.silent || pair.broken) return;
  while (!stream.chunks.empty() && HeldUntil(pair, direction) <= runtime_.Now()) {
    std::string& bytes = stream.chunks.front().bytes;
    const ssize_t sent = send(stream.to, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) {
      pair.broken = !Again();
      return;
    }
    bytes.erase(0, static_cast<std::size_t>(sent));
    if (!bytes.empty()) return;
    stream.chunks.pop_front();
  }
  if (stream.ended && !stream.closed && stream.chunks.empty() &&
      HeldUntil(pair, direction) <= runtime_.Now()) {
    shutdown(stream.to, SHUT_WR);
    stream.closed = true;
  }
}

void ProxyLoop::Close(Pair& pair) {
  auto& [to_server, from_server] = pair.streams;
  const bool over = to_server.closed && from_server.closed;
  if (!over && !pair.broken) return;
  for (const int fd : {to_server.from, to_server.to}) {
    if (pair.broken) {
      CloseWithReset(fd);
    } else {
      close(fd);
    }
  }
  to_server.from = -1;
}

/// The time until something is due, from 1 ms, after which full sockets are tried again, to 1 s;
/// -1: never.
int ProxyLoop::TimeoutMs() {
  MonotonicTime next = kNever;
  for (const Pair& pair : pairs_) {
    if (pair.reset_at) next = std::min(next, *pair.reset_at);
    for (const Direction direction : {kToServer, kFromServer}) {
      const Stream& stream = pair.streams[direction];
      const bool waits = !stream.chunks.empty() || (stream.ended && !stream.closed);
      if (waits && !stream.silent) next = std::min(next, HeldUntil(pair, direction));
    }
  }
  if (next == kNever) return -1;
  const auto left = std::chrono::ceil<milliseconds>(next - runtime_.Now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 1, 1000));
}

}  // namespace interlock::sim::machine
