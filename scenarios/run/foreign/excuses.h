// SPDX-License-Identifier: MIT
//
// Which leases of foreign clients ran out without their fault, so that sections which overlap
// thereafter are no violation: no lease lock can prevent them. After a fault until the next grant;
// after a wait at the gate, which is no doing of the client's either, for as long as it has waited.
//
// Thread safety: none.
#pragma once

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

  explicit Excuses(int clients) : leases_(static_cast<std::size_t>(clients)) {}

  /// The lease of the client has run out; it is excused up to this Unix time.
  void Lapsed(int client, const HeldId& id, std::int64_t until_us) { Of(client)[id] = until_us; }
  void Granted(int client, const HeldId& id) { Of(client).erase(id); }
  /// Its commands have waited at the gate for so long.
  void Waited(int client, std::int64_t us) {
    for (auto& [id, until_us] : Of(client)) {
      if (until_us != kForGood) until_us += us;
    }
  }
  /// By client.
  std::vector<bool> At(std::int64_t now_us) const {
    std::vector<bool> excused;
    for (const auto& of_client : leases_) {
      bool any = false;
      for (const auto& [id, until_us] : of_client) any = any || now_us <= until_us;
      excused.push_back(any);
    }
    return excused;
  }

 private:
  std::map<HeldId, std::int64_t>& Of(int client) {
    return leases_[static_cast<std::size_t>(client)];
  }

  std::vector<std::map<HeldId, std::int64_t>> leases_;  // by client
};

}  // namespace interlock::scenarios::drive
