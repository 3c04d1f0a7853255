// SPDX-License-Identifier: MIT
//
// These may run before main and inside the dynamic loader; until a task runs they only forward.
#undef _FORTIFY_SOURCE  // Its inline versions would collide with the definitions here.
#include "sim/posix/interposers.h"

#include "sim/posix/serving.h"

#ifdef INTERLOCK_SIM_NO_INTERPOSERS

namespace interlock::sim::posix {
const bool kInterposed = false;
}

#else

#include <fcntl.h>
#include <netdb.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <span>
#include <string>
#include <string_view>

namespace interlock::sim::posix {

const bool kInterposed = true;

namespace {

std::string Gather(std::span<const iovec> parts) {
  std::string bytes;
  for (const iovec& part : parts) {
    bytes.append(static_cast<const char*>(part.iov_base), part.iov_len);
  }
  return bytes;
}

std::size_t SizeOf(std::span<const iovec> parts) {
  std::size_t size = 0;
  for (const iovec& part : parts) size += part.iov_len;
  return size;
}

void Scatter(std::string_view bytes, std::span<const iovec> parts) {
  for (const iovec& part : parts) {
    bytes.remove_prefix(bytes.copy(static_cast<char*>(part.iov_base), part.iov_len));
  }
}

}  // namespace

// Brings the others into each program that has these.
[[gnu::used]] static const char* const kOthers[] = {kThreadCalls,   kLifetimeCalls, kWaitingCalls,
                                                    kIdentityCalls, kRefusedCalls,  kSignalCalls};

}  // namespace interlock::sim::posix

namespace posix = interlock::sim::posix;
using posix::Library;

namespace {

ssize_t ReceiveInto(Library& library, int file, std::span<const iovec> parts, int flags) {
  std::string bytes(posix::SizeOf(parts), '\0');
  const ssize_t got = library.Receive(file, bytes.data(), bytes.size(), flags);
  if (got > 0) posix::Scatter({bytes.data(), static_cast<std::size_t>(got)}, parts);
  return got;
}

}  // namespace

extern "C" {

// Time.

int clock_gettime(clockid_t clock, timespec* out) noexcept {
  if (Library* library = posix::Served("clock_gettime")) return library->ReadClock(clock, out);
  return REAL(clock_gettime)(clock, out);
}

int gettimeofday(timeval* __restrict out, void* __restrict zone) noexcept {
  Library* library = posix::Served("gettimeofday");
  if (library == nullptr) return REAL(gettimeofday)(out, zone);
  timespec time{};
  library->ReadClock(CLOCK_REALTIME, &time);
  *out = {time.tv_sec, time.tv_nsec / 1000};
  return 0;
}

time_t time(time_t* out) noexcept {
  Library* library = posix::Served("time");
  if (library == nullptr) return REAL(time)(out);
  timespec now{};
  library->ReadClock(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}

int timespec_get(timespec* out, int base) noexcept {
  Library* library = posix::Served("timespec_get");
  if (library == nullptr) return REAL(timespec_get)(out, base);
  return base == TIME_UTC && library->ReadClock(CLOCK_REALTIME, out) == 0 ? base : 0;
}

int nanosleep(const timespec* length, timespec* left) {
  Library* library = posix::Served("nanosleep");
  if (library == nullptr) return REAL(nanosleep)(length, left);
  if (posix::IsTime(*length) && length->tv_sec >= 0) {
    return library->Sleep(posix::LengthOf(*length));
  }
  errno = EINVAL;
  return -1;
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* length, timespec* left) {
  Library* library = posix::Served("clock_nanosleep");
  if (library == nullptr) return REAL(clock_nanosleep)(clock, flags, length, left);
  if (!posix::IsTime(*length)) return EINVAL;
  const bool absolute = (flags & TIMER_ABSTIME) != 0;
  const int slept = absolute ? library->SleepUntil(clock, posix::LengthOf(*length))
                             : library->Sleep(posix::LengthOf(*length));
  return slept == 0 ? 0 : errno;
}

int usleep(useconds_t length) {
  Library* library = posix::Served("usleep");
  if (library == nullptr) return REAL(usleep)(length);
  return library->Sleep(std::chrono::microseconds(length));
}

unsigned int sleep(unsigned int length) {
  Library* library = posix::Served("sleep");
  if (library == nullptr) return REAL(sleep)(length);
  return library->Sleep(std::chrono::seconds(length)) == 0 ? 0 : length;
}

clock_t clock() noexcept {
  Library* library = posix::Served("clock");
  if (library == nullptr) return REAL(clock)();
  timespec time{};
  library->ReadClock(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * CLOCKS_PER_SEC + time.tv_nsec / (1'000'000'000 / CLOCKS_PER_SEC);
}

// Descriptors.

int socket(int domain, int type, int protocol) noexcept {
  if (Library* library = posix::Serving()) {
    return library->OpenSocket(domain, type, protocol);
  }
  return REAL(socket)(domain, type, protocol);
}

int eventfd(unsigned int count, int flags) noexcept {
  if (Library* library = posix::Serving()) return library->OpenEvent(count, flags);
  return REAL(eventfd)(count, flags);
}

int pipe2(int files[2], int flags) noexcept {
  if (Library* library = posix::Serving()) return library->OpenPipe(files, flags);
  return REAL(pipe2)(files, flags);
}

// Under the sanitizers it is not served: they look with it whether memory may be read.
int pipe(int files[2]) noexcept {
  Library* library = posix::kWithAsan ? nullptr : posix::Serving();
  if (library != nullptr) return library->OpenPipe(files, 0);
  return REAL(pipe)(files);
}

int close(int file) {
  if (Library* library = posix::ServedOn(file)) return library->Close(file);
  return REAL(close)(file);
}

int connect(int file, const sockaddr* address, socklen_t size) {
  Library* library = posix::Served("connect");
  if (library == nullptr) return REAL(connect)(file, address, size);
  return library->Connect(file, address, size);
}

ssize_t recv(int file, void* bytes, size_t size, int flags) {
  Library* library = posix::Served("recv");
  if (library == nullptr) return REAL(recv)(file, bytes, size, flags);
  return library->Receive(file, bytes, size, flags);
}

ssize_t recvfrom(int file, void* __restrict bytes, size_t size, int flags,
                 sockaddr* __restrict from, socklen_t* __restrict from_size) {
  if (posix::ServedOn(file) != nullptr && from == nullptr) return recv(file, bytes, size, flags);
  posix::RefuseOn(file, "recvfrom");
  return REAL(recvfrom)(file, bytes, size, flags, from, from_size);
}

ssize_t sendto(int file, const void* bytes, size_t size, int flags, const sockaddr* to,
               socklen_t to_size) {
  if (posix::ServedOn(file) != nullptr && to == nullptr) return send(file, bytes, size, flags);
  posix::RefuseOn(file, "sendto");
  return REAL(sendto)(file, bytes, size, flags, to, to_size);
}

ssize_t read(int file, void* bytes, size_t size) {
  if (Library* library = posix::ServedOn(file)) return library->Receive(file, bytes, size, 0);
  return REAL(read)(file, bytes, size);
}

ssize_t send(int file, const void* bytes, size_t size, int flags) {
  Library* library = posix::Served("send");
  if (library == nullptr) return REAL(send)(file, bytes, size, flags);
  return library->Send(file, bytes, size, flags);
}

ssize_t write(int file, const void* bytes, size_t size) {
  if (Library* library = posix::ServedOn(file)) return library->Send(file, bytes, size, 0);
  return REAL(write)(file, bytes, size);
}

ssize_t writev(int file, const iovec* parts, int count) {
  Library* library = posix::ServedOn(file);
  if (library == nullptr) return REAL(writev)(file, parts, count);
  const std::string bytes = posix::Gather({parts, static_cast<std::size_t>(count)});
  return library->Send(file, bytes.data(), bytes.size(), 0);
}

ssize_t sendmsg(int file, const msghdr* message, int flags) {
  Library* library = posix::ServedOn(file);
  if (library == nullptr) return REAL(sendmsg)(file, message, flags);
  const std::string bytes = posix::Gather({message->msg_iov, message->msg_iovlen});
  return library->Send(file, bytes.data(), bytes.size(), flags);
}

ssize_t readv(int file, const iovec* parts, int count) {
  Library* library = posix::ServedOn(file);
  if (library == nullptr) return REAL(readv)(file, parts, count);
  return ReceiveInto(*library, file, {parts, static_cast<std::size_t>(count)}, 0);
}

ssize_t recvmsg(int file, msghdr* message, int flags) {
  Library* library = posix::ServedOn(file);
  if (library == nullptr) return REAL(recvmsg)(file, message, flags);
  message->msg_namelen = 0;
  message->msg_controllen = 0;
  message->msg_flags = 0;
  return ReceiveInto(*library, file, {message->msg_iov, message->msg_iovlen}, flags);
}

int getpeername(int file, sockaddr* __restrict address, socklen_t* __restrict size) noexcept {
  Library* library = posix::ServedOn(file);
  if (library == nullptr) return REAL(getpeername)(file, address, size);
  return library->NameOfPeer(file, address, size);
}

int getsockname(int file, sockaddr* __restrict address, socklen_t* __restrict size) noexcept {
  Library* library = posix::ServedOn(file);
  if (library == nullptr) return REAL(getsockname)(file, address, size);
  return library->NameOfOwn(file, address, size);
}

int shutdown(int file, int how) noexcept {
  if (Library* library = posix::ServedOn(file)) return library->Shutdown(file, how);
  return REAL(shutdown)(file, how);
}

READS_REST int fcntl(int file, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  Library* library = posix::ServedOn(file);
  if (library == nullptr) return REAL(fcntl)(file, command, argument);
  const auto flags = static_cast<int>(reinterpret_cast<std::intptr_t>(argument));
  if (command == F_GETFL) return library->Flags(file);
  if (command == F_SETFL) return library->SetFlags(file, flags);
  if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) return library->Duplicate(file);
  // Nothing is executed, so FD_CLOEXEC says nothing.
  if (command != F_GETFD && command != F_SETFD) interlock::sim::CheckEscape("fcntl");
  return library->Flags(file) < 0 ? -1 : 0;
}

int dup(int file) noexcept {
  if (Library* library = posix::ServedOn(file)) return library->Duplicate(file);
  return REAL(dup)(file);
}

READS_REST int ioctl(int file, unsigned long request, ...) noexcept {
  va_list rest;
  va_start(rest, request);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  Library* library = posix::ServedOn(file);
  if (library == nullptr) return REAL(ioctl)(file, request, argument);
  if (request == FIONREAD) return library->CountUnread(file, static_cast<int*>(argument));
  if (request != FIONBIO) interlock::sim::CheckEscape("ioctl");
  return library->SetFlags(file, *static_cast<const int*>(argument) != 0 ? O_NONBLOCK : 0);
}

// The name for programs whose file offsets have 64 bits.
READS_REST int fcntl64(int file, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  return fcntl(file, command, argument);
}

int getsockopt(int file, int level, int name, void* __restrict value,
               socklen_t* __restrict size) noexcept {
  if (Library* library = posix::ServedOn(file)) {
    return library->GetOption(file, level, name, value, size);
  }
  return REAL(getsockopt)(file, level, name, value, size);
}

int setsockopt(int file, int level, int name, const void* value, socklen_t size) noexcept {
  if (Library* library = posix::ServedOn(file)) {
    return library->SetOption(file, level, name, value, size);
  }
  return REAL(setsockopt)(file, level, name, value, size);
}

int getaddrinfo(const char* __restrict name, const char* __restrict service,
                const addrinfo* __restrict hints, addrinfo** __restrict found) {
  Library* library = posix::Served("getaddrinfo");
  if (library == nullptr) return REAL(getaddrinfo)(name, service, hints, found);
  return library->LookUp(name, service, hints, found);
}

}  // extern "C"

// The first call of each asks the dynamic loader, which a signal handler must not do.
[[gnu::constructor]] static void CallOnce() {
  static_cast<void>(write(-1, nullptr, 0));
  static_cast<void>(read(-1, nullptr, 0));
  static_cast<void>(fcntl(-1, F_GETFD));
  static_cast<void>(close(-1));
}

#endif
