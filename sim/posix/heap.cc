// SPDX-License-Identifier: MIT
#include "sim/posix/heap.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstdlib>

namespace interlock::sim::posix {
namespace {

struct Code {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

template <typename Function>
const void* ModuleOf(Function* function) {
  Dl_info about{};
  const bool found = dladdr(reinterpret_cast<void*>(function), &about) != 0;
  return found ? about.dli_fbase : nullptr;
}

int AddCode(dl_phdr_info* module, std::size_t /*size*/, void* to) {
  if (reinterpret_cast<const void*>(module->dlpi_addr) != HeapsModule()) return 0;
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = module->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = module->dlpi_addr + part.p_vaddr;
    *static_cast<Code*>(to) = {begin, begin + part.p_memsz};
  }
  return 1;
}

Code FindCode() {
  const void* const own = ModuleOf(&HeapsModule);
  const void* const c_library = ModuleOf(&std::qsort);
  Code code;
  if (HeapsModule() == own || HeapsModule() == c_library) return code;
  dl_iterate_phdr(AddCode, &code);
  return code;
}

// Found before main, because whoever asks may be inside malloc; until then nothing is served.
const Code heaps_code = FindCode();

}  // namespace

const void* HeapsModule() {
  static const void* const base = ModuleOf(&std::malloc);
  return base;
}

bool IsOfTheHeap(const void* code) {
  const auto at = reinterpret_cast<std::uintptr_t>(code);
  return at >= heaps_code.begin && at < heaps_code.end;
}

}  // namespace interlock::sim::posix
