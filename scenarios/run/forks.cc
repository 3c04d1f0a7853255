// SPDX-License-Identifier: MIT
#include "scenarios/run/forks.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

#include <fmt/format.h>

namespace interlock::scenarios {
namespace {

constexpr int kForkTickMs = 100;
constexpr char kWhole = 'W';   // the last byte of an answer that is complete
constexpr char kFailed = 'F';  // the last byte of the reason why there is none

struct Fork {
  pid_t pid = -1;
  int pipe = -1;     // -1 once all was read
  std::string said;  // the answer or the reason, and the last byte
};

/// A flag that all forks share.
class SharedFlag {
 public:
  SharedFlag()
      : page_(mmap(nullptr, sizeof(std::atomic<bool>), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (page_ != MAP_FAILED) flag_ = new (page_) std::atomic<bool>(false);
  }
  ~SharedFlag() {
    if (flag_ != nullptr) munmap(page_, sizeof(std::atomic<bool>));
  }
  SharedFlag(const SharedFlag&) = delete;
  SharedFlag& operator=(const SharedFlag&) = delete;

  std::atomic<bool>* get() { return flag_; }

 private:
  void* page_;
  std::atomic<bool>* flag_ = nullptr;  // nullptr if the system had no page
};

std::string AnswerOf(const ForkedWork& work, std::size_t index, const std::atomic<bool>& stop) {
  try {
    const Result<std::string> done = work(index, stop);
    return done.ok() ? *done + kWhole : done.status().message() + kFailed;
  } catch (const std::exception& error) {
    return std::string(error.what()) + kFailed;
  }
}

class Forks {
 public:
  ~Forks() {
    for (Fork& one : forks_) {
      if (one.pipe >= 0) close(one.pipe);
      if (one.pid <= 0) continue;
      kill(one.pid, SIGKILL);
      Await(one);
    }
  }

  Status Start(std::size_t count, const ForkedWork& work) {
    if (stop_.get() == nullptr) return Failed("cannot share memory");
    const pid_t parent = getpid();
    for (std::size_t i = 0; i < count; ++i) {
      std::array<int, 2> ends{};
      if (pipe2(ends.data(), O_CLOEXEC) != 0) return Failed("cannot make a pipe");
      const pid_t pid = fork();
      if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(1);
        setpgid(0, 0);
        _exit(SendAll(ends[1], AnswerOf(work, i, *stop_.get())) ? 0 : 1);
      }
      close(ends[1]);
      forks_.push_back({pid, ends[0], {}});
      if (pid < 0) return Failed("cannot start a process");
    }
    return Status();
  }

  void Listen(const std::atomic<bool>* stop) {
    const auto has_ended = [](const Fork& one) { return one.pipe < 0; };
    while (!std::ranges::all_of(forks_, has_ended)) {
      if (stop != nullptr && *stop) *stop_.get() = true;
      std::vector<pollfd> wanted;
      for (const Fork& one : forks_) wanted.push_back({one.pipe, POLLIN, 0});
      if (poll(wanted.data(), wanted.size(), kForkTickMs) <= 0) continue;
      for (std::size_t i = 0; i < forks_.size(); ++i) {
        if (wanted[i].revents != 0) Read(forks_[i]);
      }
    }
  }

  std::vector<ForkEnd> Ends() {
    std::vector<ForkEnd> ends;
    for (Fork& one : forks_) {
      ForkEnd& end = ends.emplace_back();
      end.wait_status = Await(one);
      const char last = one.said.empty() ? '\0' : one.said.back();
      if (last != kWhole && last != kFailed) continue;
      one.said.pop_back();
      if (last == kWhole) {
        end.answer = std::move(one.said);
      } else {
        end.answer = Status(StatusCode::kUnavailable, std::move(one.said));
      }
    }
    return ends;
  }

 private:
  static Status Failed(const char* what) {
    return Status(StatusCode::kUnavailable, fmt::format("{}: {}", what, std::strerror(errno)));
  }

  static int Await(Fork& one) {
    int wait_status = 0;
    while (waitpid(one.pid, &wait_status, 0) < 0 && errno == EINTR) {
    }
    one.pid = -1;
    return wait_status;
  }

  static void Read(Fork& one) {
    std::array<char, 64 * 1024> chunk{};
    const ssize_t got = read(one.pipe, chunk.data(), chunk.size());
    if (got > 0) one.said.append(chunk.data(), static_cast<std::size_t>(got));
    if (got > 0 || (got < 0 && errno == EINTR)) return;
    close(std::exchange(one.pipe, -1));
  }

  SharedFlag stop_;
  std::vector<Fork> forks_;
};

}  // namespace

Result<std::vector<ForkEnd>> RunInForks(std::size_t count, const ForkedWork& work,
                                        const std::atomic<bool>* stop) {
  Forks forks;
  if (Status s = forks.Start(count, work); !s.ok()) return s;
  forks.Listen(stop);
  return forks.Ends();
}

bool SendAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace interlock::scenarios
