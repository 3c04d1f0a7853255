// SPDX-License-Identifier: MIT
//
// What elf(5) says of a program or shared object on disk: its segments and its symbols. Anything
// that cannot be read is absent. Internal to sim/posix. Thread safety: none.
#pragma once

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace interlock::sim::posix {

// The kinds of relocations that matter here, as this machine numbers them.
#if defined(__x86_64__)
inline constexpr auto kRelative = R_X86_64_RELATIVE;
inline constexpr auto kCopy = R_X86_64_COPY;
#elif defined(__aarch64__)
inline constexpr auto kRelative = R_AARCH64_RELATIVE;
inline constexpr auto kCopy = R_AARCH64_COPY;
#else
#error "the relocations of this machine are to be named here"
#endif

class ElfFile {
 public:
  struct Symbol {
    std::string name;
    ElfW(Sym) about;
  };

  explicit ElfFile(const std::string& path);

  /// `table`: SHT_SYMTAB, which a stripped file has not, or SHT_DYNSYM.
  std::vector<Symbol> Symbols(ElfW(Word) table);
  /// Those for the dynamic linker; the indices of their symbols are those of SHT_DYNSYM.
  std::vector<ElfW(Rela)> Relocations();
  /// Whether it is a variable that may change, and not only while the program is loaded.
  bool IsVariable(const ElfW(Sym) & symbol) const;

 private:
  template <typename Entry>
  std::vector<Entry> Read(std::uint64_t offset, std::size_t count);

  std::ifstream file_;
  std::vector<ElfW(Phdr)> segments_;
  std::vector<ElfW(Shdr)> sections_;
};

/// Where the program has been loaded: what is added to the addresses in its file.
ElfW(Addr) ProgramBase();

}  // namespace interlock::sim::posix
