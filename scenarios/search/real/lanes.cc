// SPDX-License-Identifier: MIT
#include "scenarios/search/real/lanes.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "reports/json_writer.h"
#include "scenarios/search/worker_process.h"

namespace interlock::scenarios::real {
namespace {

constexpr int kTickMs = 100;
constexpr char kReport = 'r';
constexpr char kFailure = 'f';

struct Lane {
  pid_t pid = -1;
  int pipe = -1;     // -1 once all was read
  std::string said;  // kReport or kFailure, and the text
};

/// A flag that all lanes share.
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

class Lanes {
 public:
  ~Lanes() {
    for (Lane& lane : lanes_) {
      if (lane.pipe >= 0) close(lane.pipe);
      if (lane.pid <= 0) continue;
      kill(lane.pid, SIGKILL);
      Await(lane);
    }
  }

  Status Start(std::size_t count, const LaneWork& work) {
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
        const Result<reports::RunReport> done = work(i, *stop_.get());
        const std::string said = done.ok() ? kReport + reports::ToJson(*done)
                                           : kFailure + std::string(done.status().message());
        _exit(SendAll(ends[1], said) ? 0 : 1);
      }
      close(ends[1]);
      lanes_.push_back({pid, ends[0], {}});
      if (pid < 0) return Failed("cannot start a process");
    }
    return Status();
  }

  void Listen(const std::atomic<bool>* stop) {
    for (;;) {
      std::vector<pollfd> wanted;
      for (const Lane& lane : lanes_) wanted.push_back({lane.pipe, POLLIN, 0});
      if (poll(wanted.data(), wanted.size(), kTickMs) > 0) {
        for (std::size_t i = 0; i < lanes_.size(); ++i) {
          if (wanted[i].revents != 0) Read(lanes_[i]);
        }
      }
      bool all = true;
      for (const Lane& lane : lanes_) all = all && lane.pipe < 0;
      if (all) return;
      if (stop != nullptr && *stop) *stop_.get() = true;
    }
  }

  /// The reports of the lanes that finished, with a note for what each other lane said or how it
  /// ended. Fails if no lane finished.
  Result<std::vector<reports::RunReport>> Reports() {
    std::vector<reports::RunReport> all;
    std::vector<std::string> missing;
    for (Lane& lane : lanes_) {
      const int wait_status = Await(lane);
      if (lane.said.empty()) {
        missing.push_back(fmt::format("a process of the check ended early ({})", wait_status));
        continue;
      }
      const std::string_view text = std::string_view(lane.said).substr(1);
      if (lane.said.front() == kFailure) {
        missing.emplace_back(text);
        continue;
      }
      auto read = reports::ReadRunReport(text);
      if (!read.value) return Status(StatusCode::kProtocolError, read.error);
      all.push_back(*std::move(read.value));
    }
    if (all.empty() && !missing.empty()) {
      return Status(StatusCode::kUnavailable, missing.front());
    }
    for (const std::string& why : missing) {
      all.front().status = reports::RunStatus::kPartial;
      all.front().notes.push_back("what one process was to try is missing: " + why);
    }
    return all;
  }

 private:
  static Status Failed(const char* what) {
    return Status(StatusCode::kUnavailable, fmt::format("{}: {}", what, std::strerror(errno)));
  }

  static int Await(Lane& lane) {
    int wait_status = 0;
    while (waitpid(std::exchange(lane.pid, -1), &wait_status, 0) < 0 && errno == EINTR) {
    }
    return wait_status;
  }

  static void Read(Lane& lane) {
    std::array<char, 64 * 1024> chunk{};
    const ssize_t got = read(lane.pipe, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) return;
    if (got > 0) {
      lane.said.append(chunk.data(), static_cast<std::size_t>(got));
      return;
    }
    close(std::exchange(lane.pipe, -1));
  }

  SharedFlag stop_;
  std::vector<Lane> lanes_;
};

}  // namespace

Result<std::vector<reports::RunReport>> RunInLanes(std::size_t count, const LaneWork& work,
                                                   const std::atomic<bool>* stop) {
  Lanes lanes;
  if (Status s = lanes.Start(count, work); !s.ok()) return s;
  lanes.Listen(stop);
  return lanes.Reports();
}

}  // namespace interlock::scenarios::real
