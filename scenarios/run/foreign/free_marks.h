// SPDX-License-Identifier: MIT
//
// Keys and fields that stay when a lock is given back: their owner has written a mark in place of
// its token, such as "" or "free". Thread safety: none.
#pragma once

#include <map>
#include <string>

#include "scenarios/run/foreign/held_data.h"
#include "scenarios/run/foreign/sent_words.h"

namespace interlock::scenarios::drive {

class FreeMarks {
 public:
  /// Whether the client that held it by `before` says with `now` that nobody does: it is no token,
  /// and what was there was a token of its own.
  static bool IsMark(const SentWords& sent, int owner, const HeldData& before,
                     const HeldData& now) {
    if (now.value == before.value || now.kind == HeldData::Kind::kMember) return false;
    return now.value.empty() ||
           (sent.SenderOf(before.value) == owner && now.value.size() < before.value.size() &&
            !sent.SenderOf(now.value));
  }
  void Set(const HeldId& id, const HeldData& mark) { marks_[id] = mark.value; }
  /// Whether its mark is still there; once it is not, whoever writes there takes the lock.
  bool IsFree(const HeldId& id, const HeldData& now) {
    const auto mark = marks_.find(id);
    if (mark == marks_.end()) return false;
    if (mark->second == now.value) return true;
    marks_.erase(mark);
    return false;
  }
  /// Those of the node that are gone are no marks any more.
  void Keep(int node, const HeldMap& data) {
    std::erase_if(marks_, [&](const auto& one) {
      return one.first.node == node && !data.contains(one.first);
    });
  }

 private:
  std::map<HeldId, std::string> marks_;
};

}  // namespace interlock::scenarios::drive
