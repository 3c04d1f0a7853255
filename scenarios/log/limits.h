// SPDX-License-Identifier: MIT
//
// The number of permits over the time of a run, as far as it can be known from outside. For most
// locks it is constant. For a semaphore that keeps its limit in the server (see
// harness::Permits::limit_stands) it depends on grants and SetLimit: the first grant puts its
// client's wish in force, and then only SetLimit changes it. During a SetLimit, and after one of
// unknown outcome, it may be either number.
//
// A grant sets the limit only if none was in force: one made under a limit other than that in force
// changes nothing here.
//
// Thread safety: plain data; no reads during a Note call.
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

  /// The server keeps the limit, and none is in force yet. `stands`: how long it stays in force
  /// after the last grant or SetLimit; 0: only while a permit is out.
  void Keep(Duration stands);
  bool kept() const { return kept_; }
  /// Whether a limit outlives the permits.
  bool stands() const { return stands_ > Duration(0); }

  /// `count` clients will have a wish.
  void ReserveClients(std::size_t count) { wishes_.reserve(count); }
  /// A client's wish; 0: whichever is in force. Clients without one share the default wish.
  void SetWish(int client, int wish);
  int WishOf(int client) const;

  void NoteCall(int client, int limit, VirtualTime now);
  /// Records a command that the client sent while its latest call is open.
  void NoteSent(int client, std::uint64_t number);
  /// A command of the client has changed data: if one of its calls sent it, that limit may be in
  /// force from now on.
  void NoteChange(int client, std::uint64_t number, VirtualTime now);
  void NoteAnswer(int client, StatusCode answer, VirtualTime now);
  const std::vector<LimitCall>& calls() const { return calls_; }

  /// A grant to the client (-1: unknown), `alone`: while no other permit is out. Returns false if a
  /// limit other than its wish was in force.
  bool NoteGrant(int client, VirtualTime now, bool alone);

  /// The highest and lowest limit that may have been in force in [from, to]. At least 1: where none
  /// is in force, a grant makes one.
  int Most(VirtualTime from = {}, VirtualTime to = kOpen) const;
  int Least(VirtualTime from = {}, VirtualTime to = kOpen) const;
  /// The lowest from that instant until the next Note call.
  int LeastAfter(VirtualTime at) const;
  /// The highest that may be in force now.
  int MostNow() const;
  /// Whether a limit other than this one, or none at all, may have been in force in [from, to].
  bool MayBeOther(int limit, VirtualTime from, VirtualTime to) const;
  bool MayBeNone(VirtualTime from, VirtualTime to) const;
  /// Whether a client with this wish may have been refused because of it. Never if no limit is
  /// kept.
  bool MayRefuse(int wish, VirtualTime from, VirtualTime to) const {
    if (!kept_) return false;
    return wish == 0 ? MayBeNone(from, to) : MayBeOther(wish, from, to);
  }

  /// From that instant on the limit may be any of these; 0: none.
  struct Span {
    VirtualTime from{};
    std::vector<int> possible;
    VirtualTime lapses = kOpen;  ///< after this there may be none, unless a permit is out
  };
  /// In order of time; empty: the limit is constant.
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
  std::vector<Span> spans_;           // created lazily: most locks need none
};

}  // namespace interlock::scenarios
