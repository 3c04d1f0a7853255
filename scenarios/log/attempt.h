// SPDX-License-Identifier: MIT
//
// Requests, for the lock and by operators, as kept in a History: what was asked, sent, and
// answered. All instants are on the world's single virtual clock. Thread safety: plain data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <interlock/result.h>

#include "scenarios/cases/workload.h"
#include "scenarios/log/mishaps.h"

namespace interlock::scenarios {

struct Attempt {
  int client = 0;
  Ask ask = Ask::kTry;
  VirtualTime asked{};
  VirtualTime answered = kOpen;
  StatusCode answer = StatusCode::kOk;  ///< meaningful once answered
  /// When the client's own clock reaches the deadline it gave; kOpen: it gave none.
  VirtualTime deadline = kOpen;
  /// When its first command that changed data or blocked was executed: its place in the queue.
  VirtualTime queued = kOpen;
  /// The same after an operator took away what had been handed to it: its new place.
  VirtualTime queued_again = kOpen;
  /// The arguments of that command and of the latest such one, without a script's text.
  std::string queued_with = {};
  std::string latest_words = {};
  /// The arguments of the executed command that was sent last: an earlier one that arrives late
  /// answers nothing.
  const std::string& NewestWords() const { return newer_words.empty() ? latest() : newer_words; }
  std::string newer_words = {};     ///< if it was executed before the latest one
  std::string in_transaction = {};  ///< arguments of commands queued for EXEC
  std::uint64_t newest = 0;
  VirtualTime newest_at{};
  std::int64_t commands = 0;    ///< sent by its client until it was answered
  int counts_for = -1;          ///< the party it counts a latch down for; -1: waits, or has none
  bool shared = false;          ///< as a reader
  bool of_several = false;      ///< for this resource and another one at once, all or none
  bool beside = false;          ///< the other resource's history records the outcome of the whole
  bool stopped_before = false;  ///< it was asked to stop before it was made
  VirtualTime stopped = kOpen;  ///< when it was asked to stop, if during its wait
  /// Numbers of its first and last command, among all that its client ever sent.
  std::uint64_t first_sent = 0;
  std::uint64_t last_sent = 0;

  /// Such a command was just executed; EXEC executes all that were queued for it.
  void Executed(std::string words, std::uint64_t number, VirtualTime now) {
    if (!in_transaction.empty()) words += std::exchange(in_transaction, {});
    if (number >= newest) {
      newest = number;
      newest_at = now;
      newer_words.clear();
    } else if (newer_words.empty()) {
      newer_words = latest();
    }
    (queued_with.empty() ? queued_with : latest_words) = std::move(words);
  }
  void Sends(std::uint64_t number) {
    if (commands++ == 0) first_sent = number;
    last_sent = number;
  }
  bool HasSent(std::uint64_t number) const {
    return commands > 0 && first_sent <= number && number <= last_sent;
  }
  /// Whether those arguments contain the token.
  bool Shows(const std::string& token) const {
    return queued_with.find(token) != std::string::npos ||
           latest_words.find(token) != std::string::npos;
  }
  /// The arguments of the latest such command, which may be the first.
  const std::string& latest() const { return latest_words.empty() ? queued_with : latest_words; }
  /// When its client stops waiting; kOpen: never.
  VirtualTime wanted_until() const { return std::min(deadline, stopped); }
};

inline bool IsUnknown(StatusCode answer) { return Status(answer).outcome() == Outcome::kUnknown; }

/// The attempt that sent the client's command with this number, or the end, like find_if; searched
/// backwards.
template <typename Attempts>
auto FindSender(Attempts& attempts, int client, std::uint64_t number) {
  return std::find_if(attempts.rbegin(), attempts.rend(), [&](const Attempt& one) {
    return one.client == client && one.HasSent(number);
  });
}

/// An operator takes the lock away from the holder with that token.
struct Force {
  int client = 0;  ///< the operator
  std::string token;
  VirtualTime looked{};     ///< when it asked for the holders
  VirtualTime inspected{};  ///< when it was told
  VirtualTime called{};
  VirtualTime answered = kOpen;
  StatusCode answer = StatusCode::kOk;  ///< meaningful once answered
};

}  // namespace interlock::scenarios
