// SPDX-License-Identifier: MIT
#include "sim/posix/unserved.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "sim/posix/elf_file.h"
#include "sim/posix/objects.h"

namespace interlock::sim::posix {

namespace {

// Sorted.
constexpr std::string_view kUnserved[] = {
    "accept",
    "accept4",
    "aio_read",
    "aio_write",
    "alarm",
    "bind",
    "call_once",
    "cnd_timedwait",
    "cnd_wait",
    "creat",
    "daemon",
    "drand48",
    "dup2",
    "dup3",
    "execl",
    "execle",
    "execlp",
    "execv",
    "execve",
    "execvp",
    "execvpe",
    "fexecve",
    "fork",
    "freopen",
    "getaddrinfo_a",
    "gethostbyname",
    "gethostbyname_r",
    "inotify_init",
    "inotify_init1",
    "kill",
    "listen",
    "lrand48",
    "mkdir",
    "mkdtemp",
    "mkostemp",
    "mkostemp64",
    "mkstemp",
    "mkstemp64",
    "mq_open",
    "mrand48",
    "mtx_lock",
    "mtx_timedlock",
    "mtx_trylock",
    "popen",
    "posix_spawn",
    "posix_spawnp",
    "pthread_cancel",
    "pthread_getaffinity_np",
    "pthread_getattr_np",
    "pthread_getcpuclockid",
    "pthread_getname_np",
    "pthread_getschedparam",
    "pthread_kill",
    "pthread_setaffinity_np",
    "pthread_setschedparam",
    "raise",
    "recvmmsg",
    "remove",
    "rename",
    "sem_open",
    "semget",
    "sendfile",
    "sendmmsg",
    "setitimer",
    "shm_open",
    "shmget",
    "signalfd",
    "socketpair",
    "splice",
    "system",
    "thrd_create",
    "thrd_join",
    "thrd_sleep",
    "timer_create",
    "timespec_get",
    "tmpfile",
    "tmpfile64",
    "tss_create",
    "unlink",
    "vfork",
    "wait",
    "waitpid",
};
static_assert(std::ranges::is_sorted(kUnserved));

}  // namespace

std::vector<UnservedCalls> UnservedImports() {
  std::vector<UnservedCalls> all;
  for (const SharedObject& object : ObjectsUnderTest()) {
    UnservedCalls found{object.path.substr(object.path.rfind('/') + 1), {}};
    for (const auto& [name, about] : ElfFile(object.path).Symbols(SHT_DYNSYM)) {
      const bool imported = about.st_shndx == SHN_UNDEF;
      if (imported && std::ranges::binary_search(kUnserved, std::string_view(name))) {
        found.names.push_back(name);
      }
    }
    std::ranges::sort(found.names);
    if (!found.names.empty()) all.push_back(std::move(found));
  }
  return all;
}

}  // namespace interlock::sim::posix
