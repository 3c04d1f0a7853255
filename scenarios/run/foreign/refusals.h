// SPDX-License-Identifier: MIT
//
// Which clients are refused, by patterns in clients' commands and replies, whatever the lock is
// made of: lists, counters, sorted sets, scripts.
//
// Commands with the same name and key have the same form. A form sent on the way into a section
// asks for the lock, and its replies there are grants; a client repeatedly answered differently is
// refused. Non-guarantee: without INTERLOCK.ENTER nothing is known. Thread safety: none.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/redis/server.h"

namespace interlock::scenarios::drive {

class Refusals {
 public:
  explicit Refusals(int clients) : clients_(static_cast<std::size_t>(clients)) {}

  void Sent(int client, const sim::redis::Argv& argv);
  /// The reply will come when another client, or time, brings it.
  void Blocked(int client);
  void Answered(int client, const std::string& reply);
  /// The client enters or leaves a section.
  void Entered(int client);
  void Left(int client) { Of(client).asked.clear(); }

  /// Whether it has asked for a lock, and has not been inside since.
  bool Asks(int client) const;
  /// How often in a row it has got the same refusal.
  std::uint64_t InARow(int client) const;
  /// Whether somebody has been refused, or had to wait for a reply.
  bool any() const;

  /// `nobody_holds`: at this moment. Counts consecutive refusals for which that was so.
  void NoteFree(int client, bool nobody_holds);
  std::uint64_t WhileFree(int client) const;

 private:
  using Form = std::string;
  struct Ask {
    std::string reply;
    std::uint64_t times = 0;
    std::uint64_t while_free = 0;
  };
  struct Client {
    Form last;
    std::map<Form, Ask> asked;  // since it was in a section
    bool has_entered = false;
  };
  Client& Of(int client) { return clients_[static_cast<std::size_t>(client)]; }
  const Client& Of(int client) const { return clients_[static_cast<std::size_t>(client)]; }
  bool IsRefusal(const Form& form, const std::string& reply) const;

  std::vector<Client> clients_;
  std::map<Form, std::set<std::string>> grants_;     // replies
  std::set<std::pair<Form, std::string>> repeated_;  // replies repeated to any client
  std::set<Form> blocked_;
};

}  // namespace interlock::scenarios::drive
