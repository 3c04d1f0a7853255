// SPDX-License-Identifier: MIT
//
// MULTI, EXEC and WATCH. The replies of a transaction's commands are collected: as many values as
// there were commands are the elements of EXEC's array, and the rest (SUBSCRIBE confirms more than
// once) follow it, which is what a client reads from a real server.
#include <iterator>

#include "sim/redis/engine.h"

namespace interlock::sim::redis {

namespace {

void Multi(Context& c) {
  if (c.client.in_multi) return c.Error("ERR MULTI calls can not be nested");
  c.client.in_multi = true;
  c.client.knows_multi = true;
  c.Ok();
}

void Discard(Context& c) {
  if (!c.client.in_multi) return c.Error("ERR DISCARD without MULTI");
  c.engine.DiscardTransaction(c.client);
  c.Ok();
}

void WatchKeys(Context& c) {
  if (c.client.in_multi) return c.Error("ERR WATCH inside MULTI is not allowed");
  for (const std::string_view key : c.args.subspan(1)) {
    c.keyspace().AddWatch(c.client.id, c.database(), key);
  }
  c.client.knows_multi = true;
  c.Ok();
}

void Unwatch(Context& c) {
  c.keyspace().RemoveWatches(c.client.id);
  c.Ok();
}

void RunQueued(Context& c, const Argv& argv) {
  const std::vector<std::string_view> args(argv.begin(), argv.end());
  const Command* command = FindCommand(c.dialect(), args);
  Value reply;
  if (c.engine.Run(c.client, *command, args, &reply))
    c.engine.outbox.Emit(c.client, std::move(reply));
}

void Exec(Context& c) {
  Client& client = c.client;
  if (!client.in_multi) return c.Error("ERR EXEC without MULTI");
  c.propagation = Context::Propagation::kDone;  // Its commands have been propagated individually.
  const bool failed = client.queue_failed;
  const bool watch_failed = c.keyspace().WatchFailed(client.id);
  const std::vector<Argv> queue = std::move(client.queue);
  c.engine.DiscardTransaction(client);
  if (failed) return c.Error("EXECABORT Transaction discarded because of previous errors.");
  if (watch_failed) return c.NilArray();

  std::vector<Value> output;
  client.captured = &output;
  client.must_not_block = true;
  c.keyspace().Freeze();
  for (const Argv& argv : queue) {
    if (c.engine.unmodelled) break;
    RunQueued(c, argv);
  }
  c.keyspace().Thaw();
  client.must_not_block = false;
  client.captured = nullptr;
  c.silent = true;
  if (c.engine.unmodelled || client.close_after_reply) return;
  if (!client.wants_replies()) return;  // Confirmations have been sent, and nothing else is.
  // The real server has announced one reply per command, and then sends fewer.
  if (output.size() < queue.size()) return c.Unmodelled("CLIENT REPLY in a transaction");
  const auto rest = output.begin() + static_cast<std::ptrdiff_t>(queue.size());
  const std::vector<Value> behind(std::make_move_iterator(rest),
                                  std::make_move_iterator(output.end()));
  output.resize(queue.size());
  c.engine.outbox.EmitTransaction(client, ArrayValue(std::move(output)));
  for (const Value& value : behind) c.engine.outbox.Emit(client, value);
}

constexpr HandlerRow kTransactionCommands[] = {
    {"multi", &Multi},     {"exec", &Exec},       {"discard", &Discard},
    {"watch", &WatchKeys}, {"unwatch", &Unwatch},
};

}  // namespace

std::span<const HandlerRow> TransactionCommands() { return kTransactionCommands; }

}  // namespace interlock::sim::redis
