// SPDX-License-Identifier: MIT
#include "sim/posix/objects.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "sim/posix/elf_file.h"
#include "sim/posix/object_reader.h"
#include "sim/posix/sanitizers.h"

namespace interlock::sim::posix {

namespace {

// The C and C++ libraries, whose state the whole program needs; those that Interlock is linked
// with; and test frameworks, which are told of failures inside of tasks.
constexpr std::array kOfTheProgram = {
    "libc.so",  "libm.so",       "libstdc++",        "libgcc_s",    "libpthread",
    "libdl.so", "librt.so",      "ld-linux",         "linux-vdso",  "libhiredis",
    "liblua",   "libfmt",        "libboost_context", "libasan",     "libubsan",
    "libtsan",  "libcjson",      "libtomlplusplus",  "libprotobuf", "libgtest",
    "libgmock", "librapidcheck", "libbenchmark",     "libunwind",   "libresolv",
};

bool IsOfTheProgram(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.empty() || std::ranges::any_of(kOfTheProgram, [name](std::string_view one) {
           return name.starts_with(one);
         });
}

/// Whether the heap is its: that of all processes and of the simulator.
bool IsAllocator(const std::string& path) {
  return std::ranges::any_of(ElfFile(path).Symbols(SHT_DYNSYM), [](const ElfFile::Symbol& symbol) {
    return symbol.name == "malloc" && symbol.about.st_shndx != SHN_UNDEF;
  });
}

struct Named {
  std::string begin;
  bool known = false;  // an object is called so
};

std::vector<Named> NamedByTheUser() {
  std::vector<Named> all;
  const char* const told = std::getenv(kSharedStatics);
  std::string_view rest = told != nullptr ? told : "";
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    if (!one.empty()) all.push_back({std::string(one)});
  }
  return all;
}

struct Objects {
  std::vector<SharedObject> read;
  std::vector<std::string> unread;
  std::vector<std::string> left_out;
  std::vector<std::string> unknown;
  unsigned long long loads = 0;  // that there have been until then
  std::vector<Named> named = NamedByTheUser();

  bool LeavesOut(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    const auto one = std::ranges::find_if(
        named, [name](const Named& begin) { return name.starts_with(begin.begin); });
    if (one == named.end()) return false;
    one->known = true;
    left_out.emplace_back(path);
    return true;
  }
};

int AddModule(dl_phdr_info* module, std::size_t /*size*/, void* to) {
  auto& all = *static_cast<Objects*>(to);
  all.loads = module->dlpi_adds;
  const std::string path = module->dlpi_name;
  if (IsOfTheProgram(path) || IsAllocator(path) || all.LeavesOut(path)) return 0;
  auto object = ReadObject(*module);
  if (!object.has_value()) {
    all.unread.push_back(path);
  } else if (!object->statics.empty()) {
    all.read.push_back(*std::move(object));
  }
  return 0;
}

/// Variables of the object that the program refers to stand in the program.
void AddCopies(SharedObject& object) {
  ElfFile program("/proc/self/exe");
  const auto names = program.Symbols(SHT_DYNSYM);
  const auto own = ElfFile(object.path).Symbols(SHT_DYNSYM);
  for (const ElfW(Rela) & one : program.Relocations()) {
    const std::size_t index = ELF64_R_SYM(one.r_info);
    if (ELF64_R_TYPE(one.r_info) != kCopy || index >= names.size()) continue;
    const auto defined = std::ranges::find_if(own, [&](const ElfFile::Symbol& symbol) {
      return symbol.about.st_shndx != SHN_UNDEF && symbol.name == names[index].name;
    });
    if (defined == own.end()) continue;
    // What does not change, such as the table of a class's functions, is constant in the program,
    // too.
    const std::byte* const initial = InitialOf(object, object.base + defined->about.st_value);
    if (initial == nullptr) continue;
    const std::size_t size = defined->about.st_size;
    const std::vector<std::byte> bytes(initial, initial + size);
    object.initial.insert(object.initial.end(), bytes.begin(), bytes.end());
    object.statics.push_back({reinterpret_cast<std::byte*>(ProgramBase() + one.r_offset), size});
  }
}

/// Where the sanitizer is told of the object's variables, which stay where they are: by the names
/// that clang 14 and g++ 12 give the functions.
void LeaveOutSanitizer(SharedObject& object) {
  for (const auto& [name, about] : ElfFile(object.path).Symbols(SHT_SYMTAB)) {
    const std::uintptr_t at = object.base + about.st_value;
    if (name == "asan.module_ctor" || name == "_sub_I_00099_0") {
      std::erase(object.initialise, reinterpret_cast<SharedObject::Function>(at));
    } else if (name == "asan.module_dtor" || name == "_sub_D_00099_0") {
      std::erase(object.finalise, reinterpret_cast<SharedObject::AtItsEnd>(at));
    }
  }
}

/// Behind all that it needs, as the linker initialises them.
void AddInOrder(const std::vector<SharedObject>& all, const SharedObject& object,
                std::vector<const SharedObject*>& visited, std::vector<SharedObject>& ordered) {
  if (std::ranges::find(visited, &object) != visited.end()) return;
  visited.push_back(&object);
  for (const std::string& name : object.needs) {
    const auto needed = std::ranges::find(all, name, &SharedObject::name);
    if (needed != all.end()) AddInOrder(all, *needed, visited, ordered);
  }
  ordered.push_back(object);
}

Objects ReadAll() {
  Objects all;
  dl_iterate_phdr(&AddModule, &all);
  for (const Named& one : all.named) {
    if (!one.known) all.unknown.push_back(one.begin);
  }
  std::vector<const SharedObject*> visited;
  std::vector<SharedObject> ordered;
  for (SharedObject& object : all.read) {
    AddCopies(object);
    if (kWithAsan) LeaveOutSanitizer(object);
    // It stays loaded, whoever closes it.
    dlopen(object.path.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  }
  for (const SharedObject& object : all.read) AddInOrder(all.read, object, visited, ordered);
  all.read = std::move(ordered);
  return all;
}

const Objects& TheObjects() {
  static const Objects objects = ReadAll();
  return objects;
}

unsigned long long LoadsUntilNow() {
  unsigned long long loads = 0;
  const auto look = [](dl_phdr_info* module, std::size_t /*size*/, void* to) {
    *static_cast<unsigned long long*>(to) = module->dlpi_adds;
    return 1;
  };
  dl_iterate_phdr(look, &loads);
  return loads;
}

}  // namespace

const std::vector<SharedObject>& ObjectsUnderTest() { return TheObjects().read; }

std::vector<std::string> ObjectsLoadedLater() {
  const Objects& first = TheObjects();
  if (LoadsUntilNow() == first.loads) return {};
  Objects now;
  dl_iterate_phdr(&AddModule, &now);
  std::vector<std::string> names;
  for (const SharedObject& one : now.read) {
    const bool there =
        std::ranges::find(first.read, one.path, &SharedObject::path) != first.read.end();
    if (!there) names.push_back(one.name);
  }
  return names;
}

const std::vector<std::string>& UnreadObjects() { return TheObjects().unread; }

const std::vector<std::string>& ObjectsLeftOut() { return TheObjects().left_out; }

const std::vector<std::string>& UnknownObjects() { return TheObjects().unknown; }

}  // namespace interlock::sim::posix
