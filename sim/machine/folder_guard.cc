// SPDX-License-Identifier: MIT
#include "sim/machine/folder_guard.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <utility>

namespace interlock::sim::machine {
namespace {

/// Retries, because a process that is just being killed may still have written something.
constexpr const char* kScript =
    "read end; for i in 1 2 3 4 5; do rm -rf -- \"$0\" && exit; sleep 1; done";

Status NoFolder(const char* what) { return Status(StatusCode::kUnavailable, what); }

/// Makes only async-signal-safe calls, because the parent may have other threads.
[[noreturn]] void BecomeRemover(const char* path, int pipe) {
  ::setpgid(0, 0);
  ::dup2(pipe, STDIN_FILENO);
  if (const int null = ::open("/dev/null", O_RDWR); null >= 0) {
    ::dup2(null, STDOUT_FILENO);
    ::dup2(null, STDERR_FILENO);
  }
  ::execl("/bin/sh", "sh", "-c", kScript, path, static_cast<char*>(nullptr));
  ::_exit(127);
}

}  // namespace

FolderGuard::FolderGuard(std::string path, int pipe, pid_t remover)
    : path_(std::move(path)), pipe_(pipe), remover_(remover) {}

FolderGuard::~FolderGuard() {
  ::close(pipe_);
  int status = 0;
  while (::waitpid(remover_, &status, 0) < 0 && errno == EINTR) {
  }
}

Result<std::unique_ptr<FolderGuard>> FolderGuard::Make(const std::string& name) {
  std::string path = std::filesystem::temp_directory_path() / (name + "-XXXXXX");
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return NoFolder("no pipe");
  Status made;
  pid_t remover = -1;
  if (::mkdtemp(path.data()) == nullptr) {
    made = NoFolder("no temporary directory");
  } else if (remover = ::fork(); remover < 0) {
    ::rmdir(path.c_str());
    made = NoFolder("no process");
  }
  if (remover == 0) BecomeRemover(path.c_str(), ends[0]);
  ::close(ends[0]);
  if (!made.ok()) {
    ::close(ends[1]);
    return made;
  }
  return std::unique_ptr<FolderGuard>(new FolderGuard(std::move(path), ends[1], remover));
}

}  // namespace interlock::sim::machine
