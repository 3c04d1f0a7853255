// SPDX-License-Identifier: MIT
//
// The fake and a real redis-server side by side: every step goes to both, and everything that
// either of them sends is compared; at the end all data is.
//
// Thread safety: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/redis/server.h"
#include "tests/redis/differential/case.h"
#include "tests/redis/differential/compare.h"
#include "tests/redis/differential/coverage.h"
#include "tests/redis/differential/wire_client.h"
#include "tests/support/redis_server.h"

namespace interlock::testing {

class Pair {
 public:
  /// Starts a real server; throws std::runtime_error if there is none.
  Pair();

  /// Both forget everything, then take the steps; nullopt if they agree to the end, else what they
  /// did not agree on, and behind which step. `coverage` may be null.
  std::optional<std::string> Run(const Case& sequence, Coverage* coverage);

  /// Commands that both have executed, those that compare the data not included.
  std::uint64_t commands() const { return commands_; }

 private:
  // Behind the connections of the sequence: one that looks, and opens what is blocked.
  static constexpr std::size_t kControl = kConnections;

  struct Collector final : sim::redis::Sink {
    void OnReply(sim::redis::ClientId client, sim::redis::Value& value) override {
      replies.emplace_back(client, value);
    }
    void OnClosed(sim::redis::ClientId client) override { closed.push_back(client); }
    std::vector<std::pair<sim::redis::ClientId, sim::redis::Value>> replies;
    std::vector<sim::redis::ClientId> closed;
  };

  void StartReal();
  void Begin(std::size_t connections);
  void Connect(std::size_t connection);
  void Reconnect(std::size_t connection);
  void SetRealId(std::size_t connection, std::int64_t id);
  std::optional<std::string> RunStep(const Step& step);
  std::optional<std::string> CompareOthers(
      std::size_t sender,
      const std::vector<std::pair<sim::redis::ClientId, sim::redis::Value>>& sent);
  /// Waits, after a step with EndsSoon, until the fields' time is over on both.
  void LetFieldsEnd(const Step& step) const;
  void SendToBoth(const Step& step);
  std::optional<std::string> CompareReplies(std::size_t sender);
  std::optional<std::string> CompareReply(std::size_t receiver, const sim::redis::Value& real,
                                          const sim::redis::Value& fake);
  std::optional<std::string> RunChoice(const Step& step);
  std::optional<std::string> RunPages(const Step& step);
  std::optional<std::set<std::string>> ChoicesOf(const Step& step);
  std::optional<sim::redis::Value> Receive(std::size_t connection);
  sim::redis::Value AskFake(std::size_t connection, const sim::redis::Argv& argv);
  std::optional<std::string> ExpectSilence(std::size_t connection);
  std::optional<std::string> Finish();
  std::optional<std::string> CompareData();
  std::optional<std::string> CompareAll(const std::vector<sim::redis::Argv>& commands,
                                        std::vector<sim::redis::Value>* replies);
  void Follow(const Step& step, Coverage* coverage);
  Surroundings TheSurroundings() const { return {known_real_ids_, known_fake_ids_, now_ms_}; }

  sim::redis::Argv WithIds(const sim::redis::Argv& argv, bool real) const;
  std::size_t IndexOf(sim::redis::ClientId id) const;
  void SetTime();
  void Barrier();

  std::unique_ptr<sim::machine::RedisServer> real_;
  sim::redis::Server fake_;
  Collector sink_;
  std::int64_t now_ms_ = 0;
  std::uint64_t commands_ = 0;
  bool changed_settings_ = true;
  bool used_scripts_ = true;
  bool used_functions_ = true;
  bool paused_ = false;
  bool limited_ = false;  // Some writes may be refused.

  // Never a part of a sequence, so that whatever one leaves behind can be undone.
  std::unique_ptr<WireClient> admin_;
  std::size_t connections_ = 0;
  std::array<std::unique_ptr<WireClient>, kConnections + 1> wires_;
  std::array<std::int64_t, kConnections + 1> real_ids_{};
  std::array<std::int64_t, kConnections + 1> fake_ids_{};
  // Of all clients so far: a message may name one that is gone.
  std::vector<std::int64_t> known_real_ids_;
  std::vector<std::int64_t> known_fake_ids_;
  // Of the commands that a connection has not had its answer to yet, or has queued.
  std::array<Tolerance, kConnections + 1> tolerances_{};
  std::array<std::vector<sim::redis::Argv>, kConnections + 1> queued_;
  std::array<bool, kConnections + 1> in_multi_{};
  std::array<bool, kConnections + 1> multi_waits_{};  // behind a blocked command
  std::array<bool, kConnections + 1> muted_{};
  std::array<std::string, kConnections + 1> databases_;
};

/// What one of both sides has for an answer if it has none.
inline constexpr std::string_view kNoAnswer = "(nothing)";
/// Two answers of which one is wrong.
std::string DescribeDifference(std::size_t receiver, std::string_view real, std::string_view fake);

}  // namespace interlock::testing
