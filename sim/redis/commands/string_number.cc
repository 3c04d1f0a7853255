// SPDX-License-Identifier: MIT
//
// Numeric strings: INCR and its relatives.
#include <cmath>
#include <limits>

#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

void PutNumber(Context& c, Entry* entry, std::string text, StringForm form) {
  if (entry == nullptr) entry = &c.keyspace().Add(c.database(), c.args[1], std::string());
  entry->data = std::move(text);
  entry->form = form;
  c.Touch(c.args[1]);
}

void Increase(Context& c, std::int64_t by) {
  Entry* entry = c.Find(c.args[1]);
  std::string* text = nullptr;
  if (!c.As(entry, &text)) return;
  std::int64_t number = 0;
  if (text != nullptr && !c.ParseInt(*text, &number)) return;
  if (__builtin_add_overflow(number, by, &number)) return c.Error(kOverflow);
  PutNumber(c, entry, std::to_string(number), StringForm::kShortest);
  c.Notify(kNotifyString, "incrby", c.args[1]);
  c.Integer(number);
}

void IncrBy(Context& c) {
  std::int64_t by = 0;
  if (c.ParseInt(c.args[2], &by)) Increase(c, by);
}

void DecrBy(Context& c) {
  std::int64_t by = 0;
  if (!c.ParseInt(c.args[2], &by)) return;
  if (by == std::numeric_limits<std::int64_t>::min()) {
    return c.Error("ERR decrement would overflow");
  }
  Increase(c, -by);
}

// Replicas get the sum, not the increment: their arithmetic might differ.
void IncrByFloat(Context& c) {
  Entry* entry = c.Find(c.args[1]);
  std::string* text = nullptr;
  if (!c.As(entry, &text)) return;
  long double value = 0;
  long double by = 0;
  if (text != nullptr && !ParseLongDouble(*text, &value)) return c.Error(kNotFloat);
  if (!ParseLongDouble(c.args[2], &by)) return c.Error(kNotFloat);
  value += by;
  if (std::isnan(value) || std::isinf(value)) {
    return c.Error("ERR increment would produce NaN or Infinity");
  }
  c.String(FormatLongDouble(value));
  PutNumber(c, entry, c.reply.text, StringForm::kText);
  c.Notify(kNotifyString, "incrbyfloat", c.args[1]);
  c.Propagate({"SET", c.args[1], c.reply.text, "KEEPTTL"});
}

constexpr HandlerRow kStringNumberCommands[] = {
    {"incr", [](Context& c) { Increase(c, 1); }},
    {"decr", [](Context& c) { Increase(c, -1); }},
    {"incrby", &IncrBy},
    {"decrby", &DecrBy},
    {"incrbyfloat", &IncrByFloat},
};

}  // namespace

std::span<const HandlerRow> StringNumberCommands() { return kStringNumberCommands; }

}  // namespace interlock::sim::redis
