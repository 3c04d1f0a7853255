// SPDX-License-Identifier: MIT
#include "sim/posix/program_statics.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "sim/posix/bytes.h"
#include "sim/posix/elf_file.h"

namespace interlock::sim::posix {

namespace {

// Parts of the names of whose variables may change.
constexpr std::string_view kMayChange[] = {
    "__asan",       "__sanitizer", "__ubsan", "__lsan", "__interception", "interlock",
    "_ZNSt",        "_ZNKSt",      "_ZSt",    "_ZGV",   "__gnu_cxx",      "_ZN7testing",
    "_ZZN7testing", "_ZN2rc",      "_ZZN2rc", "_ZZNSt", "benchmark"};

bool MayChange(std::string_view name) {
  // A name with a version is a copy of a variable of the C or C++ library.
  return name.empty() || name.starts_with("__") || name.starts_with("completed.") ||
         name.find('@') != name.npos ||
         std::ranges::any_of(kMayChange,
                             [name](std::string_view one) { return name.find(one) != name.npos; });
}

std::string Demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;  // it might be one of a type
  int failed = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &failed), &std::free);
  return failed == 0 ? text.get() : name;
}

std::vector<ProgramStatics::Variable> ReadStatics() {
  const ElfW(Addr) base = ProgramBase();
  ElfFile program("/proc/self/exe");
  std::vector<ProgramStatics::Variable> found;
  std::string source;
  for (const auto& [name, about] : program.Symbols(SHT_SYMTAB)) {
    if (ELF64_ST_TYPE(about.st_info) == STT_FILE) source = name;
    if (!program.IsVariable(about) || MayChange(name)) continue;
    const bool local = ELF64_ST_BIND(about.st_info) == STB_LOCAL;
    const auto* const at = reinterpret_cast<const std::byte*>(base + about.st_value);
    found.push_back({Demangled(name) + (local ? " (" + source + ")" : ""),
                     {at, static_cast<std::size_t>(about.st_size)}});
  }
  std::ranges::sort(found, {}, &ProgramStatics::Variable::name);
  return found;
}

}  // namespace

const std::vector<ProgramStatics::Variable>& ProgramStatics::All() {
  static const std::vector<Variable> all = ReadStatics();
  return all;
}

ProgramStatics::ProgramStatics() {
  for (const Variable& one : All()) {
    const std::size_t at = values_.size();
    values_.resize(at + one.bytes.size());
    CopyBytes(values_.data() + at, one.bytes.data(), one.bytes.size());
  }
}

std::vector<std::string> ProgramStatics::Changed() const {
  const ProgramStatics now;
  std::vector<std::string> names;
  std::size_t at = 0;
  for (const Variable& one : All()) {
    const auto of = [&](const ProgramStatics& when) {
      return std::span(when.values_).subspan(at, one.bytes.size());
    };
    if (!std::ranges::equal(of(*this), of(now))) names.push_back(one.name);
    at += one.bytes.size();
  }
  return names;
}

}  // namespace interlock::sim::posix
