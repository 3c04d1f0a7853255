// SPDX-License-Identifier: MIT
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

void SAdd(Context& c) {
  Set* set = nullptr;
  if (!c.Get(c.args[1], &set)) return;
  if (set == nullptr) set = &c.Create<Set>(c.args[1]);
  std::int64_t added = 0;
  for (const std::string_view member : c.args.subspan(2)) added += set->Add(member) ? 1 : 0;
  if (added > 0) c.Touch(c.args[1]);
  c.Integer(added);
}

void SRem(Context& c) {
  Set* set = nullptr;
  if (!c.Get(c.args[1], &set)) return;
  std::int64_t removed = 0;
  if (set != nullptr) {
    for (const std::string_view member : c.args.subspan(2)) removed += set->Remove(member) ? 1 : 0;
    if (set->size() == 0) c.Remove(c.args[1]);
    if (removed > 0) c.Touch(c.args[1]);
  }
  c.Integer(removed);
}

void SMembers(Context& c) {
  Set* set = nullptr;
  if (!c.Get(c.args[1], &set)) return;
  std::vector<Value>& members = c.Array();
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

// Only where there is nothing to choose: the server has no randomness of its own.
void SPop(Context& c) {
  if (c.args.size() > 3) return c.Error(kSyntax);
  const bool has_count = c.args.size() == 3;
  std::int64_t count = 1;
  if (has_count && (!ParseInteger(c.args[2], &count) || count < 0)) {
    return c.Error(kMustBePositive);
  }
  Set* set = nullptr;
  if (!c.Get(c.args[1], &set)) return;
  if (set == nullptr || count == 0) return has_count ? c.EmptyArray() : c.Nil();
  if (static_cast<std::size_t>(count) < set->size()) {
    return c.Unmodelled("SPOP of a random member");
  }
  if (has_count) {
    for (const std::string& member : set->Members()) c.Array().push_back(StringValue(member));
  } else {
    c.String(set->Members().front());
  }
  c.Remove(c.args[1]);
  c.Touch(c.args[1]);
}

constexpr HandlerRow kRows[] = {
    {"sadd", &SAdd},
    {"srem", &SRem},
    {"smembers", &SMembers},
    {"sismember", &SIsMember},
    {"smismember", &SMIsMember},
    {"scard", &SCard},
    {"spop", &SPop},
};

}  // namespace

std::span<const HandlerRow> SetCommands() { return kRows; }

}  // namespace interlock::sim::redis
