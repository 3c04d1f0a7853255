// SPDX-License-Identifier: MIT
//
// How many permits there are, over the time of a run, as far as that can be known from outside. For
// most locks it is one number. For a semaphore that keeps its limit in the server (see
// harness::Traits::limit_stands) it is what grants and SetLimit have made of it: the first grant
// puts its client's wish in force, and from then on only SetLimit changes it. While a call of that
// is under way, and after one that may or may not have been executed, it may be either number.
//
// Grants are taken at their word only where nothing was in force: a client that is let in under a
// limit other than the one that may be in force changes nothing here.
//
// Thread safety: plain data, except that nothing may be read while something is noted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <interlock/result.h>

#include "scenarios/cases/workload.h"
#include "scenarios/log/mishaps.h"

namespace interlock::scenarios {

/// One call of SetLimit.
struct LimitCall {
  int client = 0;
  int limit = 0;
  VirtualTime called{};
  VirtualTime answered = kOpen;
  StatusCode answer = StatusCode::kOk;  ///< meaningful once answered
  VirtualTime changed = kOpen;          ///< when its first command that changed data was executed
  std::int64_t commands = 0;            ///< sent by its client until it was answered
  /// Numbers of the first and last of those, among all that its process ever sent.
  std::uint64_t first_sent = 0;
  std::uint64_t last_sent = 0;
};

class Limits {
 public:
  Limits() : Limits(1) {}
  explicit Limits(int permits) : permits_(permits) {}

  /// The server keeps the limit, and none is in force yet. `stands`: how long after the last grant
  /// or SetLimit it is in force; 0: only while a permit is out.
  void Keep(Duration stands);
  bool kept() const { return kept_; }
  /// Whether a limit outlives the permits.
  bool stands() const { return stands_ > Duration(0); }

  /// `count` clients will have a wish.
  void ReserveClients(std::size_t count) { wishes_.reserve(count); }
  /// A client's wish; 0: it follows whichever is in force. Without one it wishes as everybody does.
  void SetWish(int client, int wish);
  int WishOf(int client) const;

  void NoteCall(int client, int limit, VirtualTime now);
  /// Notes a command that the client sent while its latest call is open.
  void NoteSent(int client, std::uint64_t number);
  /// A command of the client has changed data: if a call of it has sent it, the limit may be that
  /// now.
  void NoteChange(int client, std::uint64_t number, VirtualTime now);
  void NoteAnswer(int client, StatusCode answer, VirtualTime now);
  const std::vector<LimitCall>& calls() const { return calls_; }

  /// A grant to the client (-1: nobody knows to whom), `alone`: while no other permit is out.
  /// False: its wish is not what was in force, nor was nothing.
  bool NoteGrant(int client, VirtualTime now, bool alone);

  /// The most, and the least, that may have been in force at any instant of these, both included.
  /// At least 1: where none is, a grant makes one.
  int Most(VirtualTime from = {}, VirtualTime to = kOpen) const;
  int Least(VirtualTime from = {}, VirtualTime to = kOpen) const;
  /// The least from that instant on, until something is noted.
  int LeastAfter(VirtualTime at) const;
  /// The most that may be in force now.
  int MostNow() const;
  /// Whether a limit other than this may have been in force at some instant of these; whether none
  /// may.
  bool MayBeOther(int limit, VirtualTime from, VirtualTime to) const;
  bool MayBeNone(VirtualTime from, VirtualTime to) const;
  /// Whether a client with this wish may have been refused on that account. Never where none is
  /// kept.
  bool MayRefuse(int wish, VirtualTime from, VirtualTime to) const {
    if (!kept_) return false;
    return wish == 0 ? MayBeNone(from, to) : MayBeOther(wish, from, to);
  }

  /// From that instant on it may be any of these; 0: none.
  struct Span {
    VirtualTime from{};
    std::vector<int> possible;
    VirtualTime lapses = kOpen;  ///< from then on there may be none, unless a permit is out
  };
  /// In order of time; empty: it is one number all the time.
  const std::vector<Span>& spans() const { return spans_; }

 private:
  LimitCall* LatestCallOf(int client);
  const Span& Latest();
  int only() const { return std::max(1, permits_); }
  std::vector<int> WithAnyWish(std::vector<int> possible) const;
  void Append(VirtualTime now, std::vector<int> possible, VirtualTime lapses);
  VirtualTime LapsesAfter(VirtualTime used) const;
  template <typename Judge>
  void ForEach(VirtualTime from, VirtualTime to, const Judge& judge) const;

  int permits_;
  bool kept_ = false;
  Duration stands_{};
  std::vector<int> wishes_;  // by client
  std::vector<LimitCall> calls_;
  std::vector<std::size_t> changes_;  // indices of the calls whose commands changed data, in order
  std::vector<Span> spans_;           // most locks need none, so none is made beforehand
};

}  // namespace interlock::scenarios
