// SPDX-License-Identifier: MIT
//
// Which clients use which process of a world. Client i has process i unless it shares the lock
// objects of an earlier client (ClientPlan::shares_objects): then both are users of that one's
// process, each on its own task, and the task that sends a command identifies the client. Commands
// from the lock's own tasks belong to the process, not to any one client.
//
// Thread safety: plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace interlock::scenarios {

class Users {
 public:
  /// A range of clients, both ends included.
  struct Range {
    int first = 0;
    int last = 0;
    bool several() const { return first < last; }
  };

  /// Adds the client as a user of that process. REQUIRES: it is the next number after its users.
  void Share(int process, int client);
  int ProcessOf(int client) const;
  /// All users of the process, numbered from the process's own number.
  Range Of(int process) const;
  /// Calls `then(client)` for each of them.
  template <typename Then>
  void ForEach(int process, const Then& then) const {
    const Range users = Of(process);
    for (int client = users.first; client <= users.last; ++client) then(client);
  }

  /// From now on it runs on that task of its process.
  void RunsOn(int client, std::uint32_t task);
  /// The user running on that task of the process; nullopt: it is one of the lock's own.
  std::optional<int> On(int process, std::optional<std::uint32_t> task) const;

  /// The process sent its `number`th command for that user; nullopt: for nobody in particular.
  /// Called in order of numbers, and only if several share the process.
  void NoteSender(int process, std::uint64_t number, std::optional<int> client);
  /// The client that sent the command; nullopt as above.
  std::optional<int> SenderOf(int process, std::uint64_t number) const;

 private:
  struct Shared {
    int process = 0;
    std::vector<std::optional<std::uint32_t>> tasks;  ///< of each user
    std::vector<std::optional<int>> senders;          ///< of each command, by number
  };
  const Shared* Find(int process) const;
  Shared* Find(int process);

  std::vector<Shared> shared_;  // only processes with several users
};

}  // namespace interlock::scenarios
