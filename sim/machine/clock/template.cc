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
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/machine/clock/interpreters.h"
#include "sim/machine/clock/sleeper.h"
#include "sim/machine/clock/template.h"
#include "sim/machine/clock/template_words.h"

namespace interlock::sim::machine {
namespace {

int control = -1;  // -1: this is no template
int port_count = 0;
std::uint16_t template_ports[kMostTemplatePorts];
std::uint16_t copy_ports[kMostTemplatePorts];
bool is_copy = false;

/// Which of the client's servers that is; -1: none of them.
int ServerAt(const sockaddr* address, socklen_t size) {
  if (address->sa_family != AF_INET || size < sizeof(sockaddr_in)) return -1;
  const auto* internet = reinterpret_cast<const sockaddr_in*>(address);
  for (int i = 0; i < port_count; ++i) {
    if (ntohs(internet->sin_port) == template_ports[i]) return i;
  }
  return -1;
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

void Report(TemplateNews news, std::int32_t number) {
  const TemplateReport report{news, number};
  Ask(SYS_sendto, control, Word(&report), sizeof report, MSG_NOSIGNAL);
}

struct CopyFiles {
  int page;
  int output;
};

/// Ends the process with its driver.
CopyRequest AwaitRequest(CopyFiles& files) {
  CopyRequest request;
  iovec part{&request, sizeof request};
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
  const cmsghdr* with = got == sizeof request ? CMSG_FIRSTHDR(&message) : nullptr;
  if (with == nullptr) _exit(1);
  memcpy(&files, CMSG_DATA(with), sizeof files);
  return request;
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
    setsockopt(made, one.level, one.option, value, length);
  }
  fcntl(made, F_SETFL, fcntl(socket_file, F_GETFL));
  const int flags = fcntl(socket_file, F_GETFD) == FD_CLOEXEC ? O_CLOEXEC : 0;
  const bool done = Ask(SYS_dup3, made, socket_file, flags) >= 0;
  Ask(SYS_close, made);
  return done;
}

/// In the copy. Nothing of the template's may be left that two processes would share.
void Settle(int socket_file, const CopyRequest& request, const CopyFiles& files, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);
  if (Ask(SYS_getppid) != parent) _exit(1);
  Ask(SYS_close, control);
  control = -1;
  is_copy = true;
  memcpy(copy_ports, request.ports.data(), sizeof copy_ports);
  if (!TakePage(files.page) || !Replace(socket_file)) _exit(1);
  Ask(SYS_dup3, files.output, STDOUT_FILENO, 0);
  Ask(SYS_dup3, files.output, STDERR_FILENO, 0);
  Ask(SYS_close, files.page);
  Ask(SYS_close, files.output);
}

/// Returns in the copies only.
void ServeCopies(int socket_file) {
  Report(HasFamily() ? TemplateNews::kFamily : TemplateNews::kReached, ThreadsOfThis());
  sigset_t children;
  sigset_t before;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);  // The program shall not see children that it does not know.
  sigprocmask(SIG_BLOCK, &children, &before);
  const auto parent = static_cast<pid_t>(Ask(SYS_getpid));
  for (;;) {
    CopyFiles files{};
    const CopyRequest request = AwaitRequest(files);
    const pid_t copy = ForkInterpreter();
    if (copy == 0) {
      Settle(socket_file, request, files, parent);
      sigprocmask(SIG_SETMASK, &before, nullptr);
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
  while (*rest != '\0' && port_count < kMostTemplatePorts) {
    template_ports[port_count++] = static_cast<std::uint16_t>(strtol(rest, &rest, 10));
  }
}

bool IsTemplate() { return control >= 0; }
bool IsCopy() { return is_copy; }

}  // namespace interlock::sim::machine

namespace drive = interlock::sim::machine;

extern "C" {

int connect(int socket_file, const sockaddr* address, socklen_t size) {
  const int server = drive::port_count > 0 ? drive::ServerAt(address, size) : -1;
  if (server >= 0 && drive::IsTemplate()) drive::ServeCopies(socket_file);
  if (server < 0 || !drive::IsCopy()) {
    return static_cast<int>(drive::Ask(SYS_connect, socket_file, drive::Word(address), size));
  }
  sockaddr_in own = *reinterpret_cast<const sockaddr_in*>(address);
  own.sin_port = htons(drive::copy_ports[server]);
  return static_cast<int>(drive::Ask(SYS_connect, socket_file, drive::Word(&own), sizeof own));
}

}  // extern "C"
