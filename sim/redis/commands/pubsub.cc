// SPDX-License-Identifier: MIT
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

// The confirmations are the reply.
void Subscribe(Context& c, Subscription kind) {
  // Where blocking is forbidden, Redis exempts transactions, but not for shard channels.
  if (kind == Subscription::kShardChannel && c.client.must_not_block) {
    return c.Error("ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client");
  }
  for (const std::string_view name : c.args.subspan(1)) {
    c.engine.pubsub.Subscribe(c.client, name, kind);
  }
  c.silent = true;
}

void Unsubscribe(Context& c, Subscription kind) {
  c.silent = true;
  if (c.args.size() == 1) return c.engine.pubsub.UnsubscribeAll(c.client, kind);
  for (const std::string_view name : c.args.subspan(1)) {
    c.engine.pubsub.Unsubscribe(c.client, name, kind);
  }
}

void Publish(Context& c) {
  c.Integer(c.engine.pubsub.Publish(c.args[1], c.args[2]));
  c.propagation = Context::Propagation::kAlways;  // For the subscribers of replicas.
}

void SPublish(Context& c) {
  c.Integer(c.engine.pubsub.PublishToShard(c.args[1], c.args[2]));
  c.propagation = Context::Propagation::kAlways;
}

void ListChannels(Context& c, Subscription kind) {
  if (c.args.size() > 3) {
    return c.Error("ERR unknown subcommand or wrong number of arguments for '" +
                   std::string(UntilNul(c.args[1])) + "'. Try PUBSUB HELP.");
  }
  std::vector<Value>& channels = c.Array();
  for (const auto& [channel, subscribers] : c.engine.pubsub.subscribers(kind)) {
    if (c.args.size() == 3 && !GlobMatch(c.args[2], channel)) continue;
    channels.push_back(StringValue(channel));
  }
}

void CountSubscribers(Context& c, Subscription kind) {
  const PubSub::Subscribers& all = c.engine.pubsub.subscribers(kind);
  std::vector<Value>& counts = c.Array();
  for (const std::string_view channel : c.args.subspan(2)) {
    const auto at = all.find(channel);
    counts.push_back(StringValue(channel));
    counts.push_back(
        IntegerValue(at == all.end() ? 0 : static_cast<std::int64_t>(at->second.size())));
  }
}

void Help(Context& c) {
  constexpr std::string_view kLines[] = {
      "PUBSUB <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
      "CHANNELS [<pattern>]",
      "    Return the currently active channels matching a <pattern> (default: '*').",
      "NUMPAT",
      "    Return number of subscriptions to patterns.",
      "NUMSUB [<channel> ...]",
      "    Return the number of subscribers for the specified channels, excluding",
      "    pattern subscriptions(default: no channels).",
      "SHARDCHANNELS [<pattern>]",
      "    Return the currently active shard level channels matching a <pattern> (default: '*').",
      "SHARDNUMSUB [<shardchannel> ...]",
      "    Return the number of subscribers for the specified shard level channel(s)",
      "HELP",
  };
  for (const std::string_view line : kLines) c.Array().push_back(StatusValue(line));
  c.Array().push_back(StatusValue(c.dialect().last_line_of_help()));
}

constexpr HandlerRow kPubSubCommands[] = {
    {"subscribe", [](Context& c) { Subscribe(c, Subscription::kChannel); }},
    {"psubscribe", [](Context& c) { Subscribe(c, Subscription::kPattern); }},
    {"ssubscribe", [](Context& c) { Subscribe(c, Subscription::kShardChannel); }},
    {"unsubscribe", [](Context& c) { Unsubscribe(c, Subscription::kChannel); }},
    {"punsubscribe", [](Context& c) { Unsubscribe(c, Subscription::kPattern); }},
    {"sunsubscribe", [](Context& c) { Unsubscribe(c, Subscription::kShardChannel); }},
    {"publish", &Publish},
    {"spublish", &SPublish},
    {"pubsub|channels", [](Context& c) { ListChannels(c, Subscription::kChannel); }},
    {"pubsub|shardchannels", [](Context& c) { ListChannels(c, Subscription::kShardChannel); }},
    {"pubsub|numsub", [](Context& c) { CountSubscribers(c, Subscription::kChannel); }},
    {"pubsub|shardnumsub", [](Context& c) { CountSubscribers(c, Subscription::kShardChannel); }},
    {"pubsub|numpat",
     [](Context& c) { c.Integer(c.engine.pubsub.subscribers(Subscription::kPattern).size()); }},
    {"pubsub|help", &Help},
};

}  // namespace

std::span<const HandlerRow> PubSubCommands() { return kPubSubCommands; }

}  // namespace interlock::sim::redis
