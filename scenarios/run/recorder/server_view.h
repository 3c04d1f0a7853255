// SPDX-License-Identifier: MIT
//
// Implements the harness's view of the data in the fake Redis: one server, or a whole cluster.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include <interlock/harness/lock.h>

#include "scenarios/log/ledger.h"
#include "sim/redis/server.h"
#include "sim/world.h"

namespace interlock::scenarios {

class FakeServerView : public harness::ServerView {
 public:
  FakeServerView(const sim::redis::Server& server, int database)
      : server_(server), database_(database) {}
  /// A view of the server; if `by_key`, each key is read where a cluster serves it.
  FakeServerView(sim::World& world, bool by_key, int database)
      : server_(world.server()), cluster_(by_key ? &world : nullptr), database_(database) {}

  std::optional<std::string> String(std::string_view key) const override {
    return Noted(key, At(key).PeekString(database_, key));
  }
  std::vector<std::string> List(std::string_view key) const override {
    return Noted(key, At(key).PeekList(database_, key));
  }
  std::vector<std::pair<std::string, std::string>> Hash(std::string_view key) const override {
    return Noted(key, At(key).PeekHash(database_, key));
  }
  std::vector<std::pair<std::string, double>> SortedSet(std::string_view key) const override {
    return Noted(key, At(key).PeekSortedSet(database_, key));
  }
  std::optional<std::int64_t> ExpiresAtMs(std::string_view key) const override {
    shown_ttl_ = At(key).PeekExpiresAtMs(database_, key);
    return shown_ttl_;
  }
  std::int64_t NowMs() const override { return server_.time_us() / 1000; }
  bool IsConnected(std::int64_t client_id) const override {
    return client_id > 0 && server_.IsConnected(static_cast<sim::redis::ClientId>(client_id));
  }

  /// The latest answer of ExpiresAtMs().
  const std::optional<std::int64_t>& shown_ttl() const { return shown_ttl_; }
  /// When the first of the keys whose content was looked at expires; kNoDeadline: none does.
  std::int64_t first_expiry_ms() const { return first_expiry_ms_; }

 private:
  static bool IsThere(const std::optional<std::string>& text) { return text.has_value(); }
  template <typename Element>
  static bool IsThere(const std::vector<Element>& elements) {
    return !elements.empty();
  }
  /// What a key holds. One that is absent, as most are that are looked at, never expires.
  template <typename Content>
  Content Noted(std::string_view key, Content content) const {
    if (!IsThere(content)) return content;
    const auto expires_at_ms = At(key).PeekExpiresAtMs(database_, key);
    first_expiry_ms_ = std::min(first_expiry_ms_, expires_at_ms.value_or(kNoDeadline));
    return content;
  }
  const sim::redis::Server& At(std::string_view key) const {
    return cluster_ == nullptr ? server_ : cluster_->server(cluster_->NodeOf(key));
  }

  mutable std::optional<std::int64_t> shown_ttl_;
  mutable std::int64_t first_expiry_ms_ = kNoDeadline;
  const sim::redis::Server& server_;
  sim::World* const cluster_ = nullptr;
  const int database_;
};

}  // namespace interlock::scenarios
