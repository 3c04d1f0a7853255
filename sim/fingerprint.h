// SPDX-License-Identifier: MIT
//
// Fingerprints of world states, for a search that continues from each state only once. A process is
// deterministic given its program and its inputs, so its state is the digest of its observations in
// order, each with its instant; the rest (server, connections, tasks) is examined when a
// fingerprint is taken.
//
// Names: random bytes given to a process are recognised wherever they appear, raw or in
// hexadecimal, and count as "block n of process p", not as bytes. So two states that differ by
// swapping processes of one role have the same fingerprint. Unrecognised bytes stay bytes, which
// can only keep equal states apart. Instants are not made relative.
//
// Thread safety: none; belongs to one world.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/server.h"
#include "sim/trace.h"

namespace interlock::sim {

/// 128 bits; equal for equal sequences of words, and for others with probability 2^-128.
struct Digest {
  std::uint64_t low = 0x9e3779b97f4a7c15;
  std::uint64_t high = 0xd1b54a32d192ed03;

  void Add(std::uint64_t word) {
    low =
        std::rotl(low ^ (word * 0xc2b2ae3d27d4eb4f), 31) * 0x9e3779b185ebca87 + 0x165667b19e3779f9;
    high = (std::rotl(high, 29) ^ (word * 0x94d049bb133111eb)) * 0xbf58476d1ce4e5b9 + (low >> 17);
  }
  void Add(std::string_view bytes);
  /// Adds a part independently of the order of parts.
  void Sum(const Digest& part);
  bool operator==(const Digest&) const = default;
  bool operator<(const Digest& other) const {
    return high != other.high ? high < other.high : low < other.low;
  }
};

/// The random bytes given to processes.
class RandomNames {
 public:
  struct Name {
    int process = 0;
    std::uint32_t count = 0;
  };

  void Learn(int process, std::string_view bytes);
  /// Calls plain(bytes) and named(Name) for the parts of the text, in order.
  template <typename Plain, typename Named>
  void Split(std::string_view text, const Plain& plain, const Named& named) const {
    std::size_t begin = 0;
    if (text.size() >= kLeast) {
      for (std::size_t at = 0; at + kLeast <= text.size();) {
        const Known* known = MayBeginAt(text.data() + at) ? Find(text.substr(at)) : nullptr;
        if (known == nullptr) {
          ++at;
          continue;
        }
        if (at > begin) plain(text.substr(begin, at - begin));
        named(known->name);
        at += known->form.size();
        begin = at;
      }
    }
    if (begin < text.size()) plain(text.substr(begin));
  }

 private:
  static constexpr std::size_t kLeast = 8;
  static constexpr std::size_t kFew = 16;  // forms that a short run learns
  static constexpr std::size_t kPlaces = 512;
  struct Known {
    std::string form;
    Name name;
    std::uint32_t next = 0;  ///< as in `first_`
  };
  const Known* Find(std::string_view text) const;
  void Add(std::string form, Name name);
  /// Of the forms that begin with these kLeast bytes, and few others.
  static std::size_t PlaceOf(const char* text) {
    std::uint64_t beginning = 0;
    std::memcpy(&beginning, text, sizeof(beginning));
    return static_cast<std::size_t>((beginning * 0x9e3779b97f4a7c15) >> 55);
  }
  /// False for nearly every position in a text.
  bool MayBeginAt(const char* text) const { return first_[PlaceOf(text)] != 0; }

  std::vector<Known> known_;
  std::array<std::uint32_t, kPlaces> first_{};  // by place, an index into `known_` plus 1; 0: none
  std::vector<std::uint32_t> counts_;           // by process: its forms so far
};

/// A digest in which processes are named: by rank, or as "itself" and "another one".
class FingerprintWriter {
 public:
  FingerprintWriter(const RandomNames& names, int self) : names_(names), self_(self) {}
  FingerprintWriter(const RandomNames& names, const std::vector<int>& ranks)
      : names_(names), ranks_(&ranks) {}

  void Number(std::uint64_t number) { digest_.Add(number); }
  void Time(VirtualTime time) { digest_.Add(static_cast<std::uint64_t>(time.count())); }
  void Text(std::string_view bytes);
  void Process(int process);
  void Value(const redis::Value& value);

  const Digest& digest() const { return digest_; }
  /// Starts over with the same names.
  void Clear() {
    digest_ = {};
    others_.clear();
  }
  /// The other processes that were named, in order; empty if ranks were given.
  const std::vector<int>& others() const { return others_; }

 private:
  const RandomNames& names_;
  const int self_ = -1;
  const std::vector<int>* ranks_ = nullptr;
  Digest digest_;
  std::vector<int> others_;
};

/// What a scenario adds to the state of its world: all that a later verdict depends on.
class ScenarioState {
 public:
  virtual ~ScenarioState() = default;
  /// Processes with different roles are never interchanged.
  virtual void DescribeProcess(int process, FingerprintWriter& writer) const = 0;
  virtual void DescribeRest(FingerprintWriter& writer) const = 0;
};

class Engine;
class Network;
struct Link;

/// Lets a command whose effects redis::DescribeState does not show represent them itself: `before`
/// is the number of such commands executed before it. The link's own number would reveal what is
/// over and forgotten.
void NoteUndescribed(const Network& network, const Link& link, std::uint64_t before,
                     const redis::Argv& argv);

/// REQUIRES: the engine has watched its processes from the start (see World::SetProbe); no task is
/// running. `ranks`: see World::Fingerprint.
Digest FingerprintOf(Engine& engine, const ScenarioState& scenario, std::vector<int>& ranks);

}  // namespace interlock::sim
