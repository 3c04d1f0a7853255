// SPDX-License-Identifier: MIT
//
// Leads real redis-servers through a simulated run. The clients' programs run once, in virtual
// time; each command that a simulated server executes is executed by the real one at the same place
// in the order and, at the earliest, at the same time after the beginning. Every reply, every
// message to a subscriber and, after each command, all data of the database are compared. While
// they are alike the programs, which see nothing else of a server, would have done the same on the
// real ones: the verdict is theirs, too.
//
// What happens to commands: one that was lost is never sent; a reply that was lost is read and
// compared; crashes and breaks close the real connection. Pauses, leases and waits take real time.
// A server that is killed, stopped or full is so in reality (servers of one's own only). A replica
// is cut off except for the moments at which the simulated one has all that its primary has; a
// failover promotes it (REPLICAOF NO ONE) with what it has then.
//
// A real clock cannot be told to wait, so the ends of keys are: after each command, once it has
// been compared, what is left of a key's time is prolonged by a part of a second, and when it ends
// in the simulation it is made to end. Times that scripts keep as data (TIME in a sorted set) are
// not held in this way: what happens in the last millisecond before them may fall on the other
// side. Another attempt may make haste: real time then passes by less than virtual time, so that it
// comes before them, and so does what happens shortly after them. Non-guarantee: that one haste
// does for both. What clients are told by their own clocks is virtual.
//
// Thread safety: none; REQUIRES: used by the thread that made the servers (see redis_server.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/runtime.h>

#include "scenarios/run/forced/forced_node.h"
#include "scenarios/run/forced/real_pace.h"
#include "sim/shadow.h"

namespace interlock::scenarios::real {

struct ForcedDifference : Unlike {
  Duration at{};
  int node = 0;
  int process = -1;     ///< -1: no client's doing
  std::string command;  ///< after which it was seen
};

class ForcedReplay final : public sim::Shadow {
 public:
  /// `stop` ends it early. `haste`: thousandths of virtual time that real time leaves out, 0 to 50.
  ForcedReplay(Runtime& runtime, std::vector<ForcedServer> servers, const std::atomic<bool>& stop,
               int haste = 0);

  /// kUnavailable: a server was not reached, or is not `dialect`; kInvalidArgument: the database is
  /// not empty.
  /// `replicated`: the first is the primary, the others, which are ours, become its replicas.
  Status Open(const sim::redis::Dialect& dialect, int database, bool replicated = false);

  /// "Redis 7.0.15", after Open.
  const std::string& backend() const { return backend_; }

  const std::optional<ForcedDifference>& difference() const { return difference_; }
  std::uint64_t commands() const { return commands_; }
  std::uint64_t replies() const { return replies_; }
  /// How many errors the simulator injected as a server's, so that the real one was not asked.
  std::uint64_t forged() const { return forged_; }
  /// Why it cannot go on, though nothing differs; empty: it could.
  const std::string& obstacle() const { return obstacle_; }
  Duration took() const { return pace_.took(); }

  /// Removes the keys that the replay has made from somebody else's servers.
  void CleanUp();

  void OnConnect(const Client& client, int database, Duration now) override;
  void OnCommand(const Client& client, const sim::redis::Argv& argv, bool forged,
                 Duration now) override;
  void OnMessage(const Client& client, const sim::redis::Value& value, Duration now) override;
  void OnDisconnect(const Client& client, Duration now) override;
  void OnAdmin(int node, int database, const sim::redis::Argv& argv, const Client* victim,
               Duration now) override;
  void OnServer(int node, Happening happening, Duration now) override;
  void OnInStep(int node, std::int64_t offset, Duration now) override;
  void OnPromoted(int node, std::int64_t offset, Duration now) override;
  void OnSettled(int node, sim::redis::Server& server, Duration now) override;

 private:
  bool Over() const { return difference_.has_value() || !obstacle_.empty() || stop_; }
  ForcedNode& node(int number) { return nodes_[static_cast<std::size_t>(number)]; }
  /// How late real time was when the data of all servers had been compared.
  Duration SettledLate() const;
  void WaitFor(Duration now);
  void AwaitEnds(ForcedNode& node, Duration now);
  void Differ(const Client& client, const std::optional<Unlike>& unlike, Duration now);
  /// `failed`, if it is a failure, of what a server should have done.
  void DifferIfFailed(int number, std::string_view what, const Status& failed, Duration now);

  RealPace pace_;
  const std::atomic<bool>& stop_;
  std::vector<ForcedNode> nodes_;
  std::string backend_;
  int database_ = 0;
  bool replicated_ = false;
  int primary_ = 0;
  std::string obstacle_;
  Client latest_;  // whose command was the last one
  std::optional<ForcedDifference> difference_;
  std::uint64_t commands_ = 0;
  std::uint64_t replies_ = 0;
  std::uint64_t forged_ = 0;
};

}  // namespace interlock::scenarios::real
