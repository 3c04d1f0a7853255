// SPDX-License-Identifier: MIT
//
// Judges the fencing tokens with which foreign clients write to guarded resources. Which of two
// clients was granted later tell the locks' keys (see grant_order.h) or, if they have none in
// common, their sections: who was outside of all after the other had entered was granted later.
//   - tokens (LK007): the later grant's token is not larger;
//   - fenced-writes (LK004): a write is accepted after one of a later grant, or the holder's own is
//     refused although the larger token was that of an earlier grant.
// What a stale holder sends is judged by its token alone, whatever fault ended its lease.
//
// Non-guarantee: if nothing tells the order, as with writes outside of sections under a lock in a
// list or a sorted set, nothing is judged; nor is LK004 of permits, whose holders have no order.
// Thread safety: none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/run/foreign/finding.h"
#include "scenarios/run/foreign/grant_order.h"
#include "scenarios/run/foreign/words.h"

namespace interlock::scenarios::drive {

class Fencing {
 public:
  /// REQUIRES: permits >= 1. `by_keys`: false if a lock has keys on several servers, none of which
  /// tells the order.
  Fencing(int clients, int permits, bool by_keys, const GrantOrder& order, Findings& findings);

  /// The client enters its first section, or leaves its last one.
  void Entered(int client, const std::string& section);
  void Left(int client);
  void Wrote(int client, const GuardedWrite& write, bool accepted);

  bool any() const { return !writes_.empty(); }
  /// Whether two clients have written under grants whose order is known.
  bool compared() const { return compared_; }

 private:
  /// From the moment at which a client has left all sections until it leaves them again.
  struct Turn {
    std::uint64_t free_at = 0;  // counts what is noted here
    std::optional<std::uint64_t> entered_at;
    std::string section;
  };
  /// All that one client writes to one resource in one turn under the same grants.
  struct Writes {
    int client = 0;
    Turn turn;
    Grants grants;
    std::int64_t least = 0;  // tokens
    std::int64_t most = 0;
    std::optional<std::int64_t> accepted;  // the largest one
  };
  struct Compared {
    const std::string& resource;
    std::int64_t token;
    bool accepted;
    const Writes& mine;
  };
  enum class Order : std::uint8_t { kUnknown, kBefore, kAfter };

  static Order ByKeys(const Writes& one, const Writes& other);
  static bool IsBefore(const Turn& one, const Turn& other);
  Order OrderOf(const Writes& one, const Writes& other) const;
  bool GoesOn(const Writes& mine) const;
  bool IsHolder(const Writes& mine, const Writes& other) const;
  Writes& NoteWrite(int client, const GuardedWrite& write, bool accepted);
  void AfterEarlier(const Writes& earlier, const Compared& of);
  void AfterLater(const Writes& later, const Compared& of);
  void Find(std::string_view slug, std::string sentence);

  const int permits_;
  const bool by_keys_;
  const GrantOrder& order_;
  Findings& findings_;
  std::uint64_t now_ = 0;
  bool compared_ = false;
  std::vector<Turn> turns_;                            // by client
  std::map<std::string, std::vector<Writes>> writes_;  // by resource
  std::vector<std::string> found_;                     // slugs, each told once
};

}  // namespace interlock::scenarios::drive
