// SPDX-License-Identifier: MIT
//
// One shared object as the dynamic linker has loaded it (elf(5), dl_iterate_phdr(3)). Internal to
// sim/posix. Thread safety: none.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sim/posix/objects.h"

namespace interlock::sim::posix {

/// Nothing if its file cannot be read.
std::optional<SharedObject> ReadObject(const dl_phdr_info& module);

/// Where the initial bytes of a word of its variables are kept; null: it is none.
std::byte* InitialOf(SharedObject& object, std::uintptr_t where);

}  // namespace interlock::sim::posix
