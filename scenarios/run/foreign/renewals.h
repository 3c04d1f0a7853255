// SPDX-License-Identifier: MIT
//
// Judges foreign clients that renew their leases, as the ends of their locks' keys show: a client
// renews if it has put off the end of its own key while it was in a section. False-validity
// (LK014): such a client is in its section when its lease runs out, though no fault has ever met
// it. A client that is only slow, and does not renew, is judged by its sections alone (sections.h).
//
// Every fault excuses its client for the rest of the run; one that lets time pass, or makes servers
// forget their scripts, excuses all. A lease is excused if its owner's commands have waited at the
// gate for a twentieth of it. Non-guarantee: nothing is judged of leases that others have put off,
// that several clients share, or that end by what their owner wrote down. A client that renews by a
// timer of the kernel's, which does not go by the virtual clock, looks as if it were late. Thread
// safety: none. Times are Unix times in ms.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "scenarios/run/foreign/finding.h"
#include "scenarios/run/foreign/hold_change.h"

namespace interlock::scenarios::drive {

class Renewals {
 public:
  Renewals(int clients, Findings& findings);

  /// `inside`: whether the owner is in a section.
  void Note(const HoldChange& change, bool inside, std::int64_t now_ms);
  /// A fault has met the client.
  void Disturbed(int client) { Of(client).disturbed = true; }
  void DisturbedAll();
  bool IsDisturbed(int client) const {
    return clients_[static_cast<std::size_t>(client)].disturbed;
  }
  /// Whether an undisturbed client has been in a section after the end that its lease had at first.
  bool outlasted() const { return outlasted_; }

 private:
  struct Client {
    bool disturbed = false;
    bool renews = false;
  };
  struct Lease {
    std::optional<std::int64_t> first_end_ms;
    std::optional<std::int64_t> end_ms;
    bool moved_by_others = false;
  };

  Client& Of(int client) { return clients_[static_cast<std::size_t>(client)]; }
  void EndMoved(const HoldChange& change, bool inside, std::int64_t now_ms, Lease& lease);
  void Expired(const HoldChange& change, bool inside);

  Findings& findings_;
  std::vector<Client> clients_;
  std::map<LockKey, std::map<int, Lease>> leases_;  // by owner
  bool outlasted_ = false;
};

}  // namespace interlock::scenarios::drive
