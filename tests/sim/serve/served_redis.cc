// SPDX-License-Identifier: MIT
#include "tests/sim/serve/served_redis.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

namespace interlock::scenarios::testing {
namespace {

// Up to a line break, or what came before the end.
std::string ReadLine(int file) {
  std::string line;
  char c = 0;
  while (read(file, &c, 1) == 1 && c != '\n') line.push_back(c);
  return line;
}

}  // namespace

ServedRedis::ServedRedis(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {INTERLOCK_PROGRAM, "serve", "--port", "0"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int out[2] = {-1, -1};
  if (pipe2(out, O_CLOEXEC) != 0) return;
  pid_ = fork();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(out[1], STDOUT_FILENO);
    execv(pointers[0], pointers.data());
    _exit(127);
  }
  close(out[1]);
  first_line_ = ReadLine(out[0]);
  close(out[0]);
  const std::size_t colon = first_line_.rfind(':');
  if (colon != std::string::npos) port_ = std::atoi(first_line_.c_str() + colon + 1);
}

ServedRedis::~ServedRedis() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

int ServedRedis::AwaitExit() {
  for (int i = 0; i < 500; ++i) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return -2;
}

}  // namespace interlock::scenarios::testing
