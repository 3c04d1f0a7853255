// SPDX-License-Identifier: MIT
//
// The commands on a single set, and SMOVE.
#include <algorithm>

#include "sim/redis/commands/collections.h"
#include "sim/redis/commands/scan_options.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

void SAdd(Context& c) {
  Set* set = nullptr;
  if (!c.Get(c.args[1], &set)) return;
  if (set == nullptr) set = &c.Create<Set>(c.args[1]);
  set->Expect(c.args[2], c.args.size() - 2, c.engine.encoding_limits);
  std::int64_t added = 0;
  for (const std::string_view member : c.args.subspan(2)) {
    added += set->Add(member, c.engine.encoding_limits) ? 1 : 0;
  }
  if (added > 0) {
    c.Touch(c.args[1], static_cast<std::size_t>(added));
    c.Notify(kNotifySet, "sadd", c.args[1]);
  }
  c.Integer(added);
}

void SRem(Context& c) {
  Set* set = nullptr;
  if (!c.Get(c.args[1], &set)) return;
  std::int64_t removed = 0;
  if (set != nullptr) {
    for (const std::string_view member : c.args.subspan(2)) removed += set->Remove(member) ? 1 : 0;
    if (removed > 0) {
      c.Touch(c.args[1], static_cast<std::size_t>(removed));
      c.Notify(kNotifySet, "srem", c.args[1]);
      RemoveIfEmpty(c, c.args[1], *set);
    }
  }
  c.Integer(removed);
}

void SMove(Context& c) {
  Entry* from = c.Find(c.args[1]);
  Entry* to = c.Find(c.args[2]);
  if (from == nullptr) return c.Integer(std::int64_t{0});
  Set* source = nullptr;
  Set* destination = nullptr;
  if (!c.As(from, &source) || !c.As(to, &destination)) return;
  const std::string_view member = c.args[3];
  if (source == destination) return c.Integer(std::int64_t{source->Contains(member) ? 1 : 0});
  c.Integer(std::int64_t{0});
  if (!source->Remove(member)) return;
  c.Notify(kNotifySet, "srem", c.args[1]);
  RemoveIfEmpty(c, c.args[1], *source);
  if (destination == nullptr) destination = &c.Create<Set>(c.args[2]);
  c.Touch(c.args[1]);
  if (destination->Add(member, c.engine.encoding_limits)) {
    c.Touch(c.args[2]);
    c.Notify(kNotifySet, "sadd", c.args[2]);
  }
  c.Integer(std::int64_t{1});
}

void SMembers(Context& c) {
  Set* set = nullptr;
  if (!c.Get(c.args[1], &set)) return;
  std::vector<Value>& members = c.Set();
  if (set == nullptr) return;
  for (const std::string& member : set->Members()) members.push_back(StringValue(member));
}

std::int64_t Has(const Set* set, std::string_view member) {
  return set != nullptr && set->Contains(member) ? 1 : 0;
}

void SIsMember(Context& c) {
  Set* set = nullptr;
  if (c.Get(c.args[1], &set)) c.Integer(Has(set, c.args[2]));
}

void SMIsMember(Context& c) {
  Set* set = nullptr;
  if (!c.Get(c.args[1], &set)) return;
  for (const std::string_view member : c.args.subspan(2)) {
    c.Array().push_back(IntegerValue(Has(set, member)));
  }
}

void SCard(Context& c) {
  Set* set = nullptr;
  if (c.Get(c.args[1], &set)) c.Integer(set == nullptr ? std::size_t{0} : set->size());
}

// Popped members propagate as SREM, in batches.
void PropagateRemoval(Context& c, const std::vector<std::string>& members) {
  constexpr std::size_t kAtATime = 1024;
  for (std::size_t i = 0; i < members.size(); i += kAtATime) {
    std::vector<std::string_view> effect = {"SREM", c.args[1]};
    const std::size_t end = std::min(members.size(), i + kAtATime);
    for (std::size_t j = i; j < end; ++j) effect.emplace_back(members[j]);
    c.Propagate(effect);
  }
}

// If the members that stay are at most a fifth of those that go, the set is rebuilt from them, and
// may become compact again.
void TakeOut(Context& c, Set& set, const std::vector<std::string>& popped) {
  const std::size_t left = set.size() - popped.size();
  for (const std::string& member : popped) set.Remove(member);
  if (left * 5 > popped.size()) return;
  Set kept = set.of_integers() ? Set() : Set::Mixed(c.engine.encoding_limits);
  for (const std::string& member : set.Members()) kept.Add(member, c.engine.encoding_limits);
  set = std::move(kept);
}

void PopSome(Context& c) {
  std::int64_t count = 0;
  if (!ParseInteger(c.args[2], &count) || count < 0) return c.Error(kMustBePositive);
  Set* set = nullptr;
  if (!c.Get(c.args[1], &set)) return;
  std::vector<Value>& reply = c.Set();
  if (set == nullptr || count == 0) return;
  const bool all = static_cast<std::uint64_t>(count) >= set->size();
  std::vector<std::string> popped;
  for (const std::size_t at : ChoosePositions(c.engine, set->size(), count, false)) {
    popped.push_back(set->Member(at));
    reply.push_back(StringValue(popped.back()));
  }
  c.Touch(c.args[1], popped.size());
  c.Notify(kNotifySet, "spop", c.args[1]);
  if (!all) {
    TakeOut(c, *set, popped);
    return PropagateRemoval(c, popped);
  }
  c.Remove(c.args[1]);
  c.Notify(kNotifyGeneric, "del", c.args[1]);
  c.Propagate({c.dialect().removal, c.args[1]});
}

void SPop(Context& c) {
  if (c.args.size() > 3) return c.Error(kSyntax);
  if (c.args.size() == 3) return PopSome(c);
  Set* set = nullptr;
  if (!c.Get(c.args[1], &set) || set == nullptr) return;
  const std::string member = set->Member(c.engine.dice.Choose(set->size()));
  set->Remove(member);
  c.Touch(c.args[1]);
  c.Notify(kNotifySet, "spop", c.args[1]);
  c.Propagate({"SREM", c.args[1], member});
  RemoveIfEmpty(c, c.args[1], *set);
  c.String(member);
}

void SRandMember(Context& c) {
  if (c.args.size() > 3) return c.Error(kSyntax);
  const bool has_count = c.args.size() == 3;
  std::int64_t count = 0;
  if (has_count && !ParseRandomCount(c, c.args[2], &count)) return;
  Set* set = nullptr;
  if (!c.Get(c.args[1], &set)) return;
  if (has_count) c.EmptyArray();
  if (set == nullptr) return;
  if (!has_count) return c.String(set->Member(c.engine.dice.Choose(set->size())));
  for (const std::size_t at : ChoosePositions(c.engine, set->size(), count, false)) {
    c.Array().push_back(StringValue(set->Member(at)));
  }
}

void SScan(Context& c) {
  std::uint64_t cursor = 0;
  if (!ParseScanCursor(c, c.args[2], &cursor)) return;
  Set* set = nullptr;
  if (!c.Get(c.args[1], &set)) return;
  if (set == nullptr) return ReplyScanPage(c, {}, {});
  ScanPage page;
  if (!ParseScanPage(c, ScanOf::kSet, cursor, set->size(), set->compact(), &page)) return;
  std::vector<Value> found;
  for (std::size_t at = page.first; at < page.last; ++at) {
    const std::string member = set->Member(at);
    if (GlobMatch(page.pattern, member)) found.push_back(StringValue(member));
  }
  ReplyScanPage(c, page, std::move(found));
}

constexpr HandlerRow kSetCommands[] = {
    {"sadd", &SAdd},         {"srem", &SRem},           {"smove", &SMove},
    {"smembers", &SMembers}, {"sismember", &SIsMember}, {"smismember", &SMIsMember},
    {"scard", &SCard},       {"spop", &SPop},           {"srandmember", &SRandMember},
    {"sscan", &SScan},
};

}  // namespace

std::span<const HandlerRow> SetCommands() { return kSetCommands; }

}  // namespace interlock::sim::redis
