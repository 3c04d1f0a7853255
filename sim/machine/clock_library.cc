// SPDX-License-Identifier: MIT
#include "sim/machine/clock_library.h"

#include <cstddef>

// Embeds the library, so that any program that the harness is linked into has it and needs no
// separate file.
asm(".pushsection .rodata\n"
    ".global interlock_clock_library_begin\n"
    ".global interlock_clock_library_end\n"
    "interlock_clock_library_begin:\n"
    ".incbin \"" INTERLOCK_CLOCK_LIBRARY
    "\"\n"
    "interlock_clock_library_end:\n"
    ".byte 0\n"
    ".popsection\n");

extern "C" {
extern const char interlock_clock_library_begin;
extern const char interlock_clock_library_end;
}

namespace interlock::sim::machine {

std::string_view ClockLibrary() {
  const char* begin = &interlock_clock_library_begin;
  return {begin, static_cast<std::size_t>(&interlock_clock_library_end - begin)};
}

}  // namespace interlock::sim::machine
