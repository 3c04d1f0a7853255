// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/dialogues.h"

#include <algorithm>

#include "sim/redis/scripting/quick_hash.h"

namespace interlock::sim::redis {

namespace {

constexpr std::size_t kMostCalls = 512;
constexpr std::size_t kMostTurns = 256;  // per call

std::size_t PlaceOfCall(std::string_view sha, Dialogues::Texts keys, Dialogues::Texts arguments) {
  std::size_t hash = QuickHash(sha);
  for (const std::string_view text : keys) hash = hash * 31 + QuickHash(text);
  for (const std::string_view text : arguments) hash = hash * 31 + QuickHash(text);
  return hash % kMostCalls;
}

}  // namespace

Dialogues::Turn* Dialogues::Turn::After(const Value& answer) const {
  const auto same = std::find_if(next_.begin(), next_.end(),
                                 [&](const auto& turn) { return turn->heard_ == answer; });
  return same == next_.end() ? nullptr : same->get();
}

// A NUL follows each word, as in Lua: number parsers rely on it.
void Dialogues::Turn::SetWords(Texts words) {
  std::size_t size = 0;
  for (const std::string_view word : words) size += word.size() + 1;
  text_.reserve(size);
  for (const std::string_view word : words) {
    const std::size_t begin = text_.size();
    text_.append(word).push_back('\0');
    words_.emplace_back(text_.data() + begin, word.size());
  }
}

bool Dialogues::IsOf(const Call& call, std::string_view sha, Texts keys, Texts arguments) {
  if (call.first == nullptr || call.sha != sha || call.keys != keys.size()) return false;
  const auto split = call.inputs.begin() + static_cast<std::ptrdiff_t>(call.keys);
  return std::equal(call.inputs.begin(), split, keys.begin(), keys.end()) &&
         std::equal(split, call.inputs.end(), arguments.begin(), arguments.end());
}

Dialogues::Turn& Dialogues::Begin(std::string_view sha, Texts keys, Texts arguments) {
  if (calls_.empty()) calls_.resize(kMostCalls);
  Call& call = calls_[PlaceOfCall(sha, keys, arguments)];
  present_ = &call;
  if (call.turns <= kMostTurns && IsOf(call, sha, keys, arguments)) return *call.first;
  call.sha = sha;
  call.keys = keys.size();
  call.inputs.assign(keys.begin(), keys.end());
  call.inputs.insert(call.inputs.end(), arguments.begin(), arguments.end());
  call.first = std::make_unique<Turn>();
  call.turns = 1;
  return *call.first;
}

Dialogues::Turn* Dialogues::Hear(Turn& turn, const Command& command, Texts words,
                                 const Value& answer) {
  if (turn.command_ == nullptr) {
    turn.command_ = &command;
    turn.SetWords(words);
  }
  if (Turn* known = turn.After(answer)) return known;
  if (++present_->turns > kMostTurns) return nullptr;
  Turn& next = *turn.next_.emplace_back(std::make_unique<Turn>());
  next.heard_ = answer;
  return &next;
}

void Dialogues::End(Turn& turn, const Value& result) {
  if (turn.ended_) return;
  turn.result_ = result;
  turn.ended_ = true;
}

}  // namespace interlock::sim::redis
