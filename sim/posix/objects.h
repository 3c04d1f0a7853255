// SPDX-License-Identifier: MIT
//
// The shared objects of code under test, as the dynamic linker has loaded them (elf(5)): where
// their static variables stand, and what initialises them. Not the C and C++ libraries, an
// allocator, nor those that Interlock itself is linked with.
//
// What is read: the program headers, DT_INIT, DT_INIT_ARRAY, DT_RELA and DT_JMPREL. An object with
// relative relocations in DT_RELR is left out. Internal to sim/posix. Thread safety: const.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace interlock::sim::posix {

struct Extent {
  std::byte* at;
  std::size_t size;
};

struct SharedObject {
  using Function = void (*)(int, char**, char**);

  std::string path;
  std::vector<Extent> statics;     ///< without what is constant once it is relocated
  std::vector<std::byte> initial;  ///< of all of them, as before `initialise`
  std::vector<Function> initialise;
  std::span<const std::byte> image;  ///< from its first to its last byte
};

/// In the order in which they are to be initialised. Read once, by whoever comes first: objects
/// that are loaded later are not among them.
const std::vector<SharedObject>& ObjectsUnderTest();

}  // namespace interlock::sim::posix
