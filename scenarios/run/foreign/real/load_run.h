// SPDX-License-Identifier: MIT
//
// One measurement of foreign clients that contend for a lock; see foreign_load.h.
//
// Guarantee: when it returns, its clients are gone. Thread safety: that of ForeignProcess.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <interlock/hiredis_connector.h>
#include <interlock/result.h>
#include <interlock/runtime.h>

#include "scenarios/log/event.h"
#include "scenarios/run/foreign/real/load_log.h"
#include "scenarios/run/foreign/real/relay.h"
#include "scenarios/run/load/load.h"
#include "sim/machine/foreign_process.h"

namespace interlock::scenarios::drive {

class LoadRun {
 public:
  /// All outlive it.
  LoadRun(const std::vector<std::string>& command, int clients, const contend::Load& load,
          const std::vector<HiredisOptions>& servers, Runtime& runtime,
          const std::atomic<bool>& stop);

  /// Once. Returns the events, with times that count from the beginning of the warm-up; nullopt: it
  /// was stopped. Fails as MeasureForeign does.
  Result<std::optional<EventLog>> Run();
  /// How many sections there are, by name.
  int sections() const { return log_.sections(); }

 private:
  Status Begin();
  Status AwaitAll();
  Status Watch(MonotonicTime until);
  Status LookAtEnds();
  Status Wrong(int client, std::string_view what);
  void End();

  const std::vector<std::string>& command_;
  const int clients_;
  const contend::Load& load_;
  Runtime& runtime_;
  const std::atomic<bool>& stop_;
  LoadLog log_;
  Relay relay_;
  std::vector<std::unique_ptr<sim::machine::ForeignProcess>> processes_;
};

}  // namespace interlock::scenarios::drive
