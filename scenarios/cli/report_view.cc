// SPDX-License-Identifier: MIT
//
// One thread and one poll: a browser opens connections that it may never use, so none may block
// another one.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <list>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "reports/descriptor.h"
#include "scenarios/cli/interruption.h"
#include "scenarios/cli/output.h"
#include "scenarios/cli/report_parts.h"
#include "scenarios/cli/view_answer.h"

namespace interlock::scenarios::cli {
namespace {

using reports::Descriptor;
using reports::ExitCode;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostVisitors = 64;
constexpr auto kPatience = std::chrono::seconds(20);
constexpr auto kFarewell = std::chrono::seconds(2);

struct Visitor {
  Descriptor socket;
  Clock::time_point until;
  std::string head;
  std::string answer;  ///< empty: none yet
  std::size_t sent = 0;
  bool answered = false;  ///< all of it is sent; further input is ignored
};

std::string Reason() { return std::generic_category().message(errno); }

class Server {
 public:
  explicit Server(const ViewFolder& folder) : folder_(folder) {}

  /// The error; empty: it listens.
  std::string Listen(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    const int yes = 1;
    ::setsockopt(listening_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    auto* const raw = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    if (listening_.get() < 0 || ::bind(listening_.get(), raw, size) != 0 ||
        ::listen(listening_.get(), 64) != 0 || ::getsockname(listening_.get(), raw, &size) != 0) {
      return fmt::format("cannot listen on 127.0.0.1:{}: {}; --port 0 takes a free one", port,
                         Reason());
    }
    port_ = ntohs(address.sin_port);
    return "";
  }

  int port() const { return port_; }

  void Run() {
    while (!Interrupted()) {
      std::vector<pollfd> waiting = {{listening_.get(), POLLIN, 0}};
      if (visitors_.size() >= kMostVisitors) waiting.front().events = 0;
      for (const Visitor& visitor : visitors_) {
        const bool reads = visitor.answer.empty() || visitor.answered;
        const short events = reads ? POLLIN : POLLOUT;
        waiting.push_back({visitor.socket.get(), events, 0});
      }
      // A signal just before the poll must not wait for a visitor.
      if (::poll(waiting.data(), waiting.size(), 200) < 0 && errno != EINTR) return;
      const Clock::time_point now = Clock::now();
      auto ready = waiting.begin() + 1;
      for (auto visitor = visitors_.begin(); visitor != visitors_.end(); ++ready) {
        const bool goes_on = (ready->revents == 0 || Serve(*visitor)) && now < visitor->until;
        visitor = goes_on ? std::next(visitor) : visitors_.erase(visitor);
      }
      if ((waiting.front().revents & POLLIN) != 0) Accept(now);
    }
  }

 private:
  void Accept(Clock::time_point now) {
    const int fd = ::accept4(listening_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) visitors_.push_back({Descriptor(fd), now + kPatience, {}, {}, 0, false});
  }

  /// False: it is over.
  bool Serve(Visitor& visitor) {
    if (visitor.answered) return Drain(visitor);
    return visitor.answer.empty() ? Read(visitor) : Write(visitor);
  }

  /// Closing a connection with unread input would reset it, and discard the answer.
  static bool Drain(const Visitor& visitor) {
    char bytes[4096];
    const ssize_t got = ::recv(visitor.socket.get(), bytes, sizeof bytes, 0);
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
  }

  bool Read(Visitor& visitor) {
    char bytes[4096];
    const ssize_t got = ::recv(visitor.socket.get(), bytes, sizeof bytes, 0);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    visitor.head.append(bytes, static_cast<std::size_t>(got));
    const std::size_t end = visitor.head.find("\r\n\r\n");
    if (end != std::string::npos) {
      visitor.answer = ToBytes(folder_.Answer(visitor.head.substr(0, end), port_));
    } else if (visitor.head.size() > kMostHeadBytes) {
      visitor.answer = ToBytes({431, "text/plain; charset=utf-8", "too long\n", {}});
    }
    return true;
  }

  /// A large file may take any time, as long as its reader keeps reading.
  bool Write(Visitor& visitor) {
    const ssize_t sent = ::send(visitor.socket.get(), visitor.answer.data() + visitor.sent,
                                visitor.answer.size() - visitor.sent, MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN || errno == EINTR;
    visitor.sent += static_cast<std::size_t>(sent);
    visitor.until = Clock::now() + kPatience;
    if (visitor.sent < visitor.answer.size()) return true;
    visitor.answered = true;
    visitor.until = Clock::now() + kFarewell;
    return ::shutdown(visitor.socket.get(), SHUT_WR) == 0;
  }

  const ViewFolder& folder_;
  Descriptor listening_{::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  int port_ = 0;
  std::list<Visitor> visitors_;
};

}  // namespace

ExitCode View(const std::string& folder, int port) {
  const auto opened = ViewFolder::Open(folder);
  if (!opened.ok()) return Complain(ExitCode::kBadInput, opened.status().message());
  Server server(*opened);
  if (const std::string wrong = server.Listen(port); !wrong.empty()) {
    return Complain(ExitCode::kRedisUnreachable, wrong);
  }
  CatchInterruption();
  // A server whose address nobody has read is useless.
  switch (TryPrint(fmt::format("listening on http://127.0.0.1:{}/\n", server.port()))) {
    case Printed::kAll:
      break;
    case Printed::kReaderGone:
      return ExitCode::kPass;
    case Printed::kFailed:
      return ExitCode::kInternal;
  }
  Complain(ExitCode::kPass, "reachable from this machine only; Ctrl-C stops the server");
  server.Run();
  return Complain(ExitCode::kPass, "stopped");
}

}  // namespace interlock::scenarios::cli
