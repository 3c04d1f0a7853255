// SPDX-License-Identifier: MIT
#include "sim/posix/elf_file.h"

#include <algorithm>
#include <utility>

namespace interlock::sim::posix {

ElfFile::ElfFile(const std::string& path) : file_(path, std::ios::binary) {
  const auto header = Read<ElfW(Ehdr)>(0, 1);
  if (header.empty()) return;
  segments_ = Read<ElfW(Phdr)>(header[0].e_phoff, header[0].e_phnum);
  sections_ = Read<ElfW(Shdr)>(header[0].e_shoff, header[0].e_shnum);
}

template <typename Entry>
std::vector<Entry> ElfFile::Read(std::uint64_t offset, std::size_t count) {
  std::vector<Entry> entries(count);
  file_.clear();
  file_.seekg(static_cast<std::streamoff>(offset));
  file_.read(reinterpret_cast<char*>(entries.data()),
             static_cast<std::streamsize>(count * sizeof(Entry)));
  if (!file_.good()) entries.clear();
  return entries;
}

std::vector<ElfFile::Symbol> ElfFile::Symbols(ElfW(Word) table) {
  const auto found = std::ranges::find(sections_, table, &ElfW(Shdr)::sh_type);
  if (found == sections_.end() || found->sh_link >= sections_.size()) return {};
  const ElfW(Shdr)& strings = sections_[found->sh_link];
  const auto names = Read<char>(strings.sh_offset, strings.sh_size);
  std::vector<Symbol> symbols;
  for (const ElfW(Sym) & one :
       Read<ElfW(Sym)>(found->sh_offset, found->sh_size / sizeof(ElfW(Sym)))) {
    if (one.st_name >= names.size()) continue;
    const auto begin = names.begin() + one.st_name;
    symbols.push_back({std::string(begin, std::find(begin, names.end(), '\0')), one});
  }
  return symbols;
}

std::vector<ElfW(Rela)> ElfFile::Relocations() {
  std::vector<ElfW(Rela)> all;
  for (const ElfW(Shdr) & section : sections_) {
    if (section.sh_type != SHT_RELA || (section.sh_flags & SHF_ALLOC) == 0) continue;
    const auto some = Read<ElfW(Rela)>(section.sh_offset, section.sh_size / sizeof(ElfW(Rela)));
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

bool ElfFile::IsVariable(const ElfW(Sym) & symbol) const {
  const bool object = ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size > 0;
  if (!object || symbol.st_shndx >= sections_.size()) return false;
  const bool constant = std::ranges::any_of(segments_, [&](const ElfW(Phdr) & segment) {
    return segment.p_type == PT_GNU_RELRO && symbol.st_value >= segment.p_vaddr &&
           symbol.st_value < segment.p_vaddr + segment.p_memsz;
  });
  return !constant && (sections_[symbol.st_shndx].sh_flags & SHF_WRITE) != 0;
}

ElfW(Addr) ProgramBase() {
  ElfW(Addr) base = 0;
  const auto first = [](dl_phdr_info* module, std::size_t /*size*/, void* to) {
    *static_cast<ElfW(Addr)*>(to) = module->dlpi_addr;
    return 1;  // no more than the first, which is the program
  };
  dl_iterate_phdr(first, &base);
  return base;
}

}  // namespace interlock::sim::posix
