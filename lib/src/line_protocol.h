// SPDX-License-Identifier: MIT
//
// LineProtocol: one lock of one client that is handed over in line. A waiter stands in line in the
// server under one token and sleeps there on a list of its own; what it finds there is its grant.
//
// Guarantee: as LeaseProtocol; a waiter keeps its place over lost connections and replies for as
// long as it is heard of in time. Thread safety: may be used from any task.
#pragma once

#include <memory>

#include <interlock/lease_source.h>
#include <interlock/options.h>
#include <interlock/result.h>
#include <interlock/time.h>

#include "src/client_core.h"
#include "src/lease_protocol.h"
#include "src/scripts/line_scripts.h"

namespace interlock::internal {

class LineProtocol final : public LeaseGranter {
 public:
  LineProtocol(ClientCore& client, std::shared_ptr<const LineScripts> scripts, int drift_per_mille,
               const RetryOptions& retry);

  Result<Grant> Try() override { return protocol_.Try(); }
  Result<Grant> AcquireUntil(MonotonicTime deadline, const std::stop_token& stop) override;

  Runtime& runtime() override { return protocol_.runtime(); }
  LeaseKeeper& keeper() override { return protocol_.keeper(); }
  Duration default_lease() const override { return protocol_.default_lease(); }
  const std::string& resource() const override { return protocol_.resource(); }
  Result<MonotonicTime> Extend(const Grant& grant, Duration lease) override {
    return protocol_.Extend(grant, lease);
  }
  /// Also bars what may still be on its way, so that no token stands in line after its client has
  /// gone.
  Status Release(Grant& grant) override;
  Result<Inspection> Inspect() override { return protocol_.Inspect(); }

 private:
  const std::shared_ptr<const LineScripts> scripts_;
  LeaseProtocol protocol_;
};

}  // namespace interlock::internal
