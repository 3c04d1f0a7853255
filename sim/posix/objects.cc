// SPDX-License-Identifier: MIT
#include "sim/posix/objects.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sim/posix/bytes.h"
#include "sim/posix/elf_file.h"

namespace interlock::sim::posix {

namespace {

using Program = std::span<const ElfW(Phdr)>;

#if defined(__x86_64__)
constexpr auto kRelative = R_X86_64_RELATIVE;
constexpr auto kCopy = R_X86_64_COPY;
#elif defined(__aarch64__)
constexpr auto kRelative = R_AARCH64_RELATIVE;
constexpr auto kCopy = R_AARCH64_COPY;
#else
#error "the relocations of this machine are to be named here"
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

/// Where the initial bytes of a word of its variables are kept; null: it is none.
std::byte* InitialOf(SharedObject& object, std::uintptr_t where) {
  std::size_t at = 0;
  for (const Extent& part : object.statics) {
    const auto from = reinterpret_cast<std::uintptr_t>(part.at);
    if (where >= from && where + sizeof(ElfW(Addr)) <= from + part.size) {
      return object.initial.data() + at + (where - from);
    }
    at += part.size;
  }
  return nullptr;
}

/// What the dynamic section says.
struct Dynamic {
  std::span<const ElfW(Rela)> relocations;
  std::span<const ElfW(Rela)> calls;
  ElfW(Addr) call_table = 0;  // its first words are the linker's own
  ElfW(Addr) init = 0;
  std::span<const ElfW(Addr)> init_array;
  std::span<const ElfW(Relr)> packed;
  const char* strings = nullptr;
  std::size_t name = 0;
  std::vector<std::size_t> needs;  // places in the strings
};

class Reader {
 public:
  explicit Reader(const dl_phdr_info& module)
      : base_(module.dlpi_addr), program_(module.dlpi_phdr, module.dlpi_phnum) {}

  std::optional<SharedObject> Read(const char* path) {
    ReadDynamic();
    SharedObject object;
    object.path = path;
    object.base = base_;
    NameIt(object);
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
      if (entry->d_tag == DT_NEEDED) dynamic_.needs.push_back(entry->d_un.d_val);
      if (entry->d_tag > 0 && entry->d_tag < static_cast<ElfW(Sxword)>(values.size())) {
        values[static_cast<std::size_t>(entry->d_tag)] = entry->d_un.d_ptr;
      }
    }
    dynamic_.relocations = Table<ElfW(Rela)>(values[DT_RELA], values[DT_RELASZ]);
    dynamic_.calls = Table<ElfW(Rela)>(values[DT_JMPREL], values[DT_PLTRELSZ]);
    dynamic_.init = values[DT_INIT];
    dynamic_.init_array = Table<ElfW(Addr)>(values[DT_INIT_ARRAY], values[DT_INIT_ARRAYSZ]);
    dynamic_.packed = Table<ElfW(Relr)>(values[DT_RELR], values[DT_RELRSZ]);
    dynamic_.strings = reinterpret_cast<const char*>(Moved(values[DT_STRTAB]));
    dynamic_.name = values[DT_SONAME];
    if (values[DT_PLTGOT] != 0) dynamic_.call_table = Moved(values[DT_PLTGOT]);
  }

  void NameIt(SharedObject& object) const {
    object.name = dynamic_.name != 0 ? dynamic_.strings + dynamic_.name
                                     : object.path.substr(object.path.rfind('/') + 1);
    for (const std::size_t at : dynamic_.needs) object.needs.emplace_back(dynamic_.strings + at);
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

  void SetInitial(SharedObject& object, ElfW(Addr) where, ElfW(Addr) value) const {
    std::byte* const place = InitialOf(object, where);
    if (place != nullptr) std::memcpy(place, &value, sizeof(value));
  }

  /// What was looked up by name is as it is now: nobody changes a variable that refers to another
  /// object while that is loaded, but for initialisation.
  void Relocate(SharedObject& object) const {
    for (const ElfW(Rela) & one : dynamic_.relocations) {
      const ElfW(Addr) where = base_ + one.r_offset;
      ElfW(Addr) value = base_ + static_cast<ElfW(Addr)>(one.r_addend);
      if (ELF64_R_TYPE(one.r_info) != kRelative) {
        CopyBytes(reinterpret_cast<std::byte*>(&value), reinterpret_cast<const std::byte*>(where),
                  sizeof(value));
      }
      SetInitial(object, where, value);
    }
    RelocatePacked(object);
  }

  /// An even entry is the address of a word to move; the bits of an odd one say which of the next
  /// 63 words are to be moved, too.
  void RelocatePacked(SharedObject& object) const {
    constexpr ElfW(Addr) kWord = sizeof(ElfW(Addr));
    const auto move = [&](ElfW(Addr) where) {
      ElfW(Addr) value = 0;
      if (const std::byte* const place = InitialOf(object, where)) {
        std::memcpy(&value, place, sizeof(value));
        SetInitial(object, where, value + base_);
      }
    };
    ElfW(Addr) next = 0;
    for (ElfW(Relr) entry : dynamic_.packed) {
      if ((entry & 1) == 0) {
        move(base_ + entry);
        next = base_ + entry + kWord;
        continue;
      }
      for (ElfW(Addr) where = next; (entry >>= 1) != 0; where += kWord) {
        if ((entry & 1) != 0) move(where);
      }
      next += (8 * kWord - 1) * kWord;
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
  const std::string path = module->dlpi_name;
  if (IsOfTheProgram(path) || IsAllocator(path) || all.LeavesOut(path)) return 0;
  auto object = Reader(*module).Read(path.c_str());
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
/// that clang 14 and g++ 12 give the function.
void LeaveOutSanitizer(SharedObject& object) {
  for (const auto& [name, about] : ElfFile(object.path).Symbols(SHT_SYMTAB)) {
    if (name != "asan.module_ctor" && name != "_sub_I_00099_0") continue;
    const std::uintptr_t at = object.base + about.st_value;
    std::erase(object.initialise, reinterpret_cast<SharedObject::Function>(at));
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

}  // namespace

const std::vector<SharedObject>& ObjectsUnderTest() { return TheObjects().read; }

const std::vector<std::string>& UnreadObjects() { return TheObjects().unread; }

const std::vector<std::string>& ObjectsLeftOut() { return TheObjects().left_out; }

const std::vector<std::string>& UnknownObjects() { return TheObjects().unknown; }

}  // namespace interlock::sim::posix
