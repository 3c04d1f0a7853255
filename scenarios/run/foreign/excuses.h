// SPDX-License-Identifier: MIT
//
// Which leases of foreign clients ran out without their fault, so that sections which overlap
// thereafter are no violation: no lease lock can prevent them. After a fault until the next grant,
// and until the end of the section in which it came, whatever is granted within; after a wait at
// the gate, which is no doing of the client's either, for as long as it has waited.
//
// Thread safety: none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "scenarios/run/foreign/held_data.h"

namespace interlock::scenarios::drive {

class Excuses {
 public:
  /// Of an excuse that ends with the next grant only.
  static constexpr std::int64_t kForGood = std::numeric_limits<std::int64_t>::max();

  explicit Excuses(int clients)
      : leases_(static_cast<std::size_t>(clients)),
        inside_(leases_.size()),
        outlived_(leases_.size()) {}

  /// The lease of the client has run out; it is excused up to this Unix time.
  void Lapsed(int client, const HeldId& id, std::int64_t until_us) {
    Of(client)[id] = until_us;
    const auto at = static_cast<std::size_t>(client);
    if (until_us == kForGood && inside_[at]) outlived_[at] = true;
  }
  /// The client is in a section from now on, or no more.
  void SetInside(int client, bool inside) {
    const auto at = static_cast<std::size_t>(client);
    inside_[at] = inside;
    outlived_[at] = inside && std::ranges::any_of(leases_[at], [](const auto& one) {
                      return one.second == kForGood;
                    });
  }
  void Granted(int client, const HeldId& id) { Of(client).erase(id); }
  /// Its commands have waited at the gate for so long.
  void Waited(int client, std::int64_t us) {
    for (auto& [id, until_us] : Of(client)) {
      if (until_us != kForGood) until_us += us;
    }
  }
  /// By client.
  std::vector<bool> At(std::int64_t now_us) const {
    std::vector<bool> excused = outlived_;
    for (std::size_t client = 0; client < leases_.size(); ++client) {
      for (const auto& [id, until_us] : leases_[client]) {
        if (now_us <= until_us) excused[client] = true;
      }
    }
    return excused;
  }

 private:
  std::map<HeldId, std::int64_t>& Of(int client) {
    return leases_[static_cast<std::size_t>(client)];
  }

  std::vector<std::map<HeldId, std::int64_t>> leases_;  // by client
  std::vector<bool> inside_;                            // by client
  std::vector<bool> outlived_;  // by client: before its section's end a fault has ended a lease
};

}  // namespace interlock::scenarios::drive
