// SPDX-License-Identifier: MIT
//
// Publishes keyspace events, if notify-keyspace-events enables them, journals expiries, and reports
// all changes to the tracking of clients. Thread safety: none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/keyspace.h"
#include "sim/redis/notifications.h"

namespace interlock::sim::redis {

class Engine;

class KeyspaceEvents final : public KeyspaceListener {
 public:
  explicit KeyspaceEvents(Engine& engine) : engine_(engine) {}

  void Publish(NotifyClass type, std::string_view event, int database, std::string_view key);

 private:
  void OnAdded(int database, std::string_view key) override;
  void OnExpired(int database, std::string_view key) override;
  void OnTouched(std::string_view key) override;
  void OnReplaced() override;
  void OnCollected(int database, std::string_view key, const std::vector<std::string>& fields,
                   bool emptied) override;

  Engine& engine_;
};

}  // namespace interlock::sim::redis
