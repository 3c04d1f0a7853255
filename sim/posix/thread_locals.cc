// SPDX-License-Identifier: MIT
//
// A module's variables are one block per OS thread: the segment PT_TLS of its file, then zeros.
#include "sim/posix/thread_locals.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "sim/check.h"
#include "sim/posix/bytes.h"
#include "sim/posix/heap.h"

extern "C" void* __tls_get_addr(std::size_t* module_and_offset);

namespace interlock::sim::posix {

namespace {

struct Block {
  std::byte* at = nullptr;
  const std::byte* initial = nullptr;  // null: zeros
  std::size_t size = 0;
};

constexpr std::size_t kMostBlocks = 32;
constexpr std::size_t kMostOfOsThread = 16;

struct Extents {
  std::array<Block, kMostBlocks> all{};
  std::size_t count = 0;
  std::size_t bytes = 0;
  bool known = false;
};

struct Kept {
  std::uintptr_t from;  // less the thread pointer, which is the same on each OS thread
  std::size_t size;
  OfOsThread::Passed passed;
};

// Before main; both are made without a constructor, in whichever order.
constinit std::array<Kept, kMostOfOsThread> kept_by_os_thread{};
constinit std::size_t kept_count = 0;

constinit thread_local Extents extents;
const OfOsThread extents_are(&extents, sizeof(extents), OfOsThread::Passed::kNo);
thread_local ThreadLocals* variables_in_place = nullptr;
const OfOsThread variables_are(&variables_in_place, sizeof(variables_in_place));

std::uintptr_t ThreadPointer() {
  return reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
}

bool IsOfTheSystem(const dl_phdr_info& module) {
  const std::string_view path = module.dlpi_name;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const std::string_view system : {"libc.so", "ld-linux", "libstdc++", "libpthread", "libgcc"})
    if (name.starts_with(system)) return true;
  // An allocator's variables are those of the heap.
  return !name.empty() && HeapsModule() == reinterpret_cast<void*>(module.dlpi_addr);
}

void Append(Extents& to, const Block& one) {
  if (one.size == 0) return;
  Require(to.count < kMostBlocks, "too many libraries declare thread_local variables");
  to.all[to.count++] = one;
  to.bytes += one.size;
}

// The part of the block in [from, to), in up to two pieces.
void AppendPart(Extents& to, std::byte* block, std::span<const std::byte> image, std::size_t from,
                std::size_t end) {
  const std::size_t middle = std::clamp(image.size(), from, end);
  Append(to, {block + from, image.data() + from, middle - from});
  Append(to, {block + middle, nullptr, end - middle});
}

// The program's own block, without what the simulator keeps.
void AppendProgram(Extents& to, std::byte* block, std::span<const std::byte> image,
                   std::size_t size) {
  std::array<Kept, kMostOfOsThread> kept = kept_by_os_thread;
  const std::span<Kept> all(kept.data(), kept_count);
  std::ranges::sort(all, {}, &Kept::from);
  const std::uintptr_t start = reinterpret_cast<std::uintptr_t>(block) - ThreadPointer();
  std::size_t from = 0;
  for (const Kept& one : all) {
    const std::size_t at = one.from - start;
    AppendPart(to, block, image, from, at);
    from = at + one.size;
  }
  AppendPart(to, block, image, from, size);
}

int AppendModule(dl_phdr_info* module, std::size_t /*size*/, void* to) {
  Extents& found = *static_cast<Extents*>(to);
  for (const ElfW(Phdr) & segment : std::span(module->dlpi_phdr, module->dlpi_phnum)) {
    if (segment.p_type != PT_TLS || IsOfTheSystem(*module)) continue;
    std::size_t first[2] = {module->dlpi_tls_modid, 0};
    auto* const block = static_cast<std::byte*>(__tls_get_addr(first));
    const std::span image(reinterpret_cast<const std::byte*>(module->dlpi_addr + segment.p_vaddr),
                          segment.p_filesz);
    if (std::string_view(module->dlpi_name).empty()) {
      AppendProgram(found, block, image, segment.p_memsz);
    } else {
      AppendPart(found, block, image, 0, segment.p_memsz);
    }
  }
  return 0;
}

const Extents& OfThisThread() {
  if (!extents.known) {
    extents.known = true;
    // dl_iterate_phdr holds one lock of the loader, and this takes another one.
    HeapsModule();
    dl_iterate_phdr(&AppendModule, &extents);
  }
  return extents;
}

}  // namespace

OfOsThread::OfOsThread(const void* variable, std::size_t size, Passed passed) {
  Require(kept_count < kMostOfOsThread, "too many variables of the OS thread");
  kept_by_os_thread[kept_count++] = {reinterpret_cast<std::uintptr_t>(variable) - ThreadPointer(),
                                     size, passed};
}

void OfOsThread::Save(std::vector<std::byte>& to) {
  to.clear();
  for (const Kept& one : std::span(kept_by_os_thread).first(kept_count)) {
    if (one.passed == Passed::kNo) continue;
    const auto* const at = reinterpret_cast<const std::byte*>(ThreadPointer() + one.from);
    to.insert(to.end(), at, at + one.size);
  }
}

void OfOsThread::Load(std::span<const std::byte> from) {
  for (const Kept& one : std::span(kept_by_os_thread).first(kept_count)) {
    if (one.passed == Passed::kNo) continue;
    std::memcpy(reinterpret_cast<void*>(ThreadPointer() + one.from), from.data(), one.size);
    from = from.subspan(one.size);
  }
}

ThreadLocals::ThreadLocals() {
  const Extents& all = OfThisThread();
  kept_.resize(all.bytes);
  std::size_t at = 0;
  for (const Block& one : std::span(all.all.data(), all.count)) {
    if (one.initial != nullptr) std::memcpy(kept_.data() + at, one.initial, one.size);
    at += one.size;
  }
}

void ThreadLocals::PutInPlace(ThreadLocals* wanted) {
  if (wanted == variables_in_place) return;
  if (variables_in_place != nullptr) variables_in_place->Exchange();
  if (wanted != nullptr) wanted->Exchange();
  variables_in_place = wanted;
}

void ThreadLocals::Exchange() {
  std::byte* kept = kept_.data();
  const Extents& all = OfThisThread();
  for (const Block& one : std::span(all.all.data(), all.count)) {
    ExchangeBytes(one.at, kept, one.size);
    kept += one.size;
  }
  std::swap(errno, errno_);
}

}  // namespace interlock::sim::posix
