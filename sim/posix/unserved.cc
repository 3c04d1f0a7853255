// SPDX-License-Identifier: MIT
#include "sim/posix/unserved.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "sim/posix/elf_file.h"
#include "sim/posix/objects.h"
#include "sim/posix/refused_calls.h"

namespace interlock::sim::posix {

namespace {

#define NAME_OF(result, name, parameters, arguments, exceptions) #name,

constexpr auto kUnserved = [] {
  std::array names = std::to_array<std::string_view>(
      {INTERLOCK_REFUSED_CALLS(NAME_OF) INTERLOCK_REFUSED_ON_DESCRIPTORS(NAME_OF) "execl", "execle",
       "execlp", "mq_open", "pthread_getattr_np", "raise", "sem_open", "thrd_exit", "tss_get",
       "vfork"});
  std::ranges::sort(names);
  return names;
}();

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
