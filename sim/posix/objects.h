// SPDX-License-Identifier: MIT
//
// The shared objects of code under test, as the dynamic linker has loaded them (elf(5)): where
// their static variables stand, what initialises them, and what is called at their end. Not the C
// and C++ libraries, an allocator, nor those that Interlock itself is linked with.
//
// A variable that the program has taken over by a copy relocation belongs to its object all the
// same. Internal to sim/posix. Thread safety: const.
#pragma once

#include <cstddef>
#include <cstdint>
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
  using AtItsEnd = void (*)();

  std::string path;
  std::string name;                ///< as others name it: "libacme.so.1"
  std::vector<std::string> needs;  ///< the names of others
  std::uintptr_t base = 0;         ///< what is added to the addresses in its file
  std::vector<Extent> statics;     ///< without what is constant once it is relocated
  std::vector<std::byte> initial;  ///< of all of them, as before `initialise`
  std::vector<Function> initialise;
  std::vector<AtItsEnd> finalise;
  std::span<const std::byte> image;  ///< from its first to its last byte
};

/// In the order in which they are to be initialised. Read once, by whoever comes first: objects
/// that are loaded later are not among them, and those that are stay loaded.
const std::vector<SharedObject>& ObjectsUnderTest();
/// The names of those with static variables that have been loaded since: all processes share them.
std::vector<std::string> ObjectsLoadedLater();
/// The paths of those whose files could not be read: all processes share their variables.
const std::vector<std::string>& UnreadObjects();

/// The environment variable that leaves objects out: the beginnings of their files' names,
/// separated by commas ("libssl,libcrypto"). All processes and runs share their variables.
inline constexpr const char* kSharedStatics = "INTERLOCK_SHARED_STATICS";
/// The paths of the objects that it leaves out.
const std::vector<std::string>& ObjectsLeftOut();
/// What it names that no loaded object is called.
const std::vector<std::string>& UnknownObjects();

}  // namespace interlock::sim::posix
