// SPDX-License-Identifier: MIT
//
// What scripts have asked the server, and how they reacted to the answers. A script that depends
// only on its inputs and the replies to its commands does the same again as long as the replies are
// the same: so its commands can be run without it.
//
// Bounded: a call that hashes to another one's slot replaces it, and one whose answers never repeat
// starts over. Thread safety: none.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/value.h"

namespace interlock::sim::redis {

struct Command;

class Dialogues {
 public:
  using Texts = std::span<const std::string_view>;

  /// What a script does after certain answers: it runs a command, returns, or is not known.
  class Turn {
   public:
    /// Null: it runs none.
    const Command* command() const { return command_; }
    Texts words() const { return words_; }
    /// Null: it is not known to return here.
    const Value* result() const { return ended_ ? &result_ : nullptr; }
    /// The answer that led here.
    const Value& heard() const { return heard_; }
    /// Null: this answer has not occurred before.
    Turn* After(const Value& answer) const;

   private:
    friend class Dialogues;
    void SetWords(Texts words);

    const Command* command_ = nullptr;
    std::string text_;  // storage of the words
    std::vector<std::string_view> words_;
    Value heard_;
    Value result_;
    bool ended_ = false;
    std::vector<std::unique_ptr<Turn>> next_;
  };

  /// The first turn of a call of this script; it and later turns are valid until the next call.
  Turn& Begin(std::string_view sha, Texts keys, Texts arguments);
  /// Records that at this turn it ran the command and got this answer; returns the next turn. Null:
  /// the record of this call is full.
  Turn* Hear(Turn& turn, const Command& command, Texts words, const Value& answer);
  /// Records that it returned at this turn.
  static void End(Turn& turn, const Value& result);

 private:
  struct Call {
    std::string sha;
    std::size_t keys = 0;
    std::vector<std::string> inputs;  // keys and arguments
    std::unique_ptr<Turn> first;
    std::size_t turns = 0;
  };
  static bool IsOf(const Call& call, std::string_view sha, Texts keys, Texts arguments);

  std::vector<Call> calls_;
  Call* present_ = nullptr;
};

}  // namespace interlock::sim::redis
