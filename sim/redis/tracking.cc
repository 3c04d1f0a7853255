// SPDX-License-Identifier: MIT
#include "sim/redis/tracking.h"

#include <iterator>
#include <utility>

#include "sim/redis/command_keys.h"
#include "sim/redis/engine.h"
#include "sim/redis/state.h"

namespace interlock::sim::redis {

namespace {

Value KeysValue(const std::optional<std::string>& key) {
  return key ? ArrayValue({StringValue(*key)}) : NilValue();
}

constexpr std::uint64_t kTrackedKey = 0x100;  // Unlike the other parts of a state.

// Its commands are what reads.
bool RunsScript(const Command& command) {
  return command.name.starts_with("eval") || command.name.starts_with("fcall");
}

}  // namespace

void Tracking::Reset() {
  clients_ = 0;
  readers_.clear();
  items_ = 0;
  listeners_.clear();
  changed_.clear();
  for_caller_.clear();
  script_ = nullptr;
  UpdateListener();
}

void Tracking::UpdateListener() {
  engine_.keyspace.AnnounceTouches(!readers_.empty() || !listeners_.empty());
}

void Tracking::Enable(Client& client, const TrackingMode& mode, Arguments prefixes) {
  if (!client.tracking.on) ++clients_;
  TrackingMode changed = mode;
  changed.on = true;
  changed.caching = client.tracking.caching;
  changed.prefixes = std::move(client.tracking.prefixes);
  client.tracking = std::move(changed);
  static constexpr std::string_view kEverything[] = {""};
  if (mode.broadcast && prefixes.empty()) prefixes = kEverything;
  for (const std::string_view prefix : prefixes) {
    client.tracking.prefixes.emplace(prefix);
    listeners_[std::string(prefix)].insert(client.id);
  }
  UpdateListener();
}

// Keys that it has read stay remembered, for the case that it is tracked again.
void Tracking::Disable(Client& client) {
  if (!client.tracking.on) return;
  for (const std::string& prefix : client.tracking.prefixes) {
    const auto at = listeners_.find(prefix);
    at->second.erase(client.id);
    if (!at->second.empty()) continue;
    listeners_.erase(at);
    changed_.erase(prefix);
  }
  client.tracking = TrackingMode();
  --clients_;
  UpdateListener();
}

void Tracking::OnScript(const Command& command, Arguments args) {
  if (!RunsScript(command) || engine_.dialect().since_72) return;
  script_ = &command;
  script_args_.assign(args.begin(), args.end());
}

void Tracking::OnRead(const Client& client, const Command& command, Arguments args) {
  if (RunsScript(command)) return;
  const bool in_script = client.id == 0;
  const Client* reader = in_script ? engine_.clients.Find(engine_.script_turn.client()) : &client;
  if (reader == nullptr || !reader->tracking.on || reader->tracking.broadcast) return;
  const TrackingMode& mode = reader->tracking;
  if ((mode.opt_in && !mode.caching) || (mode.opt_out && mode.caching)) return;
  std::vector<std::string_view> given;
  const Command* reading = &command;
  if (in_script && !engine_.dialect().since_72) {
    reading = script_;
    given.assign(script_args_.begin(), script_args_.end());
    args = given;
  }
  engine_.keyspace.TouchAll();
  for (const KeyPosition& position : FindKeys(*reading, args)) {
    items_ += readers_[std::string(args[position.index])].insert(reader->id).second ? 1 : 0;
  }
  UpdateListener();
}

void Tracking::EndCaching(Client& client) {
  const Command* command = client.last_command;
  const bool stays = client.in_multi || client.postponed ||
                     (command != nullptr && command->name.starts_with("client|"));
  if (!stays) client.tracking.caching = false;
}

void Tracking::OnModified(std::string_view key, ClientId author) {
  for (const auto& [prefix, clients] : listeners_) {
    if (!key.starts_with(prefix)) continue;
    engine_.keyspace.TouchAll();
    changed_[prefix].insert_or_assign(std::string(key), author);
  }
  Invalidate(key);
}

void Tracking::Invalidate(std::string_view key) {
  const auto at = readers_.find(key);
  if (at == readers_.end()) return;
  engine_.keyspace.TouchAll();
  const auto node = readers_.extract(at);
  items_ -= node.mapped().size();
  UpdateListener();
  for (const ClientId id : node.mapped()) {
    Client* client = engine_.clients.Find(id);
    if (client == nullptr || !client->tracking.on || client->tracking.broadcast) continue;
    if (client->tracking.no_loop && id == engine_.current()) continue;
    if (id == engine_.executing()) {
      for_caller_.emplace_back(node.key());
    } else {
      Send(*client, KeysValue(node.key()));
    }
  }
}

void Tracking::OnFlushed() {
  for (std::size_t i = 0; on() && i < engine_.clients.all().size(); ++i) {
    Client* client = engine_.clients.all()[i].get();
    if (client == nullptr || !client->tracking.on) continue;
    if (client->id == engine_.executing()) {
      for_caller_.emplace_back();
    } else {
      Send(*client, NilValue());
    }
  }
  readers_.clear();
  items_ = 0;
  UpdateListener();
}

void Tracking::TellCaller(ClientId id) {
  if (for_caller_.empty()) return;
  const auto keys = std::exchange(for_caller_, {});
  Client* client = engine_.clients.Find(id);
  if (client == nullptr) return;
  for (const std::optional<std::string>& key : keys) Send(*client, KeysValue(key));
}

// Per prefix in byte order, with the keys in byte order.
void Tracking::Broadcast() {
  for (const auto& [prefix, changes] : std::exchange(changed_, {})) {
    for (const ClientId id : listeners_.find(prefix)->second) {
      Client& client = *engine_.clients.Find(id);
      std::vector<Value> keys;
      for (const auto& [key, author] : changes) {
        if (!client.tracking.no_loop || author != id) keys.push_back(StringValue(key));
      }
      if (!keys.empty()) Send(client, ArrayValue(std::move(keys)));
    }
  }
}

// A client of RESP2 can be told only as a subscriber, of whatever.
void Tracking::Send(Client& client, const Value& keys) {
  engine_.keyspace.TouchAll();
  const ClientId redirect = client.tracking.redirect;
  Client* receiver = redirect == 0 ? &client : engine_.clients.Find(redirect);
  if (receiver == nullptr) {
    client.tracking.redirect_broken = true;
    if (client.protocol == 2) return;
    return engine_.pubsub.Tell(client.id,
                               PushValue({StringValue("tracking-redir-broken"),
                                          IntegerValue(static_cast<std::int64_t>(redirect))}));
  }
  // Where it stands among the replies of Redis 7.0 differs from command to command.
  if (receiver->id == engine_.executing() && !engine_.dialect().since_72) {
    return engine_.SetUnmodelled("CLIENT TRACKING redirected to whom changes the key");
  }
  if (receiver->protocol == 3) {
    return engine_.pubsub.Tell(receiver->id, PushValue({StringValue("invalidate"), keys}));
  }
  if (redirect == 0 || !receiver->subscribed()) return;
  // Redis sends the null of RESP3.
  if (client.protocol == 3 && keys.type == Value::Type::kNil) {
    return engine_.SetUnmodelled("FLUSHALL for a RESP3 client redirected to one of RESP2");
  }
  engine_.pubsub.Tell(
      receiver->id, PushValue({StringValue("message"), StringValue("__redis__:invalidate"), keys}));
}

void Tracking::LimitTable() {
  const auto most = static_cast<std::size_t>(engine_.config().tracking_table_max_keys);
  if (most == 0) return;
  while (readers_.size() > most) {
    auto chosen = readers_.begin();
    std::advance(chosen, engine_.dice.Choose(readers_.size()));
    Invalidate(std::string(chosen->first));
  }
}

void Tracking::Describe(StateSink& sink) const {
  for (const auto& [key, clients] : readers_) {
    sink.BeginPart();
    sink.Number(kTrackedKey);
    sink.Text(key);
    for (const ClientId id : clients) sink.OfClient(id);
  }
}

}  // namespace interlock::sim::redis
