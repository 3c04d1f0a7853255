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
#include <thread>

#include <fmt/format.h>

#include "sim/machine/clock/template_words.h"
#include "sim/machine/launch.h"
#include "sim/machine/loopback.h"

namespace interlock::sim::machine {
namespace {

/// A copy takes some milliseconds.
constexpr int kMostMs = 5'000;
constexpr int kMsPerS = 1'000;

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

/// False: it has said nothing for too long.
bool Hear(int control, TemplateReport& report) {
  pollfd file{control, POLLIN, 0};
  return poll(&file, 1, kMostMs) > 0 && recv(control, &report, sizeof report, 0) == sizeof report;
}

/// Why it cannot be copied where it has stopped; empty: it can.
std::string WhyNot(const TemplateReport& report) {
  switch (report.news) {
    case TemplateNews::kFamily:
      return "it is several processes when it connects";
    case TemplateNews::kShares:
      return "it has an epoll, a pipe or another socket open when it connects";
    default:
      break;
  }
  if (report.number == 1) return "";
  return fmt::format("it has {} threads when it connects", report.number);
}

bool AskForCopy(int control, const std::array<int, 2>& files) {
  char byte = 0;
  iovec part{&byte, sizeof byte};
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
  return sendmsg(control, &message, MSG_NOSIGNAL) == sizeof byte;
}

}  // namespace

Result<std::unique_ptr<ProcessTemplate>> ProcessTemplate::Start(
    const std::vector<std::string>& command, int client, const Servers& servers,
    const VirtualClock& clock) {
  std::unique_ptr<ProcessTemplate> made(new ProcessTemplate(client, clock));
  std::vector<int>& ports = made->ports_;
  ports = servers.ports;
  made->is_served_ = !ports.empty();
  for (int i = 0; i < servers.count && !made->is_served_; ++i) {
    ports.push_back(KeepPort(made->places_.emplace_back()));
    if (ports.back() == 0) return Failed("no port for a client that is copied");
  }
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return Failed("no socket for a client that is copied");
  }
  made->control_ = ends[0];
  ForeignProcess::Environment environment = clock.EnvironmentOf(client);
  std::string words = fmt::format("{} {}", ends[1], servers.connects);
  for (const int port : ports) words += fmt::format(" {}", port);
  environment.emplace_back(kTemplateVariable, words);
  auto process = Launch(command, client, {ports, servers.sentinels}, environment, ends[1]);
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

std::string ProcessTemplate::AwaitConnect(std::chrono::steady_clock::time_point limit,
                                          const std::atomic<bool>& stop,
                                          const std::function<void()>& meanwhile) {
  while (std::chrono::steady_clock::now() < limit && !stop) {
    meanwhile();
    pollfd file{control_, POLLIN, 0};
    TemplateReport report;
    const bool any = poll(&file, 1, 1) > 0;
    if (any && recv(control_, &report, sizeof report, 0) == sizeof report) {
      standing_ = clock_.StandingOf(client_);
      return WhyNot(report);
    }
    if (process_->ended()) return "it ends before it connects";
    // One that is served may wait for an answer with a time-out.
    if (!is_served_ && clock_.NextWakeUs(client_)) return "it waits for a time before it connects";
    if (any) std::this_thread::sleep_for(std::chrono::milliseconds(1));  // It has closed its end.
  }
  if (!is_served_) return "it does not connect";
  return "it does not connect again after INTERLOCK.READY: it has to close that connection, and to "
         "send nothing before that has a place in the order of a run";
}

Result<std::unique_ptr<ForeignProcess>> ProcessTemplate::Copy(const std::vector<int>& ports,
                                                              VirtualClock& clock) {
  clock.Continue(client_, standing_, ports_, ports);
  clock_.LeadTo(client_, clock);
  const int output = ForeignProcess::MakeOutput();
  if (output < 0) return Failed("no file for a copy's output");
  const std::string before = process_->OutputTail(kMostOutput);
  (void)!write(output, before.data(), before.size());
  TemplateReport report;
  const bool asked = AskForCopy(control_, {clock.PageOf(client_), output});
  const bool told = asked && Hear(control_, report);
  if (told && report.news == TemplateNews::kCopied) {
    return std::make_unique<ForeignProcess>(report.number, output,
                                            fcntl(control_, F_DUPFD_CLOEXEC, 0));
  }
  close(output);
  constexpr const char* kFailed = "a client's process cannot be copied";
  if (!asked) return Failed(kFailed);
  if (!told) {
    return Status(StatusCode::kUnavailable,
                  fmt::format("{}: it has not answered for {} s", kFailed, kMostMs / kMsPerS));
  }
  errno = report.number;
  return Failed(kFailed);
}

}  // namespace interlock::sim::machine
