// SPDX-License-Identifier: MIT
//
// Memory reused by the networks of one Universe's worlds, and its element types. Thread safety:
// none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/hash.h"
#include "sim/link.h"
#include "sim/redis/server.h"
#include "sim/timer_queue.h"

namespace interlock::sim {

/// A message that a server sent during one call of it.
struct Produced {
  Link* link = nullptr;
  Message::Kind kind = Message::Kind::kReply;
  redis::Value value;
  std::uint64_t hash = 0, number = 0;  // as in Message; the number is set once reported
};

/// A message in flight outside Redis.
struct Elsewhere {
  int process = 0;
  VirtualTime arrival{};
  TimerId timer = kNoTimer;  // none: it has arrived
  std::function<void()> arrive;
};

/// Links that keep their buffers from world to world.
class LinkPool {
 public:
  std::unique_ptr<Link> Take() {
    if (links_.empty()) return std::make_unique<Link>();
    std::unique_ptr<Link> link = std::move(links_.back());
    links_.pop_back();
    return link;
  }
  /// Resets the link, keeping its memory.
  void Give(std::unique_ptr<Link> link) {
    Link fresh;
    fresh.requests = std::move(link->requests);
    fresh.messages = std::move(link->messages);
    fresh.requests.Clear();
    fresh.messages.Clear();
    *link = std::move(fresh);
    links_.push_back(std::move(link));
  }

 private:
  std::vector<std::unique_ptr<Link>> links_;
};

/// Spare commands, by their number of words, which varies: the next with as many is mostly one of
/// the same form, whose words have the same lengths.
class SpareWords {
 public:
  /// Resizes to `size` strings with unspecified content.
  void Resize(redis::Argv& words, std::size_t size) {
    if (words.size() == size) return;
    if (words.size() < kMost) spare_[words.size()].push_back(std::move(words));
    if (size < kMost && !spare_[size].empty()) {
      words = std::move(spare_[size].back());
      spare_[size].pop_back();
    }
    words.resize(size);
  }

 private:
  static constexpr std::size_t kMost = 16;

  std::array<std::vector<redis::Argv>, kMost> spare_;
};

/// Cached hashes of long arguments, such as a script's source that many worlds send.
class LongWordHashes {
 public:
  static constexpr std::size_t kLeast = 256;

  /// HashBytes of the word.
  std::uint64_t Of(std::string_view word, std::uint64_t state) {
    Known& known = known_[HashNumber(word.size(), state) % kMost];
    if (known.state != state || known.word != word) {
      known = {state, HashBytes(word, state), std::string(word)};
    }
    return known.hash;
  }

 private:
  static constexpr std::size_t kMost = 64;

  struct Known {
    std::uint64_t state = 0, hash = 0;
    std::string word;
  };
  std::array<Known, kMost> known_;
};

struct NetworkMemory {
  LinkPool pool;
  SpareWords spare_words;
  LongWordHashes long_words;
  std::vector<std::unique_ptr<Link>> links;
  std::vector<Produced> produced;
  std::vector<Elsewhere> elsewhere;
};

}  // namespace interlock::sim
