// SPDX-License-Identifier: MIT
//
// The hash is a chain of rounds of the kind that xxHash64 uses: two multiplications per eight
// bytes. Bytes are read as little-endian words on every machine, and the length of a field is part
// of it, so that two fields cannot be mistaken for another two with the same concatenation.
#include "sim/trace.h"

#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>

#include "sim/check.h"
#include "sim/choices.h"

namespace interlock::sim {

namespace {

constexpr std::uint64_t kPrime1 = 0x9e3779b185ebca87;
constexpr std::uint64_t kPrime2 = 0xc2b2ae3d27d4eb4f;
constexpr std::uint64_t kPrime3 = 0x165667b19e3779f9;

std::uint64_t Round(std::uint64_t state, std::uint64_t word) {
  state ^= word * kPrime2;
  return std::rotl(state, 31) * kPrime1 + kPrime3;
}

std::uint64_t LoadWord(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof(word));
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

std::uint64_t LoadTail(const char* bytes, std::size_t size) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < size; ++i) {
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return word;
}

}  // namespace

std::uint64_t HashNumber(std::uint64_t number, std::uint64_t state) { return Round(state, number); }

std::uint64_t HashBytes(std::string_view bytes, std::uint64_t state) {
  state = Round(state, bytes.size());
  const char* next = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, next += 8) state = Round(state, LoadWord(next));
  if (left > 0) state = Round(state, LoadTail(next, left));
  return state;
}

void Trace::Mix(VirtualTime time, int process, TraceKind kind, std::uint64_t hash) {
  const std::uint64_t what =
      (static_cast<std::uint64_t>(static_cast<std::uint32_t>(process)) << 8) |
      static_cast<std::uint64_t>(kind);
  std::uint64_t state = Round(hash_, static_cast<std::uint64_t>(time.count()));
  state = Round(state, what);
  state = Round(state, hash);
  hash_ = state ^ (state >> 32);
}

void Trace::Add(VirtualTime time, int process, TraceKind kind, std::string_view text) {
  AddLazily(time, process, kind, HashBytes(text, 0), 0, [text] { return std::string(text); });
}

void Trace::Keep(TraceEvent event) {
  event.step = ++step_;
  event.hash = hash_;
  event.draws = choices_.draws();
  events_.push_back(std::move(event));
  if (step_ == awaited_step_) then_();
}

void Trace::CallAt(std::uint64_t step, std::function<void()> then) {
  Require(keep_events_, "a step is awaited in a trace that counts none");
  awaited_step_ = step;
  then_ = std::move(then);
}

void Trace::Annotate(VirtualTime time, int process, TraceKind kind, std::string_view text) {
  if (!keep_events_) return;
  auto place = events_.end();
  while (place != events_.begin() && std::prev(place)->time > time) --place;
  events_.insert(place, TraceEvent{time, process, kind, std::string(text)});
}

}  // namespace interlock::sim
