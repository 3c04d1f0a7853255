// SPDX-License-Identifier: MIT
#include "scenarios/log/limits.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace interlock::scenarios {
namespace {

bool IsPossible(const std::vector<int>& possible, int limit) {
  return std::ranges::find(possible, limit) != possible.end();
}

std::vector<int> With(std::vector<int> possible, int limit) {
  if (!IsPossible(possible, limit)) possible.push_back(limit);
  return possible;
}

std::vector<int> WithoutLimit(std::vector<int> possible, int limit) {
  possible.erase(std::remove(possible.begin(), possible.end(), limit), possible.end());
  return possible;
}

/// The lowest possible limit; at least 1, because a grant sets a limit where none is in force.
int LeastOf(const std::vector<int>& possible) {
  return std::max(1, *std::ranges::min_element(possible));
}

}  // namespace

void Limits::Keep(Duration stands) {
  kept_ = true;
  stands_ = stands;
  spans_ = {{VirtualTime{}, {0}, VirtualTime{}}};
}

void Limits::SetWish(int client, int wish) {
  const auto index = static_cast<std::size_t>(client);
  if (index >= wishes_.size()) wishes_.resize(index + 1, permits_);
  wishes_[index] = wish;
}

int Limits::WishOf(int client) const {
  const auto index = static_cast<std::size_t>(client);
  return index < wishes_.size() ? wishes_[index] : permits_;
}

const Limits::Span& Limits::Latest() {
  if (spans_.empty()) spans_.push_back({VirtualTime{}, {permits_}, kOpen});
  return spans_.back();
}

LimitCall* Limits::LatestCallOf(int client) {
  const auto call = std::find_if(calls_.rbegin(), calls_.rend(),
                                 [client](const LimitCall& one) { return one.client == client; });
  return call == calls_.rend() ? nullptr : &*call;
}

std::vector<int> Limits::WithAnyWish(std::vector<int> possible) const {
  for (const int wish : wishes_) possible = With(std::move(possible), wish);
  return WithoutLimit(std::move(possible), 0);
}

void Limits::NoteCall(int client, int limit, VirtualTime now) {
  calls_.push_back({.client = client, .limit = limit, .called = now});
}

void Limits::NoteSent(int client, std::uint64_t number) {
  LimitCall& call = *LatestCallOf(client);
  if (call.commands++ == 0) call.first_sent = number;
  call.last_sent = number;
}

void Limits::NoteChange(int client, std::uint64_t number, VirtualTime now) {
  const auto has_sent = [&](const LimitCall& call) {
    return call.client == client && call.commands > 0 && call.first_sent <= number &&
           number <= call.last_sent;
  };
  const auto call = std::ranges::find_if(calls_, has_sent);
  if (call == calls_.end()) return;
  call->changed = std::min(call->changed, now);
  changes_.push_back(static_cast<std::size_t>(call - calls_.begin()));
  Append(now, With(Latest().possible, call->limit), Latest().lapses);
}

// The limit is the call's if no other call has changed anything since this one first did or, if it
// changed nothing, since it was made.
void Limits::NoteAnswer(int client, StatusCode answer, VirtualTime now) {
  LimitCall& call = *LatestCallOf(client);
  call.answered = now;
  call.answer = answer;
  if (answer != StatusCode::kOk) return;
  const auto index = static_cast<std::size_t>(&call - calls_.data());
  const auto first = std::ranges::find(changes_, index);
  const bool alone =
      first == changes_.end()
          ? Latest().from < call.called
          : std::all_of(first, changes_.end(), [index](std::size_t one) { return one == index; });
  const VirtualTime lapses = LapsesAfter(std::min(call.changed, now));
  Append(now, alone ? std::vector<int>{call.limit} : With(Latest().possible, call.limit),
         std::max(lapses, Latest().lapses));
}

bool Limits::NoteGrant(int client, VirtualTime now, bool alone) {
  if (!kept_) return true;
  const Span& before = spans_.back();
  if (client < 0) {
    const bool none = stands() ? IsPossible(before.possible, 0) : alone;
    Append(now, none ? WithAnyWish(before.possible) : before.possible,
           stands() ? LapsesAfter(now) : kOpen);
    return true;
  }
  const int wish = WishOf(client);
  if (!stands()) {
    if (alone) Append(now, {wish}, kOpen);
    return alone || IsPossible(before.possible, wish);
  }
  const bool lapsed = alone && now >= before.lapses;
  const bool none = lapsed || IsPossible(before.possible, 0);
  const std::vector<int> some = WithoutLimit(before.possible, 0);
  const bool follows = wish == 0;
  const bool fits = follows ? !some.empty() : none || IsPossible(some, wish);
  if (!fits) return false;
  Append(now, follows ? some : With(some, wish), LapsesAfter(now));
  return true;
}

int Limits::MostNow() const {
  if (spans_.empty()) return only();
  const std::vector<int>& possible = spans_.back().possible;
  return std::max(1, *std::ranges::max_element(possible));
}

int Limits::Most(VirtualTime from, VirtualTime to) const {
  if (spans_.empty()) return only();
  int most = 1;
  ForEach(from, to, [&](const Span& span, VirtualTime) {
    most = std::max(most, *std::ranges::max_element(span.possible));
  });
  return most;
}

int Limits::Least(VirtualTime from, VirtualTime to) const {
  if (spans_.empty()) return only();
  int least = Most(from, to);
  ForEach(from, to,
          [&](const Span& span, VirtualTime) { least = std::min(least, LeastOf(span.possible)); });
  return least;
}

int Limits::LeastAfter(VirtualTime at) const {
  if (spans_.empty()) return only();
  const auto later = std::find_if(spans_.begin() + 1, spans_.end(),
                                  [at](const Span& span) { return span.from > at; });
  return LeastOf(std::prev(later)->possible);
}

bool Limits::MayBeOther(int limit, VirtualTime from, VirtualTime to) const {
  if (spans_.empty()) return permits_ != 0 && permits_ != limit;
  bool other = false;
  ForEach(from, to, [&](const Span& span, VirtualTime) {
    other = other || std::ranges::any_of(span.possible,
                                         [limit](int one) { return one != 0 && one != limit; });
  });
  return other;
}

bool Limits::MayBeNone(VirtualTime from, VirtualTime to) const {
  if (spans_.empty()) return to == kOpen || permits_ == 0;
  bool none = false;
  ForEach(from, to, [&](const Span& span, VirtualTime until) {
    none = none || until >= span.lapses || IsPossible(span.possible, 0);
  });
  return none;
}

/// Calls `judge(span, until)` for each span that overlaps [from, to]; `until` is the last instant
/// of the overlap.
template <typename Judge>
void Limits::ForEach(VirtualTime from, VirtualTime to, const Judge& judge) const {
  for (std::size_t i = 0; i < spans_.size() && spans_[i].from <= to; ++i) {
    const VirtualTime end = i + 1 < spans_.size() ? spans_[i + 1].from : kOpen;
    if (end >= from) judge(spans_[i], std::min(end, to));
  }
}

void Limits::Append(VirtualTime now, std::vector<int> possible, VirtualTime lapses) {
  const Span& last = Latest();
  if (last.possible == possible && last.lapses == lapses) return;
  spans_.push_back({now, std::move(possible), lapses});
}

/// The result is a little early, because clocks differ.
VirtualTime Limits::LapsesAfter(VirtualTime used) const { return used + stands_ - stands_ / 64; }

}  // namespace interlock::scenarios
