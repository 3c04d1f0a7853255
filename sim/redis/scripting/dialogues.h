// SPDX-License-Identifier: MIT
//
// What scripts have asked the server, and what they have made of the answers. A script that looks
// at its inputs and at the replies to its commands alone does the same again for as long as the
// replies are the same: so its commands can be run without it.
//
// Bounded: a call that falls on another one's place forgets that one, and one whose answers are
// never the same begins anew. Thread safety: none.
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

  /// What a script does after certain answers: it runs a command, or returns, or nobody knows.
  class Turn {
   public:
    /// Null: it runs none.
    const Command* command() const { return command_; }
    Texts words() const { return words_; }
    /// Null: it does not return here, as far as is known.
    const Value* result() const { return ended_ ? &result_ : nullptr; }
    /// The answer that has led here.
    const Value& heard() const { return heard_; }
    /// Null: it has not been answered so before.
    Turn* After(const Value& answer) const;

   private:
    friend class Dialogues;
    void SetWords(Texts words);

    const Command* command_ = nullptr;
    std::string text_;  // what the words lie in
    std::vector<std::string_view> words_;
    Value heard_;
    Value result_;
    bool ended_ = false;
    std::vector<std::unique_ptr<Turn>> next_;
  };

  /// The first turn of a call of this script; it and those after it are valid until the next call.
  Turn& Begin(std::string_view sha, Texts keys, Texts arguments);
  /// At this turn it has run the command, and was answered so: the turn after that. Null: so much
  /// is known of this call that no more is noted.
  Turn* Hear(Turn& turn, const Command& command, Texts words, const Value& answer);
  /// At this turn it has returned.
  static void End(Turn& turn, const Value& result);

 private:
  struct Call {
    std::string sha;
    std::size_t keys = 0;
    std::vector<std::string> inputs;  // keys, and arguments
    std::unique_ptr<Turn> first;
    std::size_t turns = 0;
  };
  static bool IsOf(const Call& call, std::string_view sha, Texts keys, Texts arguments);

  std::vector<Call> calls_;
  Call* present_ = nullptr;
};

}  // namespace interlock::sim::redis
