// SPDX-License-Identifier: MIT
//
// A scenario is plain data: the shape of its workloads, the faults it may use, the synchrony
// classes it runs in, and the properties that it puts to the test. It does not know which lock it
// will run.
#pragma once

#include <chrono>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/cases/goals.h"
#include "scenarios/cases/judged.h"
#include "scenarios/cases/synchrony.h"
#include "scenarios/cases/workload.h"
#include "sim/redis/dialect.h"

namespace interlock::scenarios {

/// What a workload may have in addition, because of the kind of lock.
struct Extras {
  bool readers = false;     ///< some ask as readers
  bool stops = false;       ///< some waits are stopped
  bool operators = false;   ///< some take the lock away from its holders
  bool lives = false;       ///< a latch may be remembered for a short time only
  bool own_leases = false;  ///< clients differ in their leases; also if limit_stands
  bool permits = false;     ///< a semaphore over a quorum has several of them, in every scenario
  /// Clients differ in their limits and leases, and, if it is more than 0, set other limits; as
  /// harness::Permits::limit_stands.
  std::optional<std::chrono::milliseconds> limit_stands = std::nullopt;
  bool operator==(const Extras&) const = default;
};

struct WorkloadShape {
  int max_clients = 6;  ///< generated: 2 to this
  int max_operations = 3;
  int max_faults = 3;  ///< per client
  std::vector<sim::FaultKind> faults;
  bool overstay = false;  ///< some clients come back long after their validity has ended
  bool extend = false;    ///< some clients extend their lease
  int min_permits = 1;
  int max_permits = 1;
  int max_resources = 1;
  bool nest = false;              ///< some clients hold a resource and ask for a later one
  bool share_objects = false;     ///< some clients use the lock objects of another one
  std::int64_t max_rate_ppm = 0;  ///< of clocks, either way
  sim::Topology topology = sim::Topology::kStandalone;
  int nodes = 1;
  std::vector<sim::Persistence> persistence = {sim::Persistence::kNone};  ///< one is drawn
  GuardKind guard = GuardKind::kNone;
  // Never a scenario's own wish, see Generator.
  Extras extras = {};
  bool ages = false;  ///< limits go out of use for about as long as they stand
};

/// The assumptions of every lease lock that do not hold. What is still promised without them
/// follows from them: see WhyNotPromised.
struct GivesUp {
  bool clocks = false;  ///< clocks run at about the same rate, and nobody sets them
  bool writes = false;  ///< what a server has acknowledged survives
};

struct Weakness {
  SynchronyClass synchrony = SynchronyClass::kNone;
  Judged property = Judged::kSectionExclusion;  ///< as for a lock; mapped for a semaphore
  /// Must not show in a lock with Traits::lock_delay, and must in every other.
  bool cured_by_lock_delay = false;
  /// How many commands a lock sends decides whether the placings hit it: it need not show.
  bool by_the_draw = false;
};

/// Enough to say of a violation, at 95 %, that it is rarer than 1 run in 200.
inline constexpr std::uint64_t kGateRuns = 600;

struct Scenario {
  std::string_view name;
  std::string_view summary;
  std::vector<SynchronyClass> classes;
  WorkloadShape shape;
  /// For locks; a semaphore is judged by the three permit properties instead of the exclusions.
  std::vector<Judged> judges;
  bool semaphores_only = false;
  bool renewing_only = false;  ///< for locks that prolong a lease by themselves
  GivesUp gives_up;
  bool on_real_redis = false;  ///< fault-free, or nothing but crashes
  std::string key_prefix = "interlock:";
  std::string resource = "jobs:42";
  int database = 0;
  /// The workloads of a named case, instead of generated ones; the runs take them in turn.
  std::vector<Workload> pinned;
  /// What a correct lease lock cannot hold here: expected to be seen violated.
  std::vector<Weakness> weaknesses;
  /// The share in the gate of one (lock, class).
  std::uint64_t gate_runs = kGateRuns;
  /// The most in any campaign: a pinned workload has little to vary.
  std::uint64_t max_runs = ~std::uint64_t{0};
  /// How many times as long as others a run takes; a long campaign has fewer of them (see plan.h).
  std::uint64_t weight = 1;
  bool for_sampled = false;   ///< also for the locks that are tried in some scenarios only
  bool always_whole = false;  ///< all of max_runs, however short the campaign: half a sweep is none
  /// For a sweep from the harmless to the harmful, a name for each pinned workload: the report says
  /// up to which one a weakness does not show.
  std::vector<std::string> sweep;
  bool sweeps_messages = false;  ///< the pinned workloads hold up each message in turn
  /// When all faults are over, the same clients ask again with the same lock objects, once more
  /// often than is excused (see judge/refusals.h).
  bool asks_again = false;
  bool tells_losses = false;  ///< the report says how many updates of what is guarded were lost
  bool tells_story = false;   ///< see story.h; needs exactly one pinned workload
  /// What its servers are; another one than Redis 7.0 only in those of OnServer.
  const sim::redis::Dialect* server = &sim::redis::DefaultDialect();
  /// The servers on which its faults exist, all by default; on others it applies to no lock.
  sim::redis::DialectSet servers = static_cast<sim::redis::DialectSet>(~0U);
  /// Set for scenarios of the guarantee table, where each lock's promises say what is expected;
  /// else empty.
  std::string_view fault_class = {};

  /// Its name without that of its servers: what locks know it by, and what its seeds come from.
  std::string_view base_name() const { return name.substr(0, name.find(kOnServer)); }
  /// Stands between the two: "chaos@valkey-9.1".
  static constexpr char kOnServer = '@';
};

const std::vector<Scenario>& Catalogue();
/// Those of the guarantee table, in its order: by class, then by topology.
const std::vector<Scenario>& GuaranteeScenarios();
/// Finds it in the catalogue, or in the guarantee table; "chaos@valkey-9.1" as OnServer makes it.
const Scenario* FindScenario(std::string_view name);
/// The same scenario with such servers: for each pair there is one, which lasts as long as the
/// program. REQUIRES: it comes from FindScenario, or is on Redis 7.0. Thread safety: any thread.
const Scenario& OnServer(const Scenario& scenario, const sim::redis::Dialect& server);

/// Whether it draws any of these faults.
bool HasAny(const Scenario& scenario, std::initializer_list<sim::FaultKind> kinds);
/// Whether links or servers may fail.
bool MayEndConnections(const Scenario& scenario);

bool Applies(const Scenario& scenario, const harness::Traits& traits);

Extras ExtrasOf(const harness::Traits& traits);

/// From this many runs of one lock on, goals that one run in some hundreds reaches are demanded
/// too.
inline constexpr std::uint64_t kRunsForRareGoals = 5000;

/// The goals that a campaign of `runs` runs of this scenario must reach with locks of these traits;
/// a pinned workload has none.
GoalSet ReachableGoals(const Scenario& scenario, const harness::Traits& traits, std::uint64_t runs);

/// How many resources one request takes: the one that an operation names, and those after it.
inline int ResourcesAtOnce(const harness::Traits& traits) {
  return traits.several ? kMostAtOnce : 1;
}

/// The options of each of the workload's resources, and of those that are taken beside the last.
std::vector<harness::LockOptions> LockOptionsFor(const Scenario& scenario, const Workload& workload,
                                                 const harness::Traits& traits);

/// The options as this client gives them: every second one names several the other way round.
harness::LockOptions OptionsOf(int client, harness::LockOptions options);
/// The options with the limit and the lease of a client with this plan.
harness::LockOptions WithPlan(const ClientPlan& plan, harness::LockOptions options);
int PermitsWith(const ClientPlan& plan, const harness::LockOptions& options);
std::chrono::milliseconds LeaseWith(const ClientPlan& plan, const harness::LockOptions& options);

}  // namespace interlock::scenarios
