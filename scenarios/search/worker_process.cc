// SPDX-License-Identifier: MIT
#include "scenarios/search/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "scenarios/run/forks.h"
#include "scenarios/run/guard.h"

extern char** environ;

namespace interlock::scenarios {
namespace {

constexpr std::chrono::seconds kLongestStart{20};
constexpr int kLongestEnd = 2000;  // ms
constexpr int kLookEach = 50;      // ms
/// The copies of descriptors that a spawned process duplicates are at least this, so that none
/// already has a number that the process gives to another.
constexpr int kAboveAll = 10;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMayLimitMemory = false;  // the sanitizer itself takes terabytes
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
constexpr bool kMayLimitMemory = false;
#else
constexpr bool kMayLimitMemory = true;
#endif
#else
constexpr bool kMayLimitMemory = true;
#endif

Status NoWorker(std::string message) {
  return Status(StatusCode::kUnavailable, std::move(message));
}

/// Owns a file descriptor, and closes it in the end.
class OwnFd {
 public:
  explicit OwnFd(int fd) : fd_(fd) {}
  OwnFd(OwnFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OwnFd& operator=(OwnFd&&) = delete;
  ~OwnFd() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

/// Returns a copy of `fd` above the worker's own; -1 if there are no more descriptors.
OwnFd High(int fd) { return OwnFd(fcntl(fd, F_DUPFD_CLOEXEC, kAboveAll)); }

std::optional<pid_t> Spawn(int requests, int answers, int box) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, requests, kWorkerRequests);
  posix_spawn_file_actions_adddup2(&actions, answers, kWorkerAnswers);
  posix_spawn_file_actions_adddup2(&actions, box, kWorkerBox);
  std::string name = "interlock";
  std::string command = "worker";
  const std::array<char*, 3> argv = {name.data(), command.data(), nullptr};
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return std::nullopt;
  return pid;
}

[[noreturn]] void EndForWantOfMemory() {
  if (BlackBox* box = BlackBox::OfThisProcess()) {
    // Nothing here may allocate memory.
    rlimit limit{};
    getrlimit(RLIMIT_DATA, &limit);
    std::array<char, 80> text{};
    const int size = std::snprintf(text.data(), text.size(),
                                   "took more memory than its process may have (%llu MiB)",
                                   static_cast<unsigned long long>(limit.rlim_cur >> 20U));
    box->NoteEnd({text.data(), static_cast<std::size_t>(std::max(size, 0))});
  }
  _exit(1);
}

}  // namespace

void EndWithStarter() { prctl(PR_SET_PDEATHSIG, SIGKILL); }

void LimitMemory(std::size_t bytes) {
  if (!kMayLimitMemory) return;
  const rlimit limit = {bytes, bytes};
  if (setrlimit(RLIMIT_DATA, &limit) == 0) std::set_new_handler(EndForWantOfMemory);
}

std::size_t MemoryOfSearches() {
  const auto pages = static_cast<std::size_t>(std::max(0L, sysconf(_SC_PHYS_PAGES)));
  const auto size = static_cast<std::size_t>(std::max(0L, sysconf(_SC_PAGESIZE)));
  return std::max(kWorkerMemory, pages / 2 * size);
}

std::string FramedAnswer(std::string_view text, bool refused) {
  return fmt::format("{} {}\n{}", refused ? "no" : "ok", text.size(), text);
}

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::Start() {
  auto box = BlackBox::New();
  if (!box.ok()) return box.status();
  std::array<int, 2> requests{};
  std::array<int, 2> answers{};
  if (pipe2(requests.data(), O_CLOEXEC) != 0) return NoWorker("no pipe");
  const OwnFd theirs_in(requests[0]);
  OwnFd in(requests[1]);
  if (pipe2(answers.data(), O_CLOEXEC) != 0) return NoWorker("no pipe");
  OwnFd out(answers[0]);
  const OwnFd theirs_out(answers[1]);
  const std::array<OwnFd, 3> high = {High(theirs_in.get()), High(theirs_out.get()),
                                     High((*box)->fd())};
  for (const OwnFd& one : high) {
    if (one.get() < 0) return NoWorker("no pipe");
  }
  const auto pid = Spawn(high[0].get(), high[1].get(), high[2].get());
  if (!pid) return NoWorker("the program could not be started again");
  std::unique_ptr<WorkerProcess> worker(
      new WorkerProcess(*pid, in.Release(), out.Release(), *std::move(box)));
  if (worker->Greets()) return worker;
  worker->End();
  return NoWorker("the program, started again as a worker, does not answer as one");
}

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::Fork(
    const std::function<std::string(BlackBox& box)>& work) {
  auto box = BlackBox::New();
  if (!box.ok()) return box.status();
  std::array<int, 2> answers{};
  if (pipe2(answers.data(), O_CLOEXEC) != 0) return NoWorker("no pipe");
  OwnFd out(answers[0]);
  const OwnFd theirs(answers[1]);
  std::fflush(nullptr);  // otherwise the copy would write it as well
  const pid_t pid = fork();
  if (pid < 0) return NoWorker("no copy of the process");
  if (pid == 0) {
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_IGN);
    EndWithStarter();
    (*box)->UseForThisProcess();
    SendAll(theirs.get(), FramedAnswer(work(**box), false));
    std::fflush(nullptr);
    _exit(0);
  }
  return std::unique_ptr<WorkerProcess>(new WorkerProcess(pid, -1, out.Release(), *std::move(box)));
}

WorkerProcess::~WorkerProcess() {
  if (in_ >= 0) close(in_);
  close(out_);
  if (!alive_) return;
  // The process only has to end now, but a lock may have left something that prevents that.
  for (int ms = 0; ms < kLongestEnd && !HasEnded(); ++ms) {
    poll(nullptr, 0, 1);
  }
  End();
}

bool WorkerProcess::HasEnded() const {
  siginfo_t info{};
  const auto id = static_cast<id_t>(pid_);
  return waitid(P_PID, id, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid_;
}

int WorkerProcess::End() {
  alive_ = false;
  int status = 0;
  // The process may be alive, having only closed its end of the pipe. If it has ended by itself, it
  // keeps its own status.
  kill(pid_, SIGKILL);
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string WorkerProcess::HowItEnded(int status) const {
  const std::string reason = box_->Read().reason;
  if (!reason.empty()) return reason;
  if (WIFEXITED(status)) return fmt::format("ended its process: exit({})", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  if (signal == SIGKILL) return "was killed (SIGKILL)";
  const char* name = sigabbrev_np(signal);
  return fmt::format("was ended by a signal ({}{})", name == nullptr ? "" : "SIG",
                     name == nullptr ? fmt::to_string(signal) : name);
}

WorkerProcess::Wait WorkerProcess::ReadMore(std::chrono::seconds patience,
                                            const std::atomic<bool>* stop) {
  using Clock = std::chrono::steady_clock;
  auto alive_at = Clock::now();
  std::uint64_t beats = box_->beats();
  for (;;) {
    if (stop != nullptr && *stop) return Wait::kStopped;
    GuardProgress();  // of this thread; the other process has its own bound
    pollfd one = {out_, POLLIN, 0};
    const int ready = poll(&one, 1, kLookEach);
    if (ready > 0) {
      std::array<char, 65536> buffer{};
      const ssize_t count = read(out_, buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return Wait::kEnded;
      unread_.append(buffer.data(), static_cast<std::size_t>(count));
      return Wait::kMore;
    }
    // A process that the worker has started in turn may keep the pipe open.
    if (HasEnded()) return Wait::kEnded;
    if (const std::uint64_t now = box_->beats(); now != beats) {
      beats = now;
      alive_at = Clock::now();
    } else if (Clock::now() - alive_at > patience) {
      return Wait::kHung;
    }
  }
}

bool WorkerProcess::Greets() {
  while (unread_.size() < kWorkerGreeting.size()) {
    if (ReadMore(kLongestStart, nullptr) != Wait::kMore) return false;
  }
  if (!unread_.starts_with(kWorkerGreeting)) return false;
  unread_.erase(0, kWorkerGreeting.size());
  return true;
}

std::optional<WorkerAnswer> WorkerProcess::TakeAnswer() {
  const std::size_t end = unread_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  constexpr std::size_t kWord = 3;  // "ok " or "no "
  std::size_t size = 0;
  WorkerAnswer answer;
  const char* const from = unread_.data() + std::min(kWord, end);
  const auto [stopped, error] = std::from_chars(from, unread_.data() + end, size);
  if (error != std::errc() || stopped != unread_.data() + end) {
    answer.refused = "the other process says what cannot be read";
    unread_.clear();
    return answer;
  }
  if (unread_.size() - end - 1 < size) return std::nullopt;
  std::string text = unread_.substr(end + 1, size);
  const bool refused = unread_.starts_with("no ");
  unread_.erase(0, end + 1 + size);
  if (refused) {
    answer.refused = std::move(text);
  } else {
    answer.body = std::move(text);
  }
  return answer;
}

WorkerAnswer WorkerProcess::Ask(const reports::WorkRequest& request, std::chrono::seconds patience,
                                const std::atomic<bool>* stop) {
  Wait wait = SendAll(in_, ToLine(request) + "\n") ? Wait::kMore : Wait::kEnded;
  while (wait == Wait::kMore) {
    if (auto answer = TakeAnswer()) return *std::move(answer);
    wait = ReadMore(patience, stop);
  }
  return AnswerOf(wait, patience);
}

WorkerAnswer WorkerProcess::Await(std::chrono::seconds patience, const std::atomic<bool>& stop) {
  Wait wait = Wait::kMore;
  while (wait == Wait::kMore || wait == Wait::kStopped) {
    if (auto answer = TakeAnswer()) return *std::move(answer);
    if (wait == Wait::kStopped) box_->stop() = true;
    wait = ReadMore(patience, box_->stop() ? nullptr : &stop);
  }
  return AnswerOf(wait, patience);
}

void WorkerProcess::AskWhereItStands() const {
  // Its first thread is the one that runs locks.
  syscall(SYS_tgkill, pid_, pid_, kOverdue);
  for (int ms = 0; ms < kLongestEnd && !HasEnded(); ++ms) poll(nullptr, 0, 1);
}

WorkerAnswer WorkerProcess::AnswerOf(Wait wait, std::chrono::seconds patience) {
  if (wait == Wait::kHung) AskWhereItStands();
  const int status = End();
  WorkerAnswer answer;
  if (wait == Wait::kStopped) return answer;
  answer.end = WorkerEnd{wait == Wait::kHung
                             ? fmt::format("made no progress for {} s: it spins, or waits for what "
                                           "the simulation does not know",
                                           patience.count())
                             : HowItEnded(status),
                         wait == Wait::kHung, box_->Read()};
  return answer;
}

}  // namespace interlock::scenarios
