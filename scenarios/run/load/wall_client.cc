// SPDX-License-Identifier: MIT
#include "scenarios/run/load/wall_client.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "scenarios/log/log_file.h"
#include "scenarios/run/wall_clock.h"

namespace interlock::scenarios::contend {
namespace {

constexpr char kWhole = 'W';   // the last byte of a log that is complete
constexpr char kFailed = 'F';  // the last byte of a text that says why there is none

Status Failed(const char* what) {
  return Status(StatusCode::kUnavailable, fmt::format("{}: {}", what, std::strerror(errno)));
}

std::string LogOf(const std::vector<HiredisOptions>& servers, const ClientTask& task) {
  try {
    ThreadRuntime runtime;
    WallClient client(runtime, servers, task);
    if (!client.failure().ok()) return client.failure().ToString() + kFailed;
    client.Run();
    std::string text = ToText({}, client.TakeLog());
    return text + kWhole;
  } catch (const std::exception& error) {
    return std::string(error.what()) + kFailed;
  }
}

/// Runs in the child after the fork. Nothing of the parent's is torn down.
[[noreturn]] void Live(const std::vector<HiredisOptions>& servers, const ClientTask& task, int fd,
                       pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  const std::string bytes = LogOf(servers, task);
  std::string_view left = bytes;
  while (!left.empty()) {
    const ssize_t written = ::write(fd, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) ::_exit(1);
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  ::_exit(0);
}

class Process {
 public:
  Process() = default;
  Process(Process&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)),
        fd_(std::exchange(other.fd_, -1)),
        bytes_(std::move(other.bytes_)) {}
  Process& operator=(Process&&) = delete;
  ~Process() {
    if (fd_ >= 0) ::close(fd_);
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    Reap();
  }

  Status Start(const std::vector<HiredisOptions>& servers, const ClientTask& task) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return Failed("cannot make a pipe");
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) Live(servers, task, ends[1], parent);
    ::close(ends[1]);
    fd_ = ends[0];
    return pid_ < 0 ? Failed("cannot start a process") : Status();
  }

  int fd() const { return fd_; }
  void AskToEnd() const {
    if (fd_ >= 0) ::kill(pid_, SIGTERM);
  }

  /// REQUIRES: there is something to read, or the end of the pipe.
  void Read() {
    char some[65'536];
    const ssize_t got = ::read(fd_, some, sizeof some);
    if (got > 0) bytes_.append(some, static_cast<std::size_t>(got));
    if (got > 0 || (got < 0 && errno == EINTR)) return;
    ::close(fd_);
    fd_ = -1;
  }

  /// Called after the end of the pipe.
  Result<EventLog> Finish(int client) {
    const int status = Reap();
    if (bytes_.ends_with(kFailed)) {
      bytes_.pop_back();
      return Status(StatusCode::kUnavailable, bytes_);
    }
    if (bytes_.ends_with(kWhole)) {
      bytes_.pop_back();
      Result<LogFile> log = ReadLog(bytes_);
      if (!log.ok()) return log.status();
      return std::move(log->events);
    }
    return Status(StatusCode::kUnavailable, WIFSIGNALED(status)
                                                ? fmt::format("client {} was ended by signal {}",
                                                              client + 1, WTERMSIG(status))
                                                : fmt::format("client {} ended early", client + 1));
  }

 private:
  int Reap() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

  pid_t pid_ = -1;
  int fd_ = -1;
  std::string bytes_;
};

/// Reads until all processes have sent everything.
void Collect(std::vector<Process>& processes, const std::atomic<bool>* stop) {
  bool asked = false;
  for (;;) {
    std::vector<pollfd> waiting;
    std::vector<Process*> talking;
    for (Process& process : processes) {
      if (process.fd() < 0) continue;
      waiting.push_back({process.fd(), POLLIN, 0});
      talking.push_back(&process);
    }
    if (waiting.empty()) return;
    if (stop != nullptr && *stop && !std::exchange(asked, true)) {
      for (const Process* process : talking) process->AskToEnd();
    }
    if (::poll(waiting.data(), waiting.size(), 100) < 0) continue;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i].revents != 0) talking[i]->Read();
    }
  }
}

}  // namespace

WallClient::WallClient(ThreadRuntime& runtime, const std::vector<HiredisOptions>& servers,
                       ClientTask task)
    : runtime_(runtime), task_(std::move(task)) {
  for (const HiredisOptions& server : servers) {
    auto made = MakeHiredisConnector(runtime_, server);
    if (!made.ok()) {
      failure_ = made.status();
      return;
    }
    connectors_.push_back(std::move(made).value());
  }
}

void WallClient::Run() {
  const Note note = [this](int client, int resource, EventKind kind, EventDetails details) {
    const std::lock_guard guard(mutex_);
    const VirtualTime at = runtime_.Now() - task_.began;
    log_.push_back({at, at, client, resource, kind, std::move(details)});
  };
  std::vector<std::unique_ptr<Connector>> noted;
  harness::Environment environment{runtime_, *connectors_.front(), {}};
  for (const auto& connector : connectors_) {
    noted.push_back(NotingConnector(*connector, task_.client, note));
    environment.nodes.push_back(noted.back().get());
  }
  harness::Environment watched{runtime_, *noted.front(), environment.nodes, MachineWallClock()};
  RunLoadClient(task_, watched, note, {});
}

Result<EventLog> RunInProcesses(const std::vector<HiredisOptions>& servers,
                                const std::vector<ClientTask>& tasks,
                                const std::atomic<bool>* stop) {
  std::vector<Process> processes(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (Status started = processes[i].Start(servers, tasks[i]); !started.ok()) return started;
  }
  Collect(processes, stop);
  EventLog all;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    auto log = processes[i].Finish(tasks[i].client);
    if (stop != nullptr && *stop) continue;
    if (!log.ok()) return log.status();
    all.insert(all.end(), std::make_move_iterator(log->begin()),
               std::make_move_iterator(log->end()));
  }
  return all;
}

}  // namespace interlock::scenarios::contend
