// SPDX-License-Identifier: MIT
//
// All clients write to one pipe: lines are shorter than PIPE_BUF, so each is written whole. The
// parent keeps the writing end open for later clients, so it learns of ends from waitpid.
#include "scenarios/run/processes/client_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "scenarios/log/log_file.h"
#include "scenarios/log/words.h"
#include "scenarios/run/processes/client_main.h"

namespace interlock::scenarios::real {
namespace {

Status Failed(const char* what) {
  return Status(StatusCode::kUnavailable, fmt::format("{}: {}", what, std::strerror(errno)));
}

void CloseIfOpen(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

pid_t WaitFor(pid_t pid, int& wait_status, int flags) {
  pid_t done = -1;
  do {
    done = waitpid(pid, &wait_status, flags);
  } while (done < 0 && errno == EINTR);
  return done;
}

}  // namespace

ClientProcesses::~ClientProcesses() {
  KillAll();
  CloseIfOpen(report_read_);
  CloseIfOpen(report_write_);
}

Status ClientProcesses::OpenPipe() {
  if (report_read_ >= 0) return Status();
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return Failed("cannot make a pipe");
  report_read_ = ends[0];
  report_write_ = ends[1];
  // Only this end is non-blocking: the clients' writes still wait while the pipe is full.
  fcntl(report_read_, F_SETFL, O_NONBLOCK);
  return Status();
}

Status ClientProcesses::Start(const std::vector<ClientTask>& tasks) {
  if (Status opened = OpenPipe(); !opened.ok()) return opened;
  // Nobody writes to this pipe: the clients read from it, and go on once its last writer is gone.
  std::array<int, 2> barrier{};
  if (pipe2(barrier.data(), O_CLOEXEC) != 0) return Failed("cannot make a pipe");
  const pid_t parent = getpid();
  Status started;
  for (const ClientTask& task : tasks) {
    const pid_t pid = fork();
    if (pid == 0) {
      close(report_read_);
      close(barrier[1]);
      RunClientProcess(task, {report_write_, barrier[0], parent});
    }
    if (pid < 0) {
      started = Failed("cannot start a client process");
      break;
    }
    processes_.push_back({pid, task.client});
  }
  if (!started.ok()) KillAll();
  close(barrier[0]);
  close(barrier[1]);
  return started;
}

void ClientProcesses::Collect(Duration at_most) {
  pollfd wanted{report_read_, POLLIN, 0};
  const auto timeout = std::chrono::duration_cast<std::chrono::milliseconds>(at_most);
  if (running() > 0) poll(&wanted, 1, static_cast<int>(std::max<std::int64_t>(timeout.count(), 1)));
  // Processes are reaped first, so that all they wrote before their end is in the pipe.
  Reap();
  LetGoOn();
}

int ClientProcesses::running() const {
  return static_cast<int>(
      std::ranges::count_if(processes_, [](const Process& process) { return process.pid > 0; }));
}

void ClientProcesses::KillAll() {
  for (const Process& process : processes_) {
    if (process.pid > 0) kill(process.pid, SIGKILL);
  }
  for (Process& process : processes_) {
    if (process.pid <= 0) continue;
    int wait_status = 0;
    WaitFor(process.pid, wait_status, 0);
    process.pid = -1;
  }
  if (report_read_ >= 0) Drain();
}

void ClientProcesses::Drain() {
  std::array<char, 16 * 1024> some{};
  ssize_t count = 0;
  while ((count = read(report_read_, some.data(), some.size())) > 0) {
    unread_.append(some.data(), static_cast<std::size_t>(count));
  }
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = unread_.find('\n', begin)) != std::string::npos;) {
    Take(std::string_view(unread_).substr(begin, end - begin));
    begin = end + 1;
  }
  unread_.erase(0, begin);
}

void ClientProcesses::Take(std::string_view line) {
  Result<LogEvent> event = ReadEvent(line);
  if (!event.ok()) {
    if (failure_.empty()) failure_ = fmt::format("a client reported {}", event.status().message());
    return;
  }
  const bool last = event->kind == EventKind::kDied || event->kind == EventKind::kEnded;
  for (Process& process : processes_) {
    if (process.client != event->client) continue;
    process.finished = process.finished || last;
    if (event->kind == EventKind::kStops) {
      process.goes_on = event->at_latest + event->As<StopDetails>().length;
    }
  }
  events_.push_back(std::move(event).value());
}

void ClientProcesses::Reap() {
  std::vector<std::pair<std::size_t, int>> ended;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    int wait_status = 0;
    Process& process = processes_[i];
    const int flags = WNOHANG | WUNTRACED;
    if (process.pid <= 0 || WaitFor(process.pid, wait_status, flags) == 0) continue;
    if (WIFSTOPPED(wait_status)) {
      process.stopped = true;
      continue;
    }
    process.pid = -1;
    ended.emplace_back(i, wait_status);
  }
  Drain();
  for (const auto& [index, wait_status] : ended) NoteEnd(processes_[index], wait_status);
}

void ClientProcesses::LetGoOn() {
  const VirtualTime now = runtime_.Now().time_since_epoch();
  for (Process& process : processes_) {
    if (!process.stopped || process.pid <= 0 || now < process.goes_on) continue;
    process.stopped = false;
    kill(process.pid, SIGCONT);
    const VirtualTime at = runtime_.Now().time_since_epoch();
    events_.push_back({at, at, process.client, 0, EventKind::kGoesOn});
  }
}

void ClientProcesses::NoteEnd(const Process& process, int wait_status) {
  if (process.finished || !failure_.empty()) return;
  failure_ = WIFSIGNALED(wait_status)
                 ? fmt::format("the process of {} was ended by signal {}",
                               ClientName(process.client), WTERMSIG(wait_status))
                 : fmt::format("the process of {} ended early with status {}",
                               ClientName(process.client), WEXITSTATUS(wait_status));
}

}  // namespace interlock::scenarios::real
