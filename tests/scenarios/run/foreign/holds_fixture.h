// SPDX-License-Identifier: MIT
//
// Commands of foreign clients at one server, and the judge of holds, who sees what they do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "scenarios/run/foreign/holds.h"
#include "sim/redis/server.h"
#include "sim/redis/watcher.h"

namespace interlock::scenarios::drive {

/// Three clients, who ask one after the other.
class HoldsTest : public ::testing::Test, private sim::redis::Sink {
 protected:
  static constexpr std::int64_t kEpochMs = 1'700'000'000'000;

  HoldsTest() : HoldsTest("") {}
  explicit HoldsTest(const std::string& pattern) : holds_(3, pattern, 2, findings_) {
    server_.SetSink(this);
    sim::redis::SetWatcher(
        server_, [this](sim::redis::ClientId /*client*/, const sim::redis::Argv& argv,
                        const sim::redis::Value& /*reply*/) { effects_.push_back(argv); });
    server_.SetTime(kEpochMs * 1'000);
    server_.Start();
    id_ = server_.Connect();
  }

  void Send(int client, const sim::redis::Argv& argv) {
    holds_.Expired(0, HeldDataOf(0, server_), now_ms_);
    effects_.clear();
    server_.Execute(id_, argv);
    holds_.After(client, 0, argv, effects_, HeldDataOf(0, server_), now_ms_);
  }

  void Pass(std::int64_t ms) {
    now_ms_ += ms;
    server_.SetTime(now_ms_ * 1'000);
    holds_.Expired(0, HeldDataOf(0, server_), now_ms_);
  }

  std::vector<std::string> Found() const {
    std::vector<std::string> slugs;
    for (const Finding& finding : findings_) slugs.push_back(finding.slug);
    return slugs;
  }

  std::string InSeconds(std::int64_t ms) const { return std::to_string((now_ms_ + ms) / 1'000); }
  std::string InMs(std::int64_t ms) const { return std::to_string(now_ms_ + ms); }

  std::int64_t EndMs() const { return holds_.NextEnd() ? holds_.NextEnd()->ms - now_ms_ : -1; }

  sim::redis::Server server_;
  Findings findings_;
  Holds holds_;
  std::int64_t now_ms_ = kEpochMs;

 private:
  void OnReply(sim::redis::ClientId /*client*/, sim::redis::Value& /*value*/) override {}
  void OnClosed(sim::redis::ClientId /*client*/) override {}

  sim::redis::ClientId id_ = 0;
  std::vector<sim::redis::Argv> effects_;
};

}  // namespace interlock::scenarios::drive
