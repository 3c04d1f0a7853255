// SPDX-License-Identifier: MIT
//
// A client's line in CLIENT LIST and CLIENT INFO. Buffer sizes, which depend on the allocator and
// on sockets, are those of an idle client of a real server.
#include "sim/redis/commands/client_list.h"

#include "sim/redis/engine.h"
#include "sim/redis/wire_size.h"

namespace interlock::sim::redis {

std::string ClientFlags(const Engine& engine, const Client& client) {
  std::string flags;
  if (client.from_master) flags.push_back('M');
  if (client.subscribed() || !client.shard_channels.empty()) flags.push_back('P');
  if (client.in_multi) flags.push_back('x');
  if (client.wait || client.postponed) flags.push_back('b');
  if (client.tracking.on) flags.push_back('t');
  if (client.tracking.redirect_broken) flags.push_back('R');
  if (client.tracking.broadcast) flags.push_back('B');
  if (engine.keyspace.watched().Touched(client.id)) flags.push_back('d');
  if (client.close_after_reply) flags.push_back('c');
  if (client.address.starts_with('/')) flags.push_back('U');
  if (client.reads_replica) flags.push_back('r');
  if (client.no_evict) flags.push_back('e');
  if (client.no_touch) flags.push_back('T');
  return flags.empty() ? "N" : flags;
}

namespace {

constexpr std::size_t kQueryBuffer = 20474;
constexpr std::size_t kClientMemory = 37632;
constexpr std::size_t kBareClientMemory = 17160;    // Without that buffer.
constexpr std::size_t kNewClientMemory = 128;       // Beyond that, in Redis since 7.2.
constexpr std::size_t kValkeyClientMemory = 17024;  // One buffer serves all of its clients.
constexpr std::int64_t kIdleWithBufferS = 2;
constexpr std::int64_t kMsPerSecond = 1000;

std::size_t SizeOf(Arguments args) {
  std::size_t size = 0;
  for (const std::string_view arg : args) size += arg.size();
  return size;
}

// A transaction that has failed is forgotten by Valkey at once.
bool HasForgotten(const Context& c, const Client& client) {
  return c.dialect().valkey && client.queue_failed;
}

std::int64_t QueuedCommands(const Context& c, const Client& client) {
  if (!client.in_multi) return c.dialect().valkey && client.knows_multi ? 0 : -1;
  return HasForgotten(c, client) ? 0 : static_cast<std::int64_t>(client.queue.size());
}

std::size_t QueuedSize(const Context& c, const Client& client) {
  std::size_t size = 0;
  if (HasForgotten(c, client)) return size;
  for (const Argv& argv : client.queue) {
    for (const std::string& word : argv) size += word.size() + sizeof(void*);
  }
  return size;
}

// A reply goes into a fixed buffer of the client; what does not fit goes into a list of blocks.
struct Output {
  std::size_t buffered = 0;
  std::size_t nodes = 0;
  std::size_t memory = 0;
  bool waits = false;
};

Output OutputOf(const Buffers& buffers) {
  constexpr std::size_t kBuffer = 16384;
  constexpr std::size_t kNode = 40;
  Output output{.buffered = std::min(buffers.unsent, kBuffer), .waits = buffers.waits};
  const std::size_t rest = buffers.unsent - output.buffered;
  output.nodes = (rest + kBuffer - 1) / kBuffer;
  output.memory = output.nodes * (kBuffer + kNode);
  return output;
}

class Line {
 public:
  Line& Add(std::string_view name, std::string_view value) {
    if (!text_.empty()) text_.push_back(' ');
    text_.append(name).append("=").append(value);
    return *this;
  }
  Line& Add(std::string_view name, std::int64_t value) { return Add(name, std::to_string(value)); }
  Line& Add(std::string_view name, std::size_t value) { return Add(name, std::to_string(value)); }
  std::string Take() { return std::move(text_.append("\n")); }

 private:
  std::string text_;
};

// Of a client that has nothing queued or buffered.
std::size_t MemoryWithout(const Dialect& dialect, bool has_buffer) {
  if (dialect.valkey) return kValkeyClientMemory + (has_buffer ? kQueryBuffer : 0);
  return (has_buffer ? kClientMemory : kBareClientMemory) +
         (dialect.since_72 ? kNewClientMemory : 0);
}

// What lines end with since Redis 7.2.
void AddNewer(const Dialect& dialect, const Client& client, Line* line) {
  line->Add("lib-name", client.library).Add("lib-ver", client.library_version);
  if (!dialect.valkey) {
    line->Add("io-thread", "0");
    return;
  }
  line->Add("tot-net-in", client.bytes_received)
      .Add("tot-net-out", client.bytes_sent)
      .Add("tot-cmds", client.commands);
}

}  // namespace

std::string LocalAddress(const Engine& engine, const Client& client) {
  if (client.address.starts_with('/')) return client.address;
  const bool v6 = client.address.starts_with('[');
  return (v6 ? "[::1]:" : "127.0.0.1:") + std::to_string(engine.config().port);
}

std::string ClientLine(const Context& c, const Client& client) {
  const Dialect& dialect = c.dialect();
  const bool self = client.id == c.client.id;
  const Buffers buffers = c.engine.buffers_of ? c.engine.buffers_of(client.id) : Buffers();
  const std::size_t query = (self && !dialect.valkey ? CommandSize(c.args) : 0) + buffers.unread;
  const std::int64_t idle_s = (c.engine.now_ms() - client.last_command_ms) / kMsPerSecond;
  // An empty buffer is freed eventually.
  const bool has_buffer = query > 0 || (!dialect.valkey && idle_s <= kIdleWithBufferS);
  const std::size_t arguments = self ? SizeOf(c.args) : 0;
  const std::size_t queued = QueuedSize(c, client);
  constexpr std::int64_t kFirstDescriptor = 7;  // After those that a server opens for itself.
  const Output output = OutputOf(buffers);
  Line line;
  line.Add("id", static_cast<std::int64_t>(client.id))
      .Add("addr", client.address.empty() ? "?:0" : client.address)
      .Add("laddr", LocalAddress(c.engine, client))
      .Add("fd", kFirstDescriptor + static_cast<std::int64_t>(client.id))
      .Add("name", client.name)
      .Add("age", (c.engine.now_ms() - client.connected_ms) / kMsPerSecond)
      .Add("idle", idle_s)
      .Add("flags", ClientFlags(c.engine, client));
  if (dialect.valkey) line.Add("capa", client.follows_redirects ? "r" : "");
  line.Add("db", std::int64_t{client.database})
      .Add("sub", client.channels.size())
      .Add("psub", client.patterns.size())
      .Add("ssub", client.shard_channels.size())
      .Add("multi", QueuedCommands(c, client));
  if (dialect.since_72) line.Add("watch", c.keyspace().watched().CountOf(client.id));
  line.Add("qbuf", query)
      .Add("qbuf-free", has_buffer ? kQueryBuffer - std::min(query, kQueryBuffer) : 0)
      .Add("argv-mem", arguments)
      .Add("multi-mem", queued)
      .Add("rbs", "16384")
      .Add("rbp", "16384")
      .Add("obl", output.buffered)
      .Add("oll", output.nodes)
      .Add("omem", output.memory)
      .Add("tot-mem", MemoryWithout(dialect, has_buffer) + query + queued + output.memory)
      .Add("events", output.waits ? "rw" : "r")
      .Add("cmd", client.last_command == nullptr ? "NULL" : client.last_command->name)
      .Add("user", "default")
      .Add("redir", client.tracking.shown_redirect())
      .Add("resp", std::int64_t{client.protocol});
  if (dialect.since_72) AddNewer(dialect, client, &line);
  return line.Take();
}

}  // namespace interlock::sim::redis
