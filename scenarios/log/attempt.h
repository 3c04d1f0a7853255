// SPDX-License-Identifier: MIT
//
// Requests, for the lock and of operators, as a History keeps them: what was asked, sent, and told.
// All instants are on the world's one virtual clock. Thread safety: plain data.
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
  /// When the client's own clock shows the deadline that it gave; kOpen: it gave none.
  VirtualTime deadline = kOpen;
  /// When its first command that changed data or blocked was executed: its place in a queue.
  VirtualTime queued = kOpen;
  /// The same after an operator took away what had been handed over to it: its new place.
  VirtualTime queued_again = kOpen;
  /// The words of that command and of the latest such one, without a script's text.
  std::string queued_with = {};
  std::string latest_words = {};
  /// The words of the command sent last of all such that were executed: an earlier one that comes
  /// late answers nothing.
  const std::string& NewestWords() const { return newer_words.empty() ? latest() : newer_words; }
  std::string newer_words = {};     ///< if it was executed before the latest one
  std::string in_transaction = {};  ///< the words of commands that wait for the EXEC of a
                                    ///< transaction
  std::uint64_t newest = 0;
  VirtualTime newest_at{};
  std::int64_t commands = 0;    ///< sent by its client until it was answered
  int counts_for = -1;          ///< counts a latch down for that party; -1: waits, or has none
  bool shared = false;          ///< as a reader
  bool of_several = false;      ///< for this resource and another one at once, all or none
  bool beside = false;          ///< the other one's history says what became of the whole
  bool stopped_before = false;  ///< it was requested to stop before it was made
  VirtualTime stopped = kOpen;  ///< when it was requested to stop, if that was during its wait
  /// Numbers of the first and last of those commands, among all that its client ever sent.
  std::uint64_t first_sent = 0;
  std::uint64_t last_sent = 0;

  /// Such a command was executed just now; if it is an EXEC, with all that had waited for it.
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
  /// Whether those words show it.
  bool Shows(const std::string& token) const {
    return queued_with.find(token) != std::string::npos ||
           latest_words.find(token) != std::string::npos;
  }
  /// The words of the latest such command, which may be the first.
  const std::string& latest() const { return latest_words.empty() ? queued_with : latest_words; }
  /// From when on its client does not want to wait any longer; kOpen: it waits for ever.
  VirtualTime wanted_until() const { return std::min(deadline, stopped); }
};

/// The attempt that sent the client's command with this number, or the end, like find_if; searched
/// from the latest on.
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
