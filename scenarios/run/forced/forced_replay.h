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
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <interlock/hiredis_connector.h>
#include <interlock/runtime.h>

#include "scenarios/run/forced/alike.h"
#include "sim/machine/admin.h"
#include "sim/machine/redis_server.h"
#include "sim/shadow.h"

namespace interlock::scenarios::real {

/// One server of a forced replay.
struct ForcedServer {
  HiredisOptions options;  ///< no database: each case says which
  sim::machine::RedisServer* own =
      nullptr;  ///< null: it belongs to somebody else, and is not killed, stopped or filled
};

struct ForcedDifference {
  Duration at{};
  int node = 0;
  int process = -1;     ///< -1: no client's doing
  std::string command;  ///< after which it was seen
  std::string what;     ///< what differs: "reply", "data of key x", "no reply"
  std::string simulated;
  std::string real;
};

class ForcedReplay final : public sim::Shadow {
 public:
  /// `stop` ends it early. `haste`: thousandths of virtual time that real time leaves out, 0 to 50.
  ForcedReplay(Runtime& runtime, std::vector<ForcedServer> servers, const std::atomic<bool>& stop,
               int haste = 0);
  ~ForcedReplay() override;

  /// kUnavailable: a server was not reached, or is not Redis 7.0; kInvalidArgument: the database is
  /// not empty.
  /// `replicated`: the first is the primary, the others, which are ours, become its replicas.
  Status Open(int database, bool replicated = false);

  /// "redis-server 7.0.15", after Open.
  const std::string& backend() const { return backend_; }

  const std::optional<ForcedDifference>& difference() const { return difference_; }
  std::uint64_t commands() const { return commands_; }
  std::uint64_t replies() const { return replies_; }
  /// How many errors the simulator injected as a server's, so that the real one was not asked.
  std::uint64_t forged() const { return forged_; }
  /// Why it cannot go on, though nothing differs; empty: it could.
  const std::string& obstacle() const { return obstacle_; }
  Duration took() const;

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
  struct Link {
    std::unique_ptr<Connector> connector;
    std::unique_ptr<Connection> connection;
    std::string id;           // as CLIENT LIST knows it
    std::string command;      // the last one
    bool watches = false;     // keys, for a transaction
    bool unanswered = false;  // by the real server
    bool forged = false;      // the next message is not the real server's
  };
  struct Node {
    ForcedServer server;
    Alike alike;
    std::optional<sim::machine::Admin> admin;
    std::map<std::uint32_t, Link> links;
    std::vector<std::pair<std::string, std::int64_t>> ends;  // keys that expire, and when, in ms
    std::set<std::string> scripts;                           // sent to it, by their SHA-1
    std::set<std::string> made;                              // keys
    Duration settled_late{};                        // late_, when its data were compared last
    std::map<std::string, std::int64_t> prolonged;  // keys, and their ends in the simulation
    std::int64_t in_step = 0;                       // a replica's offset, when it was last in step
    // What the primary's keys had then, which a replica that is promoted then has, too.
    std::vector<std::pair<std::string, std::int64_t>> ends_in_step;
    std::map<std::string, std::int64_t> prolonged_in_step;
    bool serves = true;  // false: it is down or stopped, or a replica
  };

  bool Over() const { return difference_.has_value() || !obstacle_.empty() || stop_; }
  Node& node(int number) { return nodes_[static_cast<std::size_t>(number)]; }
  static std::int64_t SimulatedUs(Duration now);
  /// How much real time passes until then.
  Duration Scaled(Duration now) const { return now - now * haste_ / 1'000; }
  bool Begin(Duration now);
  /// `late_`, or more if it is later by now.
  Duration Late(Duration now) const;
  Duration SettledLate() const;
  /// The times left of the node's keys, in ms.
  static std::vector<std::int64_t> LeftOf(const Node& node, Duration now);
  /// Waits until real time has come this far from the beginning.
  void WaitFor(Duration now);
  void AwaitEnds(Node& node, Duration now);
  void Differ(const Client& client, std::string_view what, std::string simulated, std::string real,
              Duration now);
  /// Whether another one has left the script of an EVALSHA in the server, where the simulated one
  /// did not know it.
  bool KnowsFromOthers(Node& node, const sim::redis::Argv& argv);
  /// False: not within the time that a server may take.
  bool Until(const std::function<bool()>& done);
  bool OpenAdmin(Node& node);
  Status Follow(Node& replica);
  static Status ReplicaOf(Node& replica, int port);
  /// Lets a replica take what the primary has, and nothing more.
  bool CatchUp(Node& replica);
  void AwaitSleep(const Client& client, Duration now);
  void GiveGrace(Node& node, const std::string& key, std::int64_t left_ms);
  void CompareData(int number, sim::redis::Server& server, Duration now);

  Runtime& runtime_;
  const std::atomic<bool>& stop_;
  const int haste_;
  std::vector<Node> nodes_;
  std::string backend_;
  int database_ = 0;
  std::optional<MonotonicTime> began_;
  std::int64_t began_us_ = 0;  // the real servers' clock then
  Duration late_{};            // how far real time lags scaled time; never less than before
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
