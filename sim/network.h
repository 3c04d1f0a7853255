// SPDX-License-Identifier: MIT
//
// Carries requests, replies, closes and resets between the client processes and the servers, in
// virtual time, and lets the servers execute. A command executes in one event, when it arrives.
//
// Each message travels latency_min plus a share of the spread that one draw of the network lane
// gives (a cube, so that small values are likelier); a message never overtakes another one on its
// connection and direction. Thread safety: none.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/expiry_watch.h"
#include "sim/link.h"
#include "sim/network_memory.h"
#include "sim/redis/server.h"
#include "sim/timer_queue.h"

namespace interlock::sim {

class Engine;

class Network final {
 public:
  Network(Engine& engine, NetworkMemory& memory);
  ~Network();

  // The client's side.

  /// Begins to connect. A link whose `broke` is set on return was refused at once.
  Link& Open(Process& process, int node);
  /// False: the connection was reset while sending (`broke` says so).
  bool Send(Link& link, std::span<const std::string_view> argv);
  /// The oldest delivered message has been read.
  void PopMessage(Link& link);
  /// The client says that it will send nothing more, and still listens. The server closes then.
  void EndSending(Link& link);
  /// The client closes its end. What it has sent before is still under way.
  void CloseFromClient(Link& link);

  // Faults.

  /// The process has died: its requests under way meet the fate that the fault lane draws.
  void Crash(Process& process);
  /// What is under way on the process's links arrives no earlier than its partitions allow.
  void HoldBackUnderWay(Process& process);
  /// From now on nothing that is sent arrives; either end notices by its keepalive.
  void Cut(Link& link);
  /// See World::TravelElsewhere.
  void TravelElsewhere(Process& process, VirtualTime latest, std::function<void()> arrive);
  /// When what the process has sent elsewhere arrives, of all that is under way.
  std::vector<VirtualTime> UnderWayElsewhere(const Process& process) const;
  /// The process's most recently used connection that works; null if there is none.
  Link* LiveLink(const Process& process) const;
  void Heal();

  // What happens to servers.

  /// Its process is gone: connections end at once; those to a machine without power stay silent.
  void NodeDied(int node, bool machine_off);
  /// It runs again, with other data perhaps: what was sent to the machine meanwhile is refused.
  void NodeStarted(int node);
  /// It goes on with what has arrived in the meantime.
  void NodeResumed(int node);
  /// As nobody's. `victim`: whose connection it names; null: none.
  void ExecuteAsAdmin(int node, int database, const redis::Argv& argv, const Link* victim);
  /// Deals with what servers have sent without being asked.
  void ServersActed() { CallReturned(nullptr); }

  void OnTimer(TimerQueue::Timer timer);
  /// Nothing is on its way to the server, or to a place outside of Redis.
  bool Quiet() const { return requests_under_way_ == 0 && elsewhere_under_way_ == 0; }

  bool HasLiveConnection(const Process& process) const;
  const Link& link(std::uint32_t id) const { return *links_[id]; }
  const std::vector<std::unique_ptr<Link>>& links() const { return links_; }
  /// Whose connection it is; null: nobody's any more.
  const Link* FindLink(int node, redis::ClientId client) const { return Find(node, client); }
  std::uint64_t commands() const { return commands_; }
  /// When the server has last looked for expired keys.
  VirtualTime last_expiry(int node) const {
    return nodes_[static_cast<std::size_t>(node)]->last_expiry;
  }

 private:
  /// One server, and what it sends.
  struct NodeState final : redis::Sink {
    NodeState(Network& its_network, int its_node)
        : network(its_network), node(its_node), expiry_watch(its_node) {}
    void OnReply(redis::ClientId client, redis::Value& value) override;
    void OnClosed(redis::ClientId client) override;

    Network& network;
    const int node;
    ExpiryWatch expiry_watch;
    VirtualTime last_expiry{};
    bool machine_off = false;
    std::vector<std::pair<redis::ClientId, Link*>> clients;
  };

  /// What faults do to one message.
  struct Fate {
    Duration extra{};
    bool lost = false;
    bool reset = false;
  };

  Duration Latency(const Process& process);
  enum class Direction : std::uint8_t { kToServer, kFromServer };
  /// `arrival`, or the end of a partition that is in the way.
  VirtualTime HeldBack(Link& link, Direction direction, VirtualTime arrival);
  Request& PushRequest(Link& link, Request::Kind kind);
  void Dispatch(Link& link, Duration extra);
  void ArmRequests(Link& link);
  void ArmMessages(Link& link);
  void RearmLink(Link& link);
  /// What the armed faults of the process make of the request that is about to leave.
  Fate TakeArmedFaults(Link& link, Request& request);
  Fate TakeReplyFaults(Link& link);
  /// Sends the last request as `fate` has it; false: it was reset.
  bool SendLast(Link& link, const Fate& fate);
  void SendClose(Link& link);
  void SendMessage(Link& link, Message::Kind kind, redis::Value* value, std::uint64_t hash,
                   Duration extra, std::uint64_t number = 0);
  void DropUnderWay(Link& link);
  void HealLink(Link& link);

  /// The armed delays of the process's next message, which they now are.
  Duration TakeArmedDelays(Process& process);
  void ArriveElsewhere(std::uint32_t number);

  void OnRequestTimer(Link& link);
  void OnMessageTimer(Link& link);
  void OnReply(int node, redis::ClientId client, redis::Value& value);
  void OnClosed(int node, redis::ClientId client);
  void SyncServerTime();
  void AcceptLink(Link& link);
  /// Nobody listens.
  void RefuseLink(Link& link);
  void ForgetClient(Link& link);
  void Pump(Link& link);
  void Execute(Link& link);
  void CallReturned(Link* executing);
  void SettleShadow(const Link* executing);
  void Report(Produced& produced);
  void Deliver(Produced& produced);
  /// Whether a fault takes it.
  bool IsLostPush(const Produced& produced);
  void CloseAtServer(Link& link);
  void AnswerClose(Link& link);
  void BreakClient(Link& link, const char* why);
  void UpdateServerTimer();
  void Unblock(Link& link);
  Produced& Produce(Link& link, Message::Kind kind);
  NodeState& node_of(const Link& link) { return *nodes_[static_cast<std::size_t>(link.node)]; }
  Link* Find(int node, redis::ClientId client) const;
  bool IsLive(const Link& link) const;

  Engine& engine_;
  NetworkMemory& memory_;
  std::vector<std::unique_ptr<NodeState>> nodes_;
  std::vector<std::unique_ptr<Link>> links_;
  std::vector<Produced> produced_;  // the first produced_count_ are valid
  std::size_t produced_count_ = 0;
  std::vector<Link*> unblocked_;  // what queued behind their blocked command can go on
  std::vector<Link*> resets_;     // to be closed once the server's call is dealt with
  bool muted_ = false;            // drop what servers send
  Link* executing_ = nullptr;
  bool answered_ = false;  // the executing command has its reply
  std::size_t blocked_links_ = 0;
  TimerId server_timer_ = kNoTimer;
  VirtualTime server_timer_at_{};
  std::size_t requests_under_way_ = 0;
  std::vector<Elsewhere> elsewhere_;
  std::size_t elsewhere_under_way_ = 0;
  std::uint64_t commands_ = 0;
  std::uint64_t undescribed_ = 0;  // commands so far, see NoteUndescribed; watched worlds only
};

}  // namespace interlock::sim
