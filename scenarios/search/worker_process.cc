// SPDX-License-Identifier: MIT
#include "scenarios/search/worker_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

extern char** environ;

namespace interlock::scenarios {
namespace {

Status NoWorker(std::string message) {
  return Status(StatusCode::kUnavailable, std::move(message));
}

bool WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::Start() {
  std::array<int, 2> requests{};
  std::array<int, 2> answers{};
  if (pipe2(requests.data(), O_CLOEXEC) != 0) return NoWorker("no pipe");
  if (pipe2(answers.data(), O_CLOEXEC) != 0) {
    close(requests[0]);
    close(requests[1]);
    return NoWorker("no pipe");
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, requests[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, answers[1], STDOUT_FILENO);
  std::string name = "interlock";
  std::string command = "worker";
  const std::array<char*, 3> argv = {name.data(), command.data(), nullptr};
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(requests[0]);
  close(answers[1]);
  if (failed != 0) {
    close(requests[1]);
    close(answers[0]);
    return NoWorker("the program could not be started again");
  }
  return std::unique_ptr<WorkerProcess>(new WorkerProcess(pid, requests[1], answers[0]));
}

WorkerProcess::~WorkerProcess() {
  close(in_);
  close(out_);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
}

std::optional<std::string> WorkerProcess::ReadLine() {
  std::array<char, 4096> buffer{};
  for (;;) {
    const std::size_t end = unread_.find('\n');
    if (end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    const ssize_t count = read(out_, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    unread_.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

Result<reports::ShardBlock> WorkerProcess::Run(const reports::BlockRequest& request) {
  if (!WriteAll(in_, ToLine(request) + "\n")) return NoWorker("the second process has ended");
  const std::optional<std::string> line = ReadLine();
  if (!line) return NoWorker("the second process ended without an answer");
  auto answer = reports::ReadBlockAnswer(*line);
  if (!answer.value) return NoWorker("the second process: " + answer.error);
  return *std::move(answer.value);
}

}  // namespace interlock::scenarios
