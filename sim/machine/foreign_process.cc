// SPDX-License-Identifier: MIT
#include "sim/machine/foreign_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "sim/machine/clock/template_words.h"
#include "sim/machine/group_guard.h"

namespace interlock::sim::machine {
namespace {

namespace fs = std::filesystem;

constexpr int kSignalBase = 128;                    // as shells report a signal in an exit code
constexpr rlim_t kLargestFile = rlim_t{64} << 20U;  // bytes, of any of its files

/// Runs in the new process and turns it into the other program. On failure it writes errno to the
/// pipe and exits.
[[noreturn]] void Become(const std::vector<std::string>& command,
                         const ForeignProcess::Environment& environment, int output, int failure,
                         int passed, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) std::signal(signal, SIG_DFL);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  if (passed >= 0) fcntl(passed, F_SETFD, 0);
  const rlimit limit{kLargestFile, kLargestFile};  // Its output is in memory.
  setrlimit(RLIMIT_FSIZE, &limit);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  putenv(const_cast<char*>(GroupGuard::Get().mark()));
  std::vector<std::string> words = command;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(argv.front(), argv.data());
  const int reason = errno;
  (void)!write(failure, &reason, sizeof reason);
  _exit(1);
}

/// The value after `name` in a file of lines "name:\tvalue".
std::string_view StatusField(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + name.size());
  const std::size_t begin = rest.find_first_not_of("\t ");
  if (begin == std::string_view::npos) return {};
  return rest.substr(begin, rest.find('\n', begin) - begin);
}

std::uint64_t StatNumber(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// Of a file in /proc, which is read many times in each run.
std::string Content(const std::string& path) {
  constexpr std::size_t kPiece = 4096;
  std::string text;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  ssize_t got = 0;
  do {
    const std::size_t size = text.size();
    text.resize(size + kPiece);
    got = read(file, text.data() + size, kPiece);
    text.resize(size + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  } while (got > 0);
  close(file);
  return text;
}

/// Whether a thread is running, by the content of its status file.
bool IsRunning(std::string_view status) {
  const std::string_view state = StatusField(status, "\nState:");
  return !state.empty() && (state.front() == 'R' || state.front() == 'D');
}

using Activity = ForeignProcess::Activity;

bool AddProcess(const std::string& pid, const std::vector<int>& but, Activity& sum);

/// Of a thread, whose status is given, and of the processes that it has started. Returns false if
/// one of them is running.
bool AddThread(const std::string& task, const std::string& status, const std::vector<int>& but,
               Activity& sum) {
  std::istringstream children(Content(task + "/children"));
  for (std::string child; children >> child;) {
    sum.alone = false;
    if (!AddProcess(child, but, sum)) return false;
  }
  const auto thread = static_cast<int>(StatNumber(StatusField(status, "\nPid:")));
  if (std::find(but.begin(), but.end(), thread) != but.end()) return true;
  if (IsRunning(status)) return false;
  sum.switches += StatNumber(StatusField(status, "\nvoluntary_ctxt_switches:"));
  sum.switches += StatNumber(StatusField(status, "\nnonvoluntary_ctxt_switches:"));
  return true;
}

/// Returns false if a thread is running.
bool AddProcess(const std::string& pid, const std::vector<int>& but, Activity& sum) {
  const std::string tasks = "/proc/" + pid + "/task/";
  const std::string first = Content(tasks + pid + "/status");
  if (StatusField(first, "\nThreads:") == "1") return AddThread(tasks + pid, first, but, sum);
  sum.alone = false;
  std::error_code gone;
  for (fs::directory_iterator task(tasks, gone), end; !gone && task != end; task.increment(gone)) {
    const std::string path = task->path().string();
    if (!AddThread(path, Content(path + "/status"), but, sum)) return false;
  }
  return true;
}

/// The processor time of `pid`, in the kernel's ticks.
std::uint64_t TicksOf(const std::string& pid) {
  constexpr int kBeforeUserTime = 11;  // fields after the name, which may contain spaces
  const std::string stat = Content("/proc/" + pid + "/stat");
  std::istringstream fields(stat.substr(std::min(stat.rfind(')') + 1, stat.size())));
  std::string skipped;
  for (int i = 0; i < kBeforeUserTime; ++i) fields >> skipped;
  std::uint64_t user = 0;
  std::uint64_t system = 0;
  fields >> user >> system;
  std::uint64_t ticks = user + system;
  std::istringstream children(Content("/proc/" + pid + "/task/" + pid + "/children"));
  for (std::string child; children >> child;) ticks += TicksOf(child);
  return ticks;
}

bool AllHaveMapped(const std::string& pid, std::string_view name) {
  const std::string maps = Content("/proc/" + pid + "/maps");
  if (!maps.empty() && maps.find(name) == std::string::npos) return false;
  std::error_code gone;
  for (fs::directory_iterator task("/proc/" + pid + "/task", gone), end; !gone && task != end;
       task.increment(gone)) {
    std::istringstream children(Content(task->path().string() + "/children"));
    for (std::string child; children >> child;) {
      if (!AllHaveMapped(child, name)) return false;
    }
  }
  return true;
}

/// What has left its group and session (daemon(3)) is a child of this process once its own parent
/// has ended. Nothing else here has a session of its own.
void EndStrays() {
  std::istringstream children(Content("/proc/thread-self/children"));
  for (pid_t child = 0; children >> child;) {
    const pid_t session = getsid(child);
    if (session <= 0 || session == getsid(0)) continue;
    kill(-session, SIGKILL);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
}

}  // namespace

int ForeignProcess::MakeOutput() {
  const int output = memfd_create("output", MFD_CLOEXEC);
  // Both streams append, so that neither overwrites the other.
  if (output >= 0) fcntl(output, F_SETFL, O_APPEND);
  return output;
}

Result<std::unique_ptr<ForeignProcess>> ForeignProcess::Start(
    const std::vector<std::string>& command, const Environment& environment, int passed) {
  const auto failed = [](std::string_view what) {
    return Status(StatusCode::kUnavailable, fmt::format("{}: {}", what, std::strerror(errno)));
  };
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  GroupGuard::Get();
  std::array<int, 2> failure{};
  if (pipe2(failure.data(), O_CLOEXEC) != 0) return failed("cannot make a pipe");
  const int output = MakeOutput();
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) Become(command, environment, output, failure[1], passed, parent);
  close(failure[1]);
  int reason = 0;
  const bool no_program = pid > 0 && read(failure[0], &reason, sizeof reason) == sizeof reason;
  close(failure[0]);
  if (pid < 0) {
    close(output);
    return failed("cannot start a process");
  }
  setpgid(pid, pid);  // in parent and child, whichever runs first
  std::unique_ptr<ForeignProcess> process(new ForeignProcess(pid, output, -1));
  if (no_program) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("cannot run {}: {}", command.front(), std::strerror(reason)));
  }
  return process;
}

ForeignProcess::ForeignProcess(pid_t pid, int output, int reports)
    : pid_(pid), output_(output), reports_(reports) {
  GroupGuard::Get().Add(pid_);
}

ForeignProcess::~ForeignProcess() {
  Kill();
  close(output_);
  for (const int file : {reports_, handle_}) {
    if (file >= 0) close(file);
  }
}

bool ForeignProcess::TakeEnd(bool wait) {
  int status = SIGKILL;  // as the template is gone, and with it the copy
  if (reports_ < 0) {
    pid_t got = -1;
    do {
      got = waitpid(pid_, &status, wait ? 0 : WNOHANG);
    } while (got < 0 && errno == EINTR);
    if (got != pid_) return false;
  } else {
    TemplateReport report;
    ssize_t got = -1;
    do {
      got = recv(reports_, &report, sizeof report, wait ? 0 : MSG_DONTWAIT);
    } while (got < 0 && errno == EINTR);
    if (got < 0) return false;
    if (got == sizeof report) status = report.number;
  }
  ended_ = true;
  exit_code_ = WIFSIGNALED(status) ? kSignalBase + WTERMSIG(status) : WEXITSTATUS(status);
  return true;
}

bool ForeignProcess::ended() {
  if (ended_) return true;
  if (TakeEnd(false)) {
    EndGroup();
    return true;
  }
  if (!HasFilledItsOutput()) return false;
  Kill();
  exit_code_ = kSignalBase + SIGXFSZ;
  return true;
}

void ForeignProcess::EndGroup() {
  kill(-pid_, SIGKILL);
  GroupGuard::Get().Remove(pid_);
  // Those whose parents have ended are children of this process.
  while (waitpid(-pid_, nullptr, 0) > 0 || errno == EINTR) {
  }
  EndStrays();
}

bool ForeignProcess::HasFilledItsOutput() const {
  struct stat file {};
  return fstat(output_, &file) == 0 && static_cast<rlim_t>(file.st_size) >= kLargestFile;
}

void ForeignProcess::AwaitEnd(Duration at_most) {
  if (ended_) return;
  if (reports_ < 0 && handle_ < 0) handle_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(at_most).count();
  constexpr std::int64_t kSecondNs = 1'000'000'000;
  const timespec length{ns / kSecondNs, ns % kSecondNs};
  pollfd end{reports_ < 0 ? handle_ : reports_, POLLIN, 0};
  ppoll(&end, 1, &length, nullptr);
}

std::optional<ForeignProcess::Activity> ForeignProcess::ActivityOf(
    const std::vector<int>& but_threads) const {
  Activity sum;
  if (ended_ || stopped_) return sum;
  if (!AddProcess(std::to_string(pid_), but_threads, sum)) return std::nullopt;
  return sum;
}

bool ForeignProcess::Runs(int thread) {
  return IsRunning(Content("/proc/" + std::to_string(thread) + "/status"));
}

bool ForeignProcess::CatchesContinue() const {
  const std::string status = Content("/proc/" + std::to_string(pid_) + "/status");
  const std::string_view caught = StatusField(status, "\nSigCgt:");
  std::uint64_t signals = 0;
  std::from_chars(caught.data(), caught.data() + caught.size(), signals, 16);
  return (signals >> (SIGCONT - 1) & 1U) != 0;
}

bool ForeignProcess::HasMapped(std::string_view name) const {
  return ended_ || AllHaveMapped(std::to_string(pid_), name);
}

Duration ForeignProcess::ProcessorTime() const {
  const auto per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  const std::chrono::duration<double> time(static_cast<double>(TicksOf(std::to_string(pid_))) /
                                           per_second);
  return ended_ ? Duration{} : std::chrono::duration_cast<Duration>(time);
}

void ForeignProcess::Stop() {
  if (ended_) return;
  kill(-pid_, SIGSTOP);
  stopped_ = true;
}

void ForeignProcess::Continue() {
  if (!ended_) kill(-pid_, SIGCONT);
  stopped_ = false;
}

void ForeignProcess::Kill() {
  if (ended_) return;
  kill(-pid_, SIGKILL);
  TakeEnd(true);
  EndGroup();
  ended_ = true;
  exit_code_ = kSignalBase + SIGKILL;
}

std::string ForeignProcess::OutputTail(std::size_t bytes) const {
  const off_t size = lseek(output_, 0, SEEK_END);
  if (size <= 0) return {};
  const std::size_t wanted = std::min(bytes, static_cast<std::size_t>(size));
  std::string text(wanted, '\0');
  const ssize_t got = pread(output_, text.data(), wanted, size - static_cast<off_t>(wanted));
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

}  // namespace interlock::sim::machine
