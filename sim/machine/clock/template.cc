// SPDX-License-Identifier: MIT
//
// Inside a foreign client that is a template: its first connect to its server does not return here,
// but in each of its copies, which are made with fork(2) whenever they are asked for. So what the
// client does before, to start its interpreter and load its libraries, is done once.
//
// A copy has its own clock's page, output, process group, and connection. All else is as it was:
// random numbers go on from where they stood, which is where they stand in a started client, too.
// A program with more than one thread cannot be copied, because fork() copies only one.
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/machine/clock/blocking.h"
#include "sim/machine/clock/interpreters.h"
#include "sim/machine/clock/sleeper.h"
#include "sim/machine/clock/template.h"
#include "sim/machine/clock/template_words.h"

namespace interlock::sim::machine {
namespace {

constexpr int kMostFiles = 700;  // see kLeastDescriptor in sleeper.cc

int control = -1;  // -1: this is no template
int port_count = 0;
bool was_open[kMostFiles];  // descriptors that the program was started with
std::uint16_t template_ports[kMostPorts];
long connects_before = 0;  // those still to come before the one where it stops
bool is_copy = false;

/// 0: it is no address of the internet.
std::uint16_t PortOf(const sockaddr* address, socklen_t size) {
  if (address == nullptr || size < sizeof(sockaddr_in) || address->sa_family != AF_INET) return 0;
  return ntohs(reinterpret_cast<const sockaddr_in*>(address)->sin_port);
}

bool IsTemplatePort(std::uint16_t port) {
  for (int i = 0; i < port_count; ++i) {
    if (template_ports[i] == port) return true;
  }
  return false;
}

int ThreadsOfThis() {
  DIR* tasks = opendir("/proc/self/task");
  if (tasks == nullptr) return -1;
  int count = 0;
  while (const dirent* entry = readdir(tasks)) count += entry->d_name[0] == '.' ? 0 : 1;
  closedir(tasks);
  return count;
}

/// Whether the process has others beside it, which would not be copied with it.
bool HasFamily() {
  if (Ask(SYS_getpid) != Clock()->process) return true;
  const int file = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char byte = 0;
  const bool any = Ask(SYS_read, file, Word(&byte), 1) > 0;
  Ask(SYS_close, file);
  return any;
}

/// Whether a descriptor is of a kind whose state would be shared by all copies, and lost with one
/// of them. Ruby makes its own anew in a forked process.
bool IsShared(int file) {
  char name[32];
  char target[32] = {};
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  if (readlink(name, target, sizeof target - 1) <= 0) return false;
  const bool epoll = strncmp(target, "anon_inode:[eventpoll]", 22) == 0;
  const bool other = strncmp(target, "pipe:", 5) == 0 || strncmp(target, "socket:", 7) == 0 ||
                     strncmp(target, "anon_inode:", 11) == 0;
  return epoll || (other && !ForksItself());
}

bool SharesFiles(int socket_file) {
  for (int file = 0; file < kMostFiles; ++file) {
    if (!was_open[file] && file != socket_file && file != control && IsShared(file)) return true;
  }
  return false;
}

TemplateNews NewsOf(int socket_file) {
  if (HasFamily()) return TemplateNews::kFamily;
  return SharesFiles(socket_file) ? TemplateNews::kShares : TemplateNews::kReached;
}

void Report(TemplateNews news, std::int32_t number) {
  const TemplateReport report{news, number};
  Ask(SYS_sendto, control, Word(&report), sizeof report, MSG_NOSIGNAL);
}

struct CopyFiles {
  int page;
  int output;
};

/// Ends the process with its driver.
void AwaitRequest(CopyFiles& files) {
  char byte = 0;
  iovec part{&byte, sizeof byte};
  alignas(cmsghdr) char rights[CMSG_SPACE(sizeof files)];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = rights;
  message.msg_controllen = sizeof rights;
  long got = -1;
  do {
    got = Ask(SYS_recvmsg, control, Word(&message), MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  const cmsghdr* with = got == sizeof byte ? CMSG_FIRSTHDR(&message) : nullptr;
  if (with == nullptr || with->cmsg_len != CMSG_LEN(sizeof files)) _exit(1);
  memcpy(&files, CMSG_DATA(with), sizeof files);
}

/// Puts an unconnected socket with the same options in the place of one that the template shares.
bool Replace(int socket_file) {
  int type = 0;
  socklen_t size = sizeof type;
  getsockopt(socket_file, SOL_SOCKET, SO_TYPE, &type, &size);
  const int made = socket(AF_INET, type, 0);
  if (made < 0) return false;
  constexpr struct {
    int level;
    int option;
  } kOptions[] = {{SOL_SOCKET, SO_KEEPALIVE},  {SOL_SOCKET, SO_RCVTIMEO},
                  {SOL_SOCKET, SO_SNDTIMEO},   {SOL_SOCKET, SO_REUSEADDR},
                  {SOL_SOCKET, SO_LINGER},     {IPPROTO_TCP, TCP_NODELAY},
                  {IPPROTO_TCP, TCP_KEEPIDLE}, {IPPROTO_TCP, TCP_KEEPINTVL},
                  {IPPROTO_TCP, TCP_KEEPCNT},  {IPPROTO_TCP, TCP_USER_TIMEOUT}};
  for (const auto& one : kOptions) {
    char value[16];
    socklen_t length = sizeof value;
    if (getsockopt(socket_file, one.level, one.option, value, &length) != 0) continue;
    // What the program has set was noted when it did (see kernel_timers.cc).
    Ask(SYS_setsockopt, made, one.level, one.option, Word(value), length);
  }
  fcntl(made, F_SETFL, fcntl(socket_file, F_GETFL));
  const int flags = fcntl(socket_file, F_GETFD) == FD_CLOEXEC ? O_CLOEXEC : 0;
  const bool done = Ask(SYS_dup3, made, socket_file, flags) >= 0;
  Ask(SYS_close, made);
  return done;
}

/// In the copy: its own clock, connection and output in place of the template's.
void Settle(int socket_file, const CopyFiles& files, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);
  if (Ask(SYS_getppid) != parent) _exit(1);
  Ask(SYS_close, control);
  control = -1;
  is_copy = true;
  if (!TakePage(files.page) || !Replace(socket_file)) _exit(1);
  Ask(SYS_dup3, files.output, STDOUT_FILENO, 0);
  Ask(SYS_dup3, files.output, STDERR_FILENO, 0);
  Ask(SYS_close, files.page);
  Ask(SYS_close, files.output);
}

/// Returns in the copies only.
void ServeCopies(int socket_file) {
  Report(NewsOf(socket_file), ThreadsOfThis());
  // The program shall not see children that it does not know, nor keep us from waiting for them.
  struct sigaction before {};
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &usual, &before);
  const auto parent = static_cast<pid_t>(Ask(SYS_getpid));
  for (;;) {
    CopyFiles files{};
    AwaitRequest(files);
    const pid_t copy = ForkInterpreter();
    if (copy == 0) {
      Settle(socket_file, files, parent);
      sigaction(SIGCHLD, &before, nullptr);
      return PrepareInterpreter(parent);
    }
    const int error = errno;
    Ask(SYS_close, files.page);
    Ask(SYS_close, files.output);
    if (copy < 0) {
      Report(TemplateNews::kFailed, error);
      continue;
    }
    setpgid(copy, copy);  // in both, whichever runs first
    Report(TemplateNews::kCopied, copy);
    int status = 0;
    while (Ask(SYS_wait4, copy, Word(&status)) < 0 && errno == EINTR) {
    }
    Report(TemplateNews::kEnded, status);
  }
}

}  // namespace

/// A client's command may become another program (as env does), but what it starts is no template.
void BecomeTemplate() {
  const char* words = getenv(kTemplateVariable);
  if (words == nullptr) return;
  const auto own = static_cast<std::int32_t>(Ask(SYS_getpid));
  std::int32_t first = 0;
  if (!Clock()->process.compare_exchange_strong(first, own) && first != own) return;
  char* rest = nullptr;
  control = static_cast<int>(strtol(words, &rest, 10));
  connects_before = strtol(rest, &rest, 10);
  for (int file = 0; file < kMostFiles; ++file) was_open[file] = fcntl(file, F_GETFD) >= 0;
  while (*rest != '\0' && port_count < kMostPorts) {
    template_ports[port_count++] = static_cast<std::uint16_t>(strtol(rest, &rest, 10));
  }
}

/// Makes a connection to a server here, of a process that publishes its waits. What the process
/// sends is to arrive before it waits, and is not kept back until more has been acknowledged
/// (Nagle's algorithm). The connection, which the kernel makes by itself, is made when the program
/// begins to wait for it, because that is no wait for the driver.
long ConnectHere(int socket_file, const sockaddr* address, socklen_t size) {
  constexpr timespec kMost{0, 100'000'000};
  const int on = 1;
  const int before = errno;
  Ask(SYS_setsockopt, socket_file, IPPROTO_TCP, TCP_NODELAY, Word(&on), sizeof on);
  errno = before;
  const long made = Ask(SYS_connect, socket_file, Word(address), size);
  if (made == 0 || errno != EINPROGRESS) return made;
  timespec most = kMost;
  pollfd one{socket_file, POLLOUT, 0};
  Ask(SYS_ppoll, Word(&one), 1, Word(&most));
  errno = EINPROGRESS;
  return made;
}

bool IsHere(const sockaddr* address) {
  const auto* to = reinterpret_cast<const sockaddr_in*>(address);
  return ntohl(to->sin_addr.s_addr) >> IN_CLASSA_NSHIFT == IN_LOOPBACKNET;
}

bool IsTemplate() { return control >= 0; }
bool IsCopy() { return is_copy; }

}  // namespace interlock::sim::machine

namespace drive = interlock::sim::machine;

extern "C" {

int connect(int socket_file, const sockaddr* address, socklen_t size) {
  const std::uint16_t port = drive::PortOf(address, size);
  if (drive::IsTemplate() && drive::IsTemplatePort(port)) {
    if (drive::connects_before-- > 0) {
      return static_cast<int>(drive::Ask(SYS_connect, socket_file, drive::Word(address), size));
    }
    drive::ServeCopies(socket_file);
  }
  sockaddr_in own{};
  const drive::SharedClock* clock = drive::Clock();
  for (int i = 0; clock != nullptr && i < clock->port_count; ++i) {
    const drive::PortPair& pair = clock->ports[static_cast<std::size_t>(i)];
    if (port == 0 || pair.sought != port) continue;
    memcpy(&own, address, sizeof own);
    own.sin_port = htons(pair.real);
    address = reinterpret_cast<const sockaddr*>(&own);
    size = sizeof own;
  }
  if (port != 0) drive::BeginToPublish();
  if (port != 0 && drive::Publishes() && drive::IsHere(address)) {
    return static_cast<int>(drive::ConnectHere(socket_file, address, size));
  }
  return static_cast<int>(drive::Ask(SYS_connect, socket_file, drive::Word(address), size));
}

}  // extern "C"
