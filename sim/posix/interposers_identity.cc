// SPDX-License-Identifier: MIT
#undef _FORTIFY_SOURCE
#include "sim/posix/interposers.h"
#include "sim/posix/serving.h"

namespace interlock::sim::posix {
const char kIdentityCalls[] = "identity";
}

#ifndef INTERLOCK_SIM_NO_INTERPOSERS

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>

using interlock::sim::posix::Identity;
using interlock::sim::posix::IsRandomFile;
using interlock::sim::posix::Library;
using interlock::sim::posix::Refuse;
using interlock::sim::posix::Served;
using interlock::sim::posix::Serving;

namespace {

// What a client is told of its machine, so that no real one shows.
constexpr int kProcessors = 2;

std::span<std::byte> BytesOf(void* out, std::size_t size) {
  return {static_cast<std::byte*>(out), size};
}

/// The library that opens a file of random bytes; null: the file is a real one, which may only be
/// read.
Library* DeviceLibrary(const char* path, bool writes) {
  Library* library = Serving();
  if (library == nullptr || IsRandomFile(path)) return library;
  if (writes && std::string_view(path) != "/dev/null") Refuse("open (a file to write to)");
  return nullptr;
}

template <typename Function>
FILE* OpenStream(const char* path, const char* mode, Function real) {
  const bool writes = strpbrk(mode, "wa+") != nullptr;
  Library* library = DeviceLibrary(path, writes);
  return library == nullptr ? real(path, mode) : library->random_streams().Open(path, *library);
}

bool IsEmpty(const void* object, std::size_t size) {
  const auto* const bytes = static_cast<const char*>(object);
  return std::all_of(bytes, bytes + size, [](char byte) { return byte == 0; });
}

template <typename Number>
Number DrawNumber(Library& library) {
  Number number = 0;
  library.identity().FillRandom(BytesOf(&number, sizeof(number)));
  return number;
}

}  // namespace

// In place of the processor's own instruction, which nothing could take, and of asking the
// processor whether it has it.
void std::random_device::_M_init(const std::string& token) {
  if (Served("std::random_device") != nullptr) {
    memset(static_cast<void*>(this), 0, sizeof(*this));  // as _M_fini leaves it alone
    return;
  }
  using Function = void (*)(std::random_device*, const std::string&);
  constexpr const char* kName =
      "_ZNSt13random_device7_M_initERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
  REAL_AS(kName, Function)(this, token);
}

std::random_device::result_type std::random_device::_M_getval() {
  if (Library* library = Serving()) return DrawNumber<result_type>(*library);
  // One that was made in a task, and has nothing to draw from yet.
  if (IsEmpty(this, sizeof(*this))) _M_init("default");
  using Function = result_type (*)(std::random_device*);
  return REAL_AS("_ZNSt13random_device9_M_getvalEv", Function)(this);
}

extern "C" {

// Random bytes.

ssize_t getrandom(void* out, size_t size, unsigned int flags) {
  Library* library = Served("getrandom");
  if (library == nullptr) return REAL(getrandom)(out, size, flags);
  library->identity().FillRandom(BytesOf(out, size));
  return static_cast<ssize_t>(size);
}

int getentropy(void* out, size_t size) {
  Library* library = Served("getentropy");
  if (library == nullptr) return REAL(getentropy)(out, size);
  library->identity().FillRandom(BytesOf(out, size));
  return 0;
}

uint32_t arc4random() noexcept {
  if (Library* library = Serving()) return DrawNumber<uint32_t>(*library);
  return REAL(arc4random)();
}

void arc4random_buf(void* out, size_t size) noexcept {
  Library* library = Serving();
  if (library == nullptr) return REAL(arc4random_buf)(out, size);
  library->identity().FillRandom(BytesOf(out, size));
}

uint32_t arc4random_uniform(uint32_t bound) noexcept {
  Library* library = Serving();
  if (library == nullptr) return REAL(arc4random_uniform)(bound);
  return bound < 2 ? 0 : static_cast<uint32_t>(DrawNumber<uint64_t>(*library) % bound);
}

int rand() noexcept {
  if (Library* library = Serving()) return static_cast<int>(library->identity().Rand());
  return REAL(rand)();
}

void srand(unsigned int seed) noexcept {
  if (Library* library = Serving()) return library->identity().SeedRand(seed);
  REAL(srand)(seed);
}

long random() noexcept {
  if (Library* library = Serving()) return library->identity().Rand();
  return REAL(random)();
}

void srandom(unsigned int seed) noexcept {
  if (Library* library = Serving()) return library->identity().SeedRand(seed);
  REAL(srandom)(seed);
}

// Files: those of random bytes are the process's own, others are the machine's.

READS_REST int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const auto mode = va_arg(rest, unsigned int);
  va_end(rest);
  const bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
  if (Library* library = DeviceLibrary(path, writes)) {
    return library->OpenRandom(path);
  }
  return REAL(openat)(folder, path, flags, mode);
}

READS_REST int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const auto mode = va_arg(rest, unsigned int);
  va_end(rest);
  return openat(AT_FDCWD, path, flags, mode);
}

READS_REST int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const auto mode = va_arg(rest, unsigned int);
  va_end(rest);
  return openat(AT_FDCWD, path, flags, mode);
}

READS_REST int openat64(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const auto mode = va_arg(rest, unsigned int);
  va_end(rest);
  return openat(folder, path, flags, mode);
}

int __open_2(const char* path, int flags) { return open(path, flags); }

int __open64_2(const char* path, int flags) { return open(path, flags); }

FILE* fopen(const char* __restrict path, const char* __restrict mode) {
  return OpenStream(path, mode, REAL(fopen));
}

FILE* fopen64(const char* __restrict path, const char* __restrict mode) {
  return OpenStream(path, mode, REAL(fopen64));
}

int fileno(FILE* stream) noexcept {
  Library* library = Serving();
  const int descriptor = library == nullptr ? -1 : library->random_streams().DescriptorOf(stream);
  return descriptor >= 0 ? descriptor : REAL(fileno)(stream);
}

int fileno_unlocked(FILE* stream) noexcept { return fileno(stream); }

// Who and where the process is.

pid_t getpid() noexcept {
  if (Library* library = Serving()) return library->identity().ProcessId();
  return REAL(getpid)();
}

pid_t gettid() noexcept {
  if (Library* library = Serving()) return library->ThreadId();
  return REAL(gettid)();
}

int gethostname(char* name, size_t size) noexcept {
  Library* library = Serving();
  if (library == nullptr) return REAL(gethostname)(name, size);
  const std::string host = library->identity().HostName();
  if (host.size() >= size) {
    errno = ENAMETOOLONG;
    return -1;
  }
  host.copy(name, host.size());
  name[host.size()] = '\0';
  return 0;
}

int uname(utsname* out) noexcept {
  const int failed = REAL(uname)(out);
  Library* library = Serving();
  if (failed != 0 || library == nullptr) return failed;
  const std::string host = library->identity().HostName();
  out->nodename[host.copy(out->nodename, sizeof(out->nodename) - 1)] = '\0';
  return 0;
}

pid_t getppid() noexcept { return Serving() != nullptr ? 1 : REAL(getppid)(); }

int sched_getcpu() noexcept { return Serving() != nullptr ? 0 : REAL(sched_getcpu)(); }

int get_nprocs() noexcept { return Serving() != nullptr ? kProcessors : REAL(get_nprocs)(); }

long sysconf(int name) noexcept {
  const bool counts = name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF;
  return counts && Serving() != nullptr ? kProcessors : REAL(sysconf)(name);
}

}  // extern "C"

#endif
