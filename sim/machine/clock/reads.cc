// SPDX-License-Identifier: MIT
//
// Replaces the C library's functions that read from a file and may wait for it, so that the wait is
// published. The reading itself is done by the originals.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>

#include "sim/machine/clock/blocking.h"
#include "sim/machine/clock/sleeper.h"

namespace interlock::sim::machine {
namespace {

/// With these a call still returns when there is something to read, and not before.
constexpr int kUsualFlags = MSG_NOSIGNAL | MSG_TRUNC | MSG_CMSG_CLOEXEC | MSG_WAITALL;

/// A call that reads from `file`, and blocks unless `flags` say otherwise.
class Reading {
 public:
  explicit Reading(int file, bool any = true, int flags = 0)
      : blocking_(any && (flags & ~kUsualFlags) == 0) {
    if (!blocking_.publishes()) return;
    const int before = errno;
    pollfd one{file, POLLIN, 0};
    constexpr timespec kAtOnce{0, 0};
    timespec at_once = kAtOnce;
    const bool nothing = Ask(SYS_ppoll, Word(&one), 1, Word(&at_once)) == 0;
    if (nothing && (Ask(SYS_fcntl, file, F_GETFL) & O_NONBLOCK) == 0) blocking_.Waits();
    errno = before;
  }

 private:
  const Blocking blocking_;
};

/// A function that is replaced here. It is looked up early, because a forked child of a program
/// with several threads, or a signal handler, must not.
template <typename Function>
class Original {
 public:
  constexpr explicit Original(const char* name) : name_(name) {}
  Function Find() {
    if (found_ == nullptr) found_ = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name_));
    return found_;
  }

 private:
  const char* name_;
  std::atomic<Function> found_ = nullptr;
};

Original<ssize_t (*)(int, void*, size_t)> original_read("read");
Original<ssize_t (*)(int, const iovec*, int)> original_readv("readv");
Original<ssize_t (*)(int, void*, size_t, int)> original_recv("recv");
Original<ssize_t (*)(int, void*, size_t, int, sockaddr*, socklen_t*)> original_recvfrom("recvfrom");
Original<ssize_t (*)(int, msghdr*, int)> original_recvmsg("recvmsg");
Original<ssize_t (*)(int, void*, size_t, size_t)> original_read_chk("__read_chk");
Original<ssize_t (*)(int, void*, size_t, size_t, int)> original_recv_chk("__recv_chk");

__attribute__((constructor)) void FindAll() {
  original_read.Find();
  original_readv.Find();
  original_recv.Find();
  original_recvfrom.Find();
  original_recvmsg.Find();
  original_read_chk.Find();
  original_recv_chk.Find();
}

}  // namespace
}  // namespace interlock::sim::machine

namespace drive = interlock::sim::machine;

extern "C" {

ssize_t read(int file, void* bytes, size_t count) {
  const drive::Reading reading(file, count > 0);
  return drive::original_read.Find()(file, bytes, count);
}

ssize_t readv(int file, const iovec* parts, int count) {
  const drive::Reading reading(file, count > 0);
  return drive::original_readv.Find()(file, parts, count);
}

ssize_t recv(int file, void* bytes, size_t count, int flags) {
  const drive::Reading reading(file, count > 0, flags);
  return drive::original_recv.Find()(file, bytes, count, flags);
}

ssize_t recvfrom(int file, void* bytes, size_t count, int flags, sockaddr* from, socklen_t* size) {
  const drive::Reading reading(file, count > 0, flags);
  return drive::original_recvfrom.Find()(file, bytes, count, flags, from, size);
}

ssize_t recvmsg(int file, msghdr* message, int flags) {
  const drive::Reading reading(file, true, flags);
  return drive::original_recvmsg.Find()(file, message, flags);
}

// Programs that are compiled with checks of the sizes of buffers (_FORTIFY_SOURCE) call these.

ssize_t __read_chk(int file, void* bytes, size_t count, size_t room) {
  const drive::Reading reading(file, count > 0);
  return drive::original_read_chk.Find()(file, bytes, count, room);
}

ssize_t __recv_chk(int file, void* bytes, size_t count, size_t room, int flags) {
  const drive::Reading reading(file, count > 0, flags);
  return drive::original_recv_chk.Find()(file, bytes, count, room, flags);
}

}  // extern "C"
