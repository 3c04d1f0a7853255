// SPDX-License-Identifier: MIT
//
// The harness interface's look at the data, over the fake Redis.
#pragma once

#include <cstdint>
#include <optional>

#include <interlock/harness/lock.h>

#include "sim/redis/server.h"

namespace interlock::scenarios {

class FakeServerView : public harness::ServerView {
 public:
  FakeServerView(const sim::redis::Server& server, int database)
      : server_(server), database_(database) {}

  std::optional<std::string> String(std::string_view key) const override {
    return server_.PeekString(database_, key);
  }
  std::vector<std::string> List(std::string_view key) const override {
    return server_.PeekList(database_, key);
  }
  std::vector<std::pair<std::string, std::string>> Hash(std::string_view key) const override {
    return server_.PeekHash(database_, key);
  }
  std::vector<std::pair<std::string, double>> SortedSet(std::string_view key) const override {
    return server_.PeekSortedSet(database_, key);
  }
  std::optional<std::int64_t> ExpiresAtMs(std::string_view key) const override {
    shown_ttl_ = server_.PeekExpiresAtMs(database_, key);
    return shown_ttl_;
  }
  std::int64_t NowMs() const override { return server_.time_us() / 1000; }
  bool IsConnected(std::int64_t client_id) const override {
    return client_id > 0 && server_.IsConnected(static_cast<sim::redis::ClientId>(client_id));
  }

  /// What ExpiresAtMs() has answered last.
  const std::optional<std::int64_t>& shown_ttl() const { return shown_ttl_; }

 private:
  mutable std::optional<std::int64_t> shown_ttl_;
  const sim::redis::Server& server_;
  const int database_;
};

}  // namespace interlock::scenarios
