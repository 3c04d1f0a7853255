// SPDX-License-Identifier: MIT
#include "sim/posix/object_reader.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <span>

#include "sim/posix/bytes.h"
#include "sim/posix/elf_file.h"

namespace interlock::sim::posix {

namespace {

using Program = std::span<const ElfW(Phdr)>;

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
  ElfW(Addr) fini = 0;
  std::span<const ElfW(Addr)> fini_array;
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
    if (dynamic_.init != 0) AddFunction(base_ + dynamic_.init, object.initialise);
    for (const ElfW(Addr) one : dynamic_.init_array) AddFunction(one, object.initialise);
    for (const ElfW(Addr) one : dynamic_.fini_array) AddFunction(one, object.finalise);
    std::ranges::reverse(object.finalise);
    if (dynamic_.fini != 0) AddFunction(base_ + dynamic_.fini, object.finalise);
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
    dynamic_.fini = values[DT_FINI];
    dynamic_.fini_array = Table<ElfW(Addr)>(values[DT_FINI_ARRAY], values[DT_FINI_ARRAYSZ]);
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

  template <typename Function>
  static void AddFunction(ElfW(Addr) address, std::vector<Function>& functions) {
    constexpr auto kNone = static_cast<ElfW(Addr)>(-1);
    if (address == 0 || address == kNone) return;
    functions.push_back(reinterpret_cast<Function>(address));
  }

  const ElfW(Addr) base_;
  const Program program_;
  Dynamic dynamic_;
  Range whole_;
};

}  // namespace

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

std::optional<SharedObject> ReadObject(const dl_phdr_info& module) {
  return Reader(module).Read(module.dlpi_name);
}

}  // namespace interlock::sim::posix
