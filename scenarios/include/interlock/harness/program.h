// SPDX-License-Identifier: MIT
//
// A program of one's own to simulate: what each client does, as a function, and what must hold of
// the servers' data and of the clients' notes. Simulate (interlock/harness/simulate.h) runs it.
//
// REQUIRES: a client decides by nothing but what its Environment, its Call and its local variables
// gave it. The functions are called in every run, several times if a client is restarted, so they
// must not change what they share; what a client wants remembered it writes to a server or notes.
// Thread safety: plain data; one run calls one function at a time, on a stack of 8 MB.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/connection.h>
#include <interlock/harness/lock.h>
#include <interlock/harness/server_view.h>
#include <interlock/result.h>
#include <interlock/time.h>

namespace interlock::harness {

/// A client of the program, as its own function sees it. Valid until that function returns.
class SimulatedClient {
 public:
  virtual ~SimulatedClient() = default;

  virtual int number() const = 0;  ///< from 0; -1 in Program::setup
  /// Its clock, its events (the only way to wait), its connections, its random bytes.
  virtual Environment& environment() = 0;

  /// Sends a command to the primary (in a cluster, to the node that serves its keys), over one
  /// connection that is made anew after it broke, and waits for the reply. YIELDS. The status is
  /// that of Connection::Call with a deadline a second from now: kUnknownOutcome may have taken
  /// effect. kCancelled: the run is over; a loop must end on it.
  virtual Result<Reply> Call(const std::vector<std::string_view>& command) = 0;

  /// Waits on the client's own clock. YIELDS. Returns at once when the run is over.
  virtual void Sleep(Duration length) = 0;

  /// Remembers a fact for the invariants, which see all notes in order. YIELDS: a fault may strike
  /// right before. What was noted stays noted, whatever happens to the client.
  virtual void Note(std::string_view name, std::string_view value) = 0;
  void Note(std::string_view name, std::int64_t value) { Note(name, std::to_string(value)); }
  void Note(std::string_view name) { Note(name, std::string_view()); }
};

using ClientProgram = std::function<void(SimulatedClient&)>;

struct ProgramNote {
  int client = 0;  ///< its number
  std::string name;
  std::string value;
  Duration at{};  ///< virtual time since the run began, the same for all clients
};

/// What an invariant is shown.
struct ProgramView {
  /// The server that has just executed a command; after a note and at the end, the primary. In a
  /// cluster each key is read where it is served; of independent masters it is the first one, but
  /// for commands.
  const ServerView& server;
  std::vector<const ServerView*> nodes;  ///< each server, as in Environment::nodes
  const std::vector<ProgramNote>& notes;

  /// How many notes have this name.
  std::size_t Count(std::string_view name) const {
    std::size_t count = 0;
    for (const ProgramNote& note : notes) count += note.name == name ? 1 : 0;
    return count;
  }
};

struct Invariant {
  std::string name = {};  ///< "no item is sold twice"
  /// What is wrong, in a sentence; empty: it holds. One that throws has failed, by what() it threw,
  /// and so has one that aborts, or reads a real clock.
  std::function<std::string(const ProgramView&)> broken = {};
  /// Looked at once, when all is over, instead of after each command that a server executed and
  /// after each note.
  bool at_end = false;
};

struct Program {
  std::string name = {};                    ///< for tokens: at most 64 characters from [a-z0-9./_-]
  std::vector<ClientProgram> clients = {};  ///< client 0, client 1, ...
  std::vector<Invariant> invariants = {};
  /// Prepares the servers' data, alone and before any fault. Invariants are looked at from when it
  /// has returned.
  ClientProgram setup = {};

  /// "standalone", "replicated" (a primary and its replicas), "sentinel" (the same, and at the end
  /// three Sentinels that watch "mymaster"), "independent" (masters), "cluster" (masters), or
  /// "replicated-cluster" (the second half are the replicas of the first, in order).
  std::string servers = "standalone";
  int nodes = 0;                      ///< servers in all, at most 9; 0: 1, 2, 5, 3, 3 and 6
  std::string version = "redis-7.0";  ///< what each is, as `check --server` calls it
  std::string persistence = "none";   ///< "none", "rdb", "aof-always", "aof-everysec"
  /// Messages take up to this long, one way, if no fault delays them.
  Duration slowest_message = std::chrono::milliseconds(1);
  /// What the lengths of faults are measured by, such as pauses, from a 64th of it to 64 times as
  /// long. At least 1 ms.
  Duration lease = std::chrono::seconds(1);

  /// The first phase, with faults, ends when all clients have ended, or after this.
  Duration lasts = std::chrono::seconds(60);
  /// Then all faults end (see FaultKind in `interlock list faults`), and every client that is alive
  /// has this long to end. nullopt: that is not demanded, and the second phase lasts as the first.
  std::optional<Duration> ends_within = std::chrono::seconds(60);

  /// The clients call the C library as they were compiled; see Traits::posix for what it then
  /// serves and demands. SimulatedClient works all the same, over threads and hiredis. A client's
  /// process ends when its function returns, with all its threads: exit(3).
  bool posix = false;
  bool os_threads = false;  ///< as Traits::os_threads; only with `posix`
};

}  // namespace interlock::harness
