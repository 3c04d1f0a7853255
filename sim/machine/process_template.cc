// SPDX-License-Identifier: MIT
#include "sim/machine/process_template.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include <fmt/format.h>

#include "sim/machine/clock/template_words.h"
#include "sim/machine/launch.h"
#include "sim/machine/loopback.h"

namespace interlock::sim::machine {
namespace {

/// How much of what it has printed before is found in a copy's output.
constexpr std::size_t kMostOutput = 4096;

/// A port of the loopback that nobody listens to; 0: none. `place`: a socket that keeps it.
int KeepPort(int& place) {
  place = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = Loopback(0);
  if (bind(place, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return 0;
  return PortOf(place);
}

Status Failed(std::string_view what) {
  return Status(StatusCode::kUnavailable, fmt::format("{}: {}", what, std::strerror(errno)));
}

bool Ask(int control, const CopyRequest& request, const std::array<int, 2>& files) {
  CopyRequest own = request;
  iovec part{&own, sizeof own};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof files)> rights{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = rights.data();
  message.msg_controllen = rights.size();
  cmsghdr* with = CMSG_FIRSTHDR(&message);
  with->cmsg_level = SOL_SOCKET;
  with->cmsg_type = SCM_RIGHTS;
  with->cmsg_len = CMSG_LEN(sizeof files);
  std::memcpy(CMSG_DATA(with), files.data(), sizeof files);
  return sendmsg(control, &message, MSG_NOSIGNAL) == sizeof own;
}

}  // namespace

Result<std::unique_ptr<ProcessTemplate>> ProcessTemplate::Start(
    const std::vector<std::string>& command, int client, int servers, const VirtualClock& clock) {
  std::unique_ptr<ProcessTemplate> made(new ProcessTemplate(client, clock));
  std::vector<int> ports;
  for (int i = 0; i < servers; ++i) {
    ports.push_back(KeepPort(made->places_.emplace_back()));
    if (ports.back() == 0) return Failed("no port for a client that is copied");
  }
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return Failed("no socket for a client that is copied");
  }
  made->control_ = ends[0];
  ForeignProcess::Environment environment = clock.EnvironmentOf(client);
  std::string words = std::to_string(ends[1]);
  for (const int port : ports) words += fmt::format(" {}", port);
  environment.emplace_back(kTemplateVariable, words);
  auto process = Launch(command, client, ports, environment, ends[1]);
  close(ends[1]);
  if (!process.ok()) return process.status();
  made->process_ = *std::move(process);
  return made;
}

ProcessTemplate::~ProcessTemplate() {
  process_.reset();
  if (control_ >= 0) close(control_);
  for (const int place : places_) close(place);
}

std::string ProcessTemplate::AwaitConnect(Duration at_most) {
  const auto limit = std::chrono::steady_clock::now() + at_most;
  for (;;) {
    pollfd file{control_, POLLIN, 0};
    TemplateReport report;
    const bool told =
        poll(&file, 1, 1) > 0 && recv(control_, &report, sizeof report, 0) == sizeof report;
    if (told && report.news == TemplateNews::kFamily) {
      return "it is several processes when it connects";
    }
    if (told && report.number == 1) return "";
    if (told) return fmt::format("it has {} threads when it connects", report.number);
    if (process_->ended()) return "it ends before it connects";
    if (clock_.NextWakeUs(client_)) return "it waits for a time before it connects";
    if (std::chrono::steady_clock::now() > limit) return "it does not connect";
  }
}

Result<std::unique_ptr<ForeignProcess>> ProcessTemplate::Copy(const std::vector<int>& ports,
                                                              VirtualClock& clock) {
  CopyRequest request;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    request.ports[i] = static_cast<std::uint16_t>(ports[i]);
  }
  clock.Continue(client_, clock_);
  const int output = ForeignProcess::MakeOutput();
  if (output < 0) return Failed("no file for a copy's output");
  const std::string before = process_->OutputTail(kMostOutput);
  (void)!write(output, before.data(), before.size());
  TemplateReport report;
  const bool told = Ask(control_, request, {clock.PageOf(client_), output}) &&
                    recv(control_, &report, sizeof report, 0) == sizeof report;
  if (told && report.news == TemplateNews::kCopied) {
    return std::make_unique<ForeignProcess>(report.number, output,
                                            fcntl(control_, F_DUPFD_CLOEXEC, 0));
  }
  close(output);
  if (told) errno = report.number;
  return Failed("a client's process cannot be copied");
}

}  // namespace interlock::sim::machine
