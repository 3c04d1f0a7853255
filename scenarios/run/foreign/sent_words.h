// SPDX-License-Identifier: MIT
//
// Which client sent a word first: a token is its owner's, whoever stores it later. Thread safety:
// none.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "sim/redis/server.h"

namespace interlock::scenarios::drive {

/// Shorter words, such as "1", several clients may have thought of.
inline constexpr std::size_t kShortestToken = 8;

class SentWords {
 public:
  void Note(int client, const sim::redis::Argv& argv) {
    for (const std::string& word : argv) first_sent_by_.try_emplace(word, client);
  }
  /// nullopt: nobody did, or it is shorter than a token.
  std::optional<int> SenderOf(const std::string& word) const {
    const auto sent = first_sent_by_.find(word);
    if (word.size() < kShortestToken || sent == first_sent_by_.end()) return std::nullopt;
    return sent->second;
  }

 private:
  std::map<std::string, int> first_sent_by_;
};

}  // namespace interlock::scenarios::drive
