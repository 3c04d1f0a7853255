// SPDX-License-Identifier: MIT
#include "sim/redis/engine.h"

namespace interlock::sim::redis {

namespace {

// The confirmations are the reply.
void SubscribeAll(Context& c, bool pattern) {
  for (const std::string_view channel : c.args.subspan(1)) {
    c.engine.pubsub.Subscribe(c.client, channel, pattern);
  }
  c.silent = true;
}

void Unsubscribe(Context& c, bool pattern) {
  c.silent = true;
  if (c.args.size() == 1) return c.engine.pubsub.UnsubscribeAll(c.client, pattern);
  for (const std::string_view channel : c.args.subspan(1)) {
    c.engine.pubsub.Unsubscribe(c.client, channel, pattern);
  }
}

void Publish(Context& c) {
  c.propagation = Context::Propagation::kAlways;  // For the subscribers of replicas.
  c.Integer(c.engine.pubsub.Publish(c.args[1], c.args[2]));
}

constexpr HandlerRow kRows[] = {
    {"subscribe", [](Context& c) { SubscribeAll(c, false); }},
    {"psubscribe", [](Context& c) { SubscribeAll(c, true); }},
    {"unsubscribe", [](Context& c) { Unsubscribe(c, false); }},
    {"punsubscribe", [](Context& c) { Unsubscribe(c, true); }},
    {"publish", &Publish},
};

}  // namespace

std::span<const HandlerRow> PubSubCommands() { return kRows; }

}  // namespace interlock::sim::redis
