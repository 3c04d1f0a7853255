// SPDX-License-Identifier: MIT
//
// Which clients use which process of a world. Client i has process i, unless it shares the lock
// objects of a client before it (ClientPlan::shares_objects): then both are users of that one's
// process, each on a task of its own, and the task that sends a command tells whose it is. What
// tasks of the lock's own send is nobody's in particular, but the process's.
//
// Thread safety: plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace interlock::scenarios {

class Users {
 public:
  /// These clients, both ends included.
  struct Range {
    int first = 0;
    int last = 0;
    bool several() const { return first < last; }
  };

  /// The client is one more user of that process. REQUIRES: it comes next after those that are.
  void Share(int process, int client);
  int ProcessOf(int client) const;
  /// All users of the process, which is the first of them.
  Range Of(int process) const;
  /// `then(client)` for each of them.
  template <typename Then>
  void ForEach(int process, const Then& then) const {
    const Range users = Of(process);
    for (int client = users.first; client <= users.last; ++client) then(client);
  }

  /// From now on it runs on that task of its process.
  void RunsOn(int client, std::uint32_t task);
  /// Which user runs on that task of the process; nullopt: it is one of the lock's own.
  std::optional<int> On(int process, std::optional<std::uint32_t> task) const;

  /// The process has sent its `number`th command for that user; nullopt: for nobody in particular.
  /// In the order of their numbers, and needed only where several share the process.
  void NoteSender(int process, std::uint64_t number, std::optional<int> client);
  /// The client that sent it; nullopt as above.
  std::optional<int> SenderOf(int process, std::uint64_t number) const;

 private:
  struct Shared {
    int process = 0;
    std::vector<std::optional<std::uint32_t>> tasks;  ///< of each user
    std::vector<std::optional<int>> senders;          ///< of each command, by number
  };
  const Shared* Find(int process) const;
  Shared* Find(int process);

  std::vector<Shared> shared_;  // where nobody shares there is nothing to know
};

}  // namespace interlock::scenarios
