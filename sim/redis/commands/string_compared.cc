// SPDX-License-Identifier: MIT
//
// Commands that delete a string if it has a certain value, and the one that answers the digest
// which such a condition may name: DELIFEQ, DELEX, DIGEST.
#include "sim/redis/commands/comparison.h"
#include "sim/redis/engine.h"

namespace interlock::sim::redis {

namespace {

void DeleteIf(Context& c, bool holds) {
  if (holds) c.Delete(c.args[1]);
  c.Integer(std::int64_t{holds});
}

void DelIfEq(Context& c) {
  std::string* text = nullptr;
  if (c.Get(c.args[1], &text)) DeleteIf(c, text != nullptr && *text == c.args[2]);
}

// Redis deletes a value of any type if there is no condition; Valkey requires one.
void DelEx(Context& c) {
  if (c.args.size() == 2) return DeleteIf(c, c.FindToWrite(c.args[1]) != nullptr);
  std::optional<Comparison> comparison;
  if (c.args.size() == 4) {
    comparison = FindComparison(c.dialect(), Comparing::kDelex, c.args[2], c.args[3]);
  }
  if (!comparison) return c.Unmodelled("DELEX with other conditions than one that it knows");
  if (!IsModelled(c, *comparison)) return;
  const Entry* const entry = c.FindToWrite(c.args[1]);
  if (entry == nullptr) return DeleteIf(c, false);
  const auto* const text = std::get_if<std::string>(&entry->data);
  if (text == nullptr) return c.Unmodelled("DELEX with a condition on what is no string");
  DeleteIf(c, comparison->HoldsFor(*text));
}

void Digest(Context& c) {
  std::string* text = nullptr;
  if (c.Get(c.args[1], &text) && text != nullptr) c.String(DigestOf(*text));
}

constexpr HandlerRow kComparedStringCommands[] = {
    {"delifeq", &DelIfEq},
    {"delex", &DelEx},
    {"digest", &Digest},
};

}  // namespace

std::span<const HandlerRow> ComparedStringCommands() { return kComparedStringCommands; }

}  // namespace interlock::sim::redis
