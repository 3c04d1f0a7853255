// SPDX-License-Identifier: MIT
#include "sim/posix/objects.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "sim/posix/elf_file.h"

namespace interlock::sim::posix {

namespace {

using Program = std::span<const ElfW(Phdr)>;

#if defined(__x86_64__)
constexpr auto kRelative = R_X86_64_RELATIVE;
#elif defined(__aarch64__)
constexpr auto kRelative = R_AARCH64_RELATIVE;
#else
#error "the relative relocation of this machine is to be named here"
#endif

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

struct Range {
  std::uintptr_t from = 0;
  std::uintptr_t to = 0;
};

/// What the dynamic section says.
struct Dynamic {
  std::span<const ElfW(Rela)> relocations;
  std::span<const ElfW(Rela)> calls;
  ElfW(Addr) call_table = 0;  // its first words are the linker's own
  ElfW(Addr) init = 0;
  std::span<const ElfW(Addr)> init_array;
  bool packed = false;
};

class Reader {
 public:
  explicit Reader(const dl_phdr_info& module)
      : base_(module.dlpi_addr), program_(module.dlpi_phdr, module.dlpi_phnum) {}

  std::optional<SharedObject> Read(const char* path) {
    ReadDynamic();
    if (dynamic_.packed) return std::nullopt;
    SharedObject object;
    object.path = path;
    std::ifstream file(object.path, std::ios::binary);
    for (const ElfW(Phdr) & segment : program_) {
      if (segment.p_type == PT_LOAD) Cover(segment);
      if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) continue;
      for (const Range& part : Changeable(segment)) AddPart(file, segment, part, object);
    }
    if (!file.good()) return std::nullopt;
    Relocate(object);
    object.image = {reinterpret_cast<const std::byte*>(whole_.from), whole_.to - whole_.from};
    if (dynamic_.init != 0) AddFunction(base_ + dynamic_.init, object);
    for (const ElfW(Addr) function : dynamic_.init_array) AddFunction(function, object);
    return object;
  }

 private:
  /// The linker has moved some of these addresses, and not others.
  ElfW(Addr) Moved(ElfW(Addr) address) const {
    return address >= base_ ? address : base_ + address;
  }

  template <typename Entry>
  std::span<const Entry> Table(ElfW(Addr) address, std::size_t bytes) const {
    return {reinterpret_cast<const Entry*>(Moved(address)), bytes / sizeof(Entry)};
  }

  void ReadDynamic() {
    const auto dynamic = std::ranges::find(program_, PT_DYNAMIC, &ElfW(Phdr)::p_type);
    if (dynamic == program_.end()) return;
    std::array<ElfW(Addr), DT_RELRENT + 1> values{};
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(base_ + dynamic->p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag > 0 && entry->d_tag < static_cast<ElfW(Sxword)>(values.size())) {
        values[static_cast<std::size_t>(entry->d_tag)] = entry->d_un.d_ptr;
      }
    }
    dynamic_.relocations = Table<ElfW(Rela)>(values[DT_RELA], values[DT_RELASZ]);
    dynamic_.calls = Table<ElfW(Rela)>(values[DT_JMPREL], values[DT_PLTRELSZ]);
    dynamic_.init = values[DT_INIT];
    dynamic_.init_array = Table<ElfW(Addr)>(values[DT_INIT_ARRAY], values[DT_INIT_ARRAYSZ]);
    dynamic_.packed = values[DT_RELR] != 0;
    if (values[DT_PLTGOT] != 0) dynamic_.call_table = Moved(values[DT_PLTGOT]);
  }

  void Cover(const ElfW(Phdr) & segment) {
    const std::uintptr_t from = base_ + segment.p_vaddr;
    if (whole_.to == 0) whole_.from = from;
    whole_.from = std::min(whole_.from, from);
    whole_.to = std::max(whole_.to, from + segment.p_memsz);
  }

  /// Without what the linker makes constant, and without the addresses of functions of other
  /// objects, which it fills in at the first call of each.
  std::vector<Range> Changeable(const ElfW(Phdr) & segment) const {
    std::vector<Range> constant;
    for (const ElfW(Phdr) & other : program_) {
      if (other.p_type != PT_GNU_RELRO) continue;
      // To the end of its last page, as the linker has it.
      constexpr std::uintptr_t kPage = 4096;
      const std::uintptr_t end = base_ + other.p_vaddr + other.p_memsz;
      constant.push_back({base_ + other.p_vaddr, end / kPage * kPage});
    }
    if (!dynamic_.calls.empty()) {
      const ElfW(Rela) last = std::ranges::max(dynamic_.calls, {}, &ElfW(Rela)::r_offset);
      constant.push_back({dynamic_.call_table, base_ + last.r_offset + sizeof(ElfW(Addr))});
    }
    std::ranges::sort(constant, {}, &Range::from);
    std::vector<Range> parts;
    Range rest{base_ + segment.p_vaddr, base_ + segment.p_vaddr + segment.p_memsz};
    for (const Range& one : constant) {
      if (one.to <= rest.from || one.from >= rest.to) continue;
      if (one.from > rest.from) parts.push_back({rest.from, one.from});
      rest.from = std::max(rest.from, one.to);
    }
    if (rest.from < rest.to) parts.push_back(rest);
    return parts;
  }

  /// With its bytes in the file; behind these are zeros.
  void AddPart(std::ifstream& file, const ElfW(Phdr) & segment, const Range& part,
               SharedObject& object) const {
    const std::size_t size = part.to - part.from;
    const std::size_t at = object.initial.size();
    object.statics.push_back({reinterpret_cast<std::byte*>(part.from), size});
    object.initial.resize(at + size);
    const std::size_t begin = part.from - base_ - segment.p_vaddr;
    if (begin >= segment.p_filesz) return;
    const std::size_t there = std::min<std::size_t>(size, segment.p_filesz - begin);
    file.seekg(static_cast<std::streamoff>(segment.p_offset + begin));
    file.read(reinterpret_cast<char*>(object.initial.data() + at),
              static_cast<std::streamsize>(there));
  }

  /// What was looked up by name is as it is now: nobody changes a variable that refers to another
  /// object while that is loaded, but for initialisation.
  void Relocate(SharedObject& object) const {
    for (const ElfW(Rela) & one : dynamic_.relocations) {
      std::byte* const from = reinterpret_cast<std::byte*>(base_ + one.r_offset);
      std::size_t at = 0;
      for (const Extent& part : object.statics) {
        if (from >= part.at && from + sizeof(ElfW(Addr)) <= part.at + part.size) {
          const ElfW(Addr) moved = base_ + static_cast<ElfW(Addr)>(one.r_addend);
          const bool relative = ELF64_R_TYPE(one.r_info) == kRelative;
          std::memcpy(object.initial.data() + at + (from - part.at),
                      relative ? static_cast<const void*>(&moved) : from, sizeof(moved));
        }
        at += part.size;
      }
    }
  }

  static void AddFunction(ElfW(Addr) address, SharedObject& object) {
    constexpr auto kNone = static_cast<ElfW(Addr)>(-1);
    if (address != 0 && address != kNone) {
      object.initialise.push_back(reinterpret_cast<SharedObject::Function>(address));
    }
  }

  const ElfW(Addr) base_;
  const Program program_;
  Dynamic dynamic_;
  Range whole_;
};

/// Whether the heap is its: that of all processes and of the simulator.
bool IsAllocator(const char* path) {
  return std::ranges::any_of(ElfFile(path).Symbols(SHT_DYNSYM), [](const ElfFile::Symbol& symbol) {
    return symbol.name == "malloc" && symbol.about.st_shndx != SHN_UNDEF;
  });
}

int AddModule(dl_phdr_info* module, std::size_t /*size*/, void* to) {
  if (IsOfTheProgram(module->dlpi_name) || IsAllocator(module->dlpi_name)) return 0;
  auto object = Reader(*module).Read(module->dlpi_name);
  if (object.has_value() && !object->statics.empty()) {
    static_cast<std::vector<SharedObject>*>(to)->push_back(*std::move(object));
  }
  return 0;
}

std::vector<SharedObject> ReadAll() {
  std::vector<SharedObject> objects;
  dl_iterate_phdr(&AddModule, &objects);
  // The linker has loaded what an object needs behind the object.
  std::ranges::reverse(objects);
  return objects;
}

}  // namespace

const std::vector<SharedObject>& ObjectsUnderTest() {
  static const std::vector<SharedObject> objects = ReadAll();
  return objects;
}

}  // namespace interlock::sim::posix
