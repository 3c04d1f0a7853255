// SPDX-License-Identifier: MIT
#include "tests/scenarios/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace interlock::scenarios::testing {

namespace {

/// `stdout_fd` -1: into ChildResult::out.
ChildResult Run(const std::vector<std::string>& argv, std::optional<LateSignal> late,
                int stdout_fd) {
  const ScratchFolder folder;
  const std::string out = folder.path() + "/out";
  const std::string err = folder.path() + "/err";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (stdout_fd >= 0) {
    posix_spawn_file_actions_adddup2(&actions, stdout_fd, STDOUT_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT,
                                     0600);
  }
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
  std::vector<std::string> words = argv;
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const char* path = std::getenv("PATH");
  const char* server = std::getenv("INTERLOCK_REDIS_SERVER");
  std::vector<std::string> variables = {"LC_ALL=C"};
  variables.push_back(std::string("PATH=") + (path != nullptr ? path : "/usr/bin:/bin"));
  if (server != nullptr) variables.push_back(std::string("INTERLOCK_REDIS_SERVER=") + server);
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  pid_t pid = -1;
  ChildResult result;
  const int failed = posix_spawn(&pid, argv.front().c_str(), &actions, nullptr, pointers.data(),
                                 environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return result;
  if (late.has_value()) {
    std::this_thread::sleep_for(late->after);
    kill(pid, late->signal);
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.out = ReadFile(out);
  result.err = ReadFile(err);
  return result;
}

}  // namespace

ChildResult RunChild(const std::vector<std::string>& argv, std::optional<LateSignal> late) {
  return Run(argv, late, -1);
}

ChildResult RunChildInto(int stdout_fd, const std::vector<std::string>& argv) {
  return Run(argv, {}, stdout_fd);
}

ScratchFolder::ScratchFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "interlock-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string TokenIn(const std::string& text) {
  const auto line = text.find(" replay '");
  if (line == std::string::npos) return {};
  const auto from = text.find('\'', line) + 1;
  const auto to = text.find('\'', from);
  return to == std::string::npos ? std::string() : text.substr(from, to - from);
}

}  // namespace interlock::scenarios::testing
