// SPDX-License-Identifier: MIT
#include "sim/network.h"

#include <algorithm>
#include <utility>

#include "sim/engine.h"
#include "sim/redis/overwrite.h"

namespace interlock::sim {

namespace {

std::uint64_t HashArgv(const redis::Argv& argv, LongWordHashes& long_words) {
  std::uint64_t hash = HashNumber(argv.size(), 0);
  for (const std::string& argument : argv) {
    const bool is_long = argument.size() >= LongWordHashes::kLeast;
    hash = is_long ? long_words.Of(argument, hash) : HashBytes(argument, hash);
  }
  return hash;
}

}  // namespace

Network::Network(Engine& engine, NetworkMemory& memory)
    : engine_(engine),
      memory_(memory),
      links_(std::move(memory.links)),
      transit_(engine),
      elsewhere_(engine, transit_, memory),
      connections_(engine, transit_),
      calls_(engine, transit_, connections_, memory) {}

Network::~Network() {
  for (std::unique_ptr<Link>& link : links_) memory_.pool.Give(std::move(link));
  links_.clear();
  memory_.links = std::move(links_);
}

Link& Network::Open(Process& process, int node) {
  links_.push_back(memory_.pool.Take());
  Link& link = *links_.back();
  link.id = static_cast<std::uint32_t>(links_.size() - 1);
  link.process = &process;
  link.node = node;
  Request& request = transit_.PushRequest(link, Request::Kind::kOpen);
  Fate fate;
  if (!process.armed.empty()) fate = transit_.TakeArmedFaults(link, request);
  if (!transit_.SendLast(link, fate)) link.silent = true;  // The server never learns of the link.
  process.last_link = &link;
  return link;
}

bool Network::Send(Link& link, std::span<const std::string_view> argv) {
  Request& request = transit_.PushRequest(link, Request::Kind::kCommand);
  memory_.spare_words.Resize(request.argv, argv.size());
  for (std::size_t i = 0; i < argv.size(); ++i) {
    redis::Overwrite(&request.argv[i], argv[i]);
  }
  if (engine_.trace.hashed()) request.hash = HashArgv(request.argv, memory_.long_words);
  Process& process = *link.process;
  process.last_link = &link;
  request.number = ++process.commands_sent;
  engine_.trace.AddLazily(engine_.now(), process.id, TraceKind::kSend, request.hash, request.number,
                          [&request] { return redis::ToText(request.argv); });
  engine_.observer->OnSend(process.id, request.number, engine_.now());
  Fate fate;
  if (!process.armed.empty()) fate = transit_.TakeArmedFaults(link, request);
  if (transit_.SendLast(link, fate)) return true;
  if (!link.silent) transit_.SendClose(link);
  return false;
}

void Network::PopMessage(Link& link) {
  if (link.messages.front().kind == Message::Kind::kReply) {
    link.requests.PopFront();
    --link.arrived;
    --link.executed;
  }
  link.messages.PopFront();
  --link.delivered;
  link.process->last_link = &link;
}

void Network::EndSending(Link& link) {
  if (link.silent || link.broke != nullptr || engine_.scheduler.tearing_down()) return;
  transit_.SendClose(link);
}

void Network::CloseFromClient(Link& link) {
  if (link.client_gone || engine_.scheduler.tearing_down()) return;
  link.client_gone = true;
  engine_.scheduler.timers().Cancel(link.message_timer);
  engine_.scheduler.timers().Cancel(link.client_break_timer);
  if (!link.silent) transit_.SendClose(link);
}

void Network::Crash(Process& process) {
  for (const std::unique_ptr<Link>& link : links_) {
    if (link->process != &process || link->client_gone) continue;
    link->client_gone = true;
    link->reader = nullptr;
    engine_.scheduler.timers().Cancel(link->message_timer);
    engine_.scheduler.timers().Cancel(link->client_break_timer);
    if (link->silent || link->close_sent || (link->established && !link->server_open)) continue;
    switch (engine_.choices.Draw(Lane::kFault, 3)) {
      case 0:  // The kernel still sends the written data, and then closes.
        transit_.SendClose(*link);
        break;
      case 1:  // The written data is lost with the machine, and something sends a reset in its
               // place.
        transit_.DropUnderWay(*link);
        transit_.SendClose(*link);
        break;
      default:  // The machine is gone, and nothing tells the server.
        transit_.Cut(*link);
        break;
    }
  }
}

void Network::HoldBackUnderWay(Process& process) {
  for (const std::unique_ptr<Link>& link : links_) {
    if (link->process == &process) transit_.HoldBack(*link);
  }
}

bool Network::IsLive(const Link& link) const {
  return link.established && link.server_open && !link.client_gone && !link.close_sent &&
         !link.silent && link.broke == nullptr;
}

Link* Network::LiveLink(const Process& process) const {
  if (process.last_link != nullptr && IsLive(*process.last_link)) return process.last_link;
  for (auto link = links_.rbegin(); link != links_.rend(); ++link) {
    if ((*link)->process == &process && IsLive(**link)) return link->get();
  }
  return nullptr;
}

bool Network::HasLiveConnection(const Process& process) const {
  return !process.crashed && LiveLink(process) != nullptr;
}

void Network::Heal() {
  for (const std::unique_ptr<Link>& link : links_) HealLink(*link);
  elsewhere_.Hasten();
  connections_.UpdateTimer();
}

void Network::HealLink(Link& link) {
  for (std::size_t i = 0; i < link.requests.size(); ++i) link.requests[i].reply_faults.clear();
  if (!link.silent) return transit_.Hasten(link);
  TimerQueue& timers = engine_.scheduler.timers();
  transit_.DropUnderWay(link);
  timers.Cancel(link.server_close_timer);
  timers.Cancel(link.client_break_timer);
  connections_.Close(link);
  transit_.BreakClient(link, "reset");
}

void Network::NodeDied(int node, bool machine_off) {
  connections_.SetMachineOff(node, machine_off);
  for (const std::unique_ptr<Link>& link : links_) {
    if (link->node == node && link->server_open) connections_.Died(*link, machine_off);
  }
  connections_.UpdateTimer();
}

void Network::NodeStarted(int node) {
  connections_.SetMachineOff(node, false);
  calls_.ForgetData(node);
  for (const std::unique_ptr<Link>& link : links_) {
    if (link->node == node && link->machine_off) transit_.BreakClient(*link, "reset");
  }
}

void Network::NodeResumed(int node) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (links_[i]->node == node) calls_.Pump(*links_[i]);
  }
}

void Network::OnTimer(TimerQueue::Timer timer) {
  if (timer.kind == TimerKind::kServerTimers) {
    connections_.ForgetTimer();
    return calls_.RunTimers();
  }
  if (timer.kind == TimerKind::kElsewhere) return elsewhere_.Arrive(timer.id);
  Link& link = *links_[timer.id];
  switch (timer.kind) {
    case TimerKind::kRequest:
      transit_.TakeArrived(link);
      calls_.Pump(link);
      break;
    case TimerKind::kMessage:
      transit_.TakeDelivered(link);
      break;
    case TimerKind::kServerClose:
      link.server_close_timer = kNoTimer;
      connections_.Close(link);
      connections_.UpdateTimer();
      break;
    default:
      link.client_break_timer = kNoTimer;
      transit_.BreakClient(link, "keepalive");
      break;
  }
}

}  // namespace interlock::sim
