// SPDX-License-Identifier: MIT
//
// Independent masters: what locks over a quorum of them are judged in. What goes wrong for clients,
// links and servers goes wrong here too, and may strike one server of several.
#include <array>
#include <cstdint>
#include <string_view>

#include "scenarios/cases/catalogue/rows.h"
#include "scenarios/cases/catalogue/server_faults.h"

namespace interlock::scenarios::catalogue {
namespace {

struct Variant {
  std::string_view of;    ///< the scenario that it is a variant of
  std::string_view name;  ///< a literal, as every name of a scenario
  int nodes = 3;
};

// Nothing of permits, of replicas, of pinned workloads, and of what waits inside a server.
constexpr auto kVariants = std::to_array<Variant>({
    {"contention", "quorum-contention", 5},
    {"overstay", "quorum-overstay", 3},
    {"crash", "quorum-crash", 5},
    {"lossy", "quorum-lossy", 3},
    {"pause", "quorum-pause", 3},
    {"chaos", "quorum-chaos", 3},
    {"guarded", "quorum-guarded", 3},
    {"crowd", "quorum-crowd", 5},
    {"nested", "quorum-nested", 3},
    {"recovery", "quorum-recovery", 3},
    {"restart", "quorum-restart", 5},
    {"partition", "quorum-partition", 5},
    {"clock-drift", "quorum-clock-drift", 3},
    {"wild-clocks", "quorum-wild-clocks", 3},
    {"alike-tokens", "quorum-alike-tokens", 3},
    {"server-restart", "quorum-server-restart", 5},
    {"data-loss", "quorum-data-loss", 5},
    {"server-clock", "quorum-server-clock", 3},
    {"server-errors", "quorum-server-errors", 4},
});

/// Each attempt is two rounds of commands to all masters.
constexpr std::uint64_t kWeight = 8;

}  // namespace

std::vector<Scenario> OverMasters(const std::vector<Scenario>& of_one_server) {
  std::vector<Scenario> all;
  for (const Variant& variant : kVariants) {
    for (const Scenario& one : of_one_server) {
      if (one.name != variant.of) continue;
      Scenario& scenario = all.emplace_back(one);
      scenario.name = variant.name;
      scenario.on_real_redis = false;
      OnIndependent(scenario.shape, variant.nodes);
      scenario.weight = kWeight;
      scenario.for_sampled = variant.of == "chaos";
    }
  }
  return all;
}

}  // namespace interlock::scenarios::catalogue
