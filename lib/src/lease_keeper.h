// SPDX-License-Identifier: MIT
//
// LeaseKeeper: what a client does for all its leases by itself: it renews those that are kept
// alive, and tells of losses. Two tasks, each started when it is first needed: a renewal may have
// to wait for the server, and nobody may have to wait for that to be told of a loss.
//
// Thread safety: may be used from any task.
#pragma once

#include <atomic>
#include <cstdint>

#include "src/agenda.h"
#include "src/held_lease.h"
#include "src/teller.h"

namespace interlock::internal {

class LeaseKeeper {
 public:
  LeaseKeeper(Runtime& runtime, const Teller& teller)
      : teller_(teller),
        renewals_(runtime, "lease-renewal", &HeldLease::Renew),
        losses_(runtime, "lease-loss", &HeldLease::TellLoss) {}

  Agenda& renewals() { return renewals_; }
  Agenda& losses() { return losses_; }
  /// The client's teller.
  const Teller& teller() const { return teller_; }
  std::uint64_t NewTicket() { return next_ticket_.fetch_add(1, std::memory_order_relaxed); }

 private:
  const Teller& teller_;
  std::atomic<std::uint64_t> next_ticket_ = 1;
  Agenda renewals_;
  Agenda losses_;
};

}  // namespace interlock::internal
