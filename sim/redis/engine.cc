// SPDX-License-Identifier: MIT
#include "sim/redis/engine.h"

#include <array>
#include <utility>

#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

std::string UnknownCommandText(Arguments args) {
  constexpr std::size_t kLimit = 128;
  std::string listed;
  for (std::size_t i = 1; i < args.size() && listed.size() < kLimit; ++i) {
    const std::size_t room = kLimit - listed.size();
    listed.append("'").append(UntilNul(args[i]).substr(0, room)).append("' ");
  }
  std::string text = "ERR unknown command '";
  text.append(UntilNul(args[0]).substr(0, kLimit)).append("', with args beginning with: ");
  return OneLine(text.append(listed));
}

std::string UnknownSubcommandText(Arguments args) {
  return OneLine("ERR unknown subcommand '" + std::string(UntilNul(args[1]).substr(0, 128)) +
                 "'. Try " + ToUpper(args[0]) + " HELP.");
}

std::string ArityText(const Command& command) {
  return "ERR wrong number of arguments for '" + std::string(command.name) + "' command";
}

std::string DisplayName(std::string_view name) {
  std::string display = ToUpper(name);
  for (char& c : display) {
    if (c == '|') c = ' ';
  }
  return display;
}

}  // namespace

Keyspace& Context::keyspace() const { return engine.keyspace; }

void Context::ArityError() { Error(ArityText(command)); }

bool Context::ParseInt(std::string_view text, std::int64_t* out, std::string_view error) {
  if (ParseInteger(text, out)) return true;
  Error(error);
  return false;
}

void Context::Unmodelled(std::string_view what) {
  engine.SetUnmodelled(what);
  silent = true;
}

Engine::Engine() : blocking(*this), pubsub(*this), scripting(*this) {}

Engine::~Engine() = default;

void Engine::Reset() {
  for (std::unique_ptr<Client>& client : clients_) {
    if (client) spare_.push_back(std::move(client));
  }
  clients_.clear();
  now_us = 0;
  password.clear();
  unmodelled.reset();
  keyspace.Reset();
  blocking.Reset();
  pubsub.Reset();
  scripting.Reset();
}

ClientId Engine::Connect() {
  std::unique_ptr<Client> client;
  if (spare_.empty()) {
    client = std::make_unique<Client>();
  } else {
    client = std::move(spare_.back());
    spare_.pop_back();
    *client = Client();
  }
  client->id = clients_.size() + 1;
  client->authenticated = password.empty();
  clients_.push_back(std::move(client));
  return clients_.back()->id;
}

Client* Engine::FindClient(ClientId id) {
  if (id == 0 || id > clients_.size()) return nullptr;
  return clients_[static_cast<std::size_t>(id - 1)].get();
}

void Engine::Disconnect(ClientId id) {
  Client* client = FindClient(id);
  if (client == nullptr) return;
  if (client->wait) blocking.Unblock(*client);
  pubsub.Forget(*client);
  keyspace.RemoveWatches(id);
  // The object lives on among the spare ones: the command that closed it may still refer to it.
  spare_.push_back(std::move(clients_[static_cast<std::size_t>(id - 1)]));
}

void Engine::Close(Client& client) {
  const ClientId id = client.id;
  Disconnect(id);
  if (sink != nullptr) sink->OnClosed(id);
}

void Engine::Emit(Client& client, Value value) {
  if (client.captured != nullptr) {
    client.captured->push_back(std::move(value));
  } else if (sink != nullptr) {
    sink->OnReply(client.id, value);
  }
}

void Engine::Emit(ClientId id, Value value) {
  if (Client* client = FindClient(id)) Emit(*client, std::move(value));
}

void Engine::SetUnmodelled(std::string_view what) {
  if (!unmodelled) unmodelled.emplace(what);
}

void Engine::DiscardTransaction(Client& client) {
  client.in_multi = false;
  client.queue_failed = false;
  client.queue.clear();
  keyspace.RemoveWatches(client.id);
}

void Engine::Execute(ClientId id, const Argv& argv) {
  Client* client = FindClient(id);
  if (client == nullptr || unmodelled || argv.empty()) return;
  if (client->wait) {
    client->pending.push_back(argv);
    return;
  }
  ExecuteNow(*client, argv);
  AfterCommand();
}

void Engine::ExecuteNow(Client& client, const Argv& argv) {
  constexpr std::size_t kFew = 16;
  if (argv.size() <= kFew) {
    std::array<std::string_view, kFew> args;
    for (std::size_t i = 0; i < argv.size(); ++i) args[i] = argv[i];
    Process(client, Arguments(args.data(), argv.size()));
  } else {
    const std::vector<std::string_view> args(argv.begin(), argv.end());
    Process(client, args);
  }
}

void Engine::AfterCommand() {
  while (!unmodelled && (keyspace.HasNewLists() || blocking.HasUnblocked())) {
    blocking.ServeNewLists();
    for (const ClientId id : blocking.TakeUnblocked()) {
      Client* client = FindClient(id);
      while (client != nullptr && !client->wait && !client->pending.empty() && !unmodelled) {
        const Argv argv = std::move(client->pending.front());
        client->pending.pop_front();
        ExecuteNow(*client, argv);
        blocking.ServeNewLists();
        client = FindClient(id);
      }
    }
  }
}

void Engine::RunTimers() {
  if (unmodelled) return;
  blocking.RunTimers();
  AfterCommand();
}

void Engine::Reject(Client& client, const Command* command, std::string_view error) {
  if (command != nullptr && command->name == "exec") {
    DiscardTransaction(client);
    if (error.starts_with("ERR ")) error.remove_prefix(4);
    Emit(client, ErrorValue("EXECABORT Transaction discarded because of: " + std::string(error)));
    return;
  }
  if (client.in_multi) client.queue_failed = true;
  Emit(client, ErrorValue(error));
}

bool Engine::Refuse(Client& client, Arguments args, const Command* command, bool container) {
  if (command == nullptr) {
    Reject(client, nullptr, container ? UnknownSubcommandText(args) : UnknownCommandText(args));
    return true;
  }
  if (!ArityMatches(*command, args.size())) {
    Reject(client, command, ArityText(*command));
    return true;
  }
  if (!client.authenticated && !password.empty() && (command->flags & kNoAuth) == 0) {
    Reject(client, command, "NOAUTH Authentication required.");
    return true;
  }
  if (client.in_multi && (command->flags & kNoMulti) != 0) {
    Reject(client, command, "ERR Command not allowed inside a transaction");
    return true;
  }
  const bool subscriber = !client.channels.empty() || !client.patterns.empty();
  if (subscriber && (command->flags & kSubscriber) == 0) {
    Reject(client, command,
           "ERR Can't execute '" + std::string(command->name) +
               "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in "
               "this context");
    return true;
  }
  return false;
}

void Engine::Process(Client& client, Arguments args) {
  bool container = false;
  const Command* command = FindCommand(args[0], args.size() > 1 ? args[1] : std::string_view(),
                                       args.size() > 1, &container);
  if (Refuse(client, args, command, container)) return;
  if (client.in_multi && (command->flags & kAtOnceInMulti) == 0) {
    if (command->handler == nullptr) return SetUnmodelled(DisplayName(command->name));
    if (!client.queue_failed) client.queue.emplace_back(args.begin(), args.end());
    return Emit(client, StatusValue("QUEUED"));
  }
  bool silent = false;
  Value reply = Run(client, *command, args, &silent);
  if (!silent && !unmodelled) Emit(client, std::move(reply));
}

Value Engine::Run(Client& client, const Command& command, Arguments args, bool* silent) {
  if (command.handler == nullptr) {
    SetUnmodelled(DisplayName(command.name));
    *silent = true;
    return {};
  }
  Context context{*this, client, args, command};
  command.handler(context);
  *silent = context.silent;
  return std::move(context.reply);
}

}  // namespace interlock::sim::redis
