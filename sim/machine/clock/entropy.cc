// SPDX-License-Identifier: MIT
//
// Replaces the C library's random functions by numbers that are the same in each run with the same
// choices: jitter and tokens are drawn from them, and a replayed case needs them again.
#include <stdarg.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim/machine/clock/sleeper.h"

namespace interlock::sim::machine {
namespace {

/// SplitMix64 (Steele et al. 2014).
std::uint64_t NextWord() {
  std::uint64_t z = Clock()->entropy += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

void Fill(void* bytes, std::size_t count) {
  auto* out = static_cast<unsigned char*>(bytes);
  while (count > 0) {
    const std::uint64_t word = NextWord();
    const std::size_t part = count < sizeof word ? count : sizeof word;
    memcpy(out, &word, part);
    out += part;
    count -= part;
  }
}

}  // namespace
}  // namespace interlock::sim::machine

namespace drive = interlock::sim::machine;

extern "C" {

ssize_t getrandom(void* bytes, std::size_t count, unsigned flags) {
  if (drive::Clock() == nullptr) {
    return drive::Ask(SYS_getrandom, drive::Word(bytes), static_cast<long>(count), flags);
  }
  drive::Fill(bytes, count);
  return static_cast<ssize_t>(count);
}

int getentropy(void* bytes, std::size_t count) {
  return getrandom(bytes, count, 0) == static_cast<ssize_t>(count) ? 0 : -1;
}

/// Some programs ask the kernel through this function.
long syscall(long number, ...) {
  constexpr int kMost = 6;
  long words[kMost];
  va_list list;
  va_start(list, number);
  for (long& word : words) word = va_arg(list, long);
  va_end(list);
  if (number == SYS_getrandom) {
    return getrandom(reinterpret_cast<void*>(words[0]), static_cast<std::size_t>(words[1]),
                     static_cast<unsigned>(words[2]));
  }
  if (number == SYS_clock_gettime) {
    return clock_gettime(static_cast<clockid_t>(words[0]), reinterpret_cast<timespec*>(words[1]));
  }
  return drive::Ask(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

}  // extern "C"
