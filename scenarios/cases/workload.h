// SPDX-License-Identifier: MIT
//
// A workload is plain data: what each client does, and what goes wrong for it. The same workload
// runs in virtual time against the fake Redis and in wall time against a real one.
//
// A client's faults stand beside its operations, so that deleting a client deletes its faults with
// it and leaves everybody else's in place: that is what a shrinker needs.
#pragma once

#include <bitset>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <interlock/time.h>

#include "sim/faults.h"
#include "sim/setting.h"

namespace interlock::scenarios {

enum class Ask : std::uint8_t {
  kTry,      ///< one try that does not wait
  kWaitFor,  ///< waits up to Operation::wait
  kWait,     ///< waits without a deadline
};

/// What the lock guards: a thing outside of Redis that the holder reads when its section begins,
/// and writes to when its work is done; see guarded_resource.h.
enum class GuardKind : std::uint8_t {
  kNone,         ///< there is none: a section is only time
  kUnfenced,     ///< accepts every access
  kFenced,       ///< refuses a fencing token below the highest that it has seen
  kCheckAndSet,  ///< accepts a write if nobody else has read since the writer did
};

/// Think, ask for the lock, work in the section, release; or think and set a limit. This is as it
/// is drawn, shrunk and coded, alike for all: what it means to an operator (Forcing), and where
/// nobody holds anything (LatchUse), is worked out in one place each.
struct Operation {
  Ask ask = Ask::kTry;
  Duration think{};     ///< before asking
  Duration wait{};      ///< kWaitFor only
  Duration hold{};      ///< length of the section; cut where the validity ends
  bool extend = false;  ///< extend the lease half-way (and once more, late, with `overstay`)
  Duration overstay{};  ///< if not 0: release only this long after the validity has ended
  int resource = 0;     ///< which of the workload's
  /// Done while the operation before it still holds its lock, after its section: only if that one
  /// was granted, and of another resource than those that the client holds by then.
  bool inside = false;
  bool outlives = false;  ///< if `inside`: given back after the one that it is inside of
  bool drops = false;     ///< destroys its hold in place of giving it back
  bool heedless = false;  ///< writes without another look at its validity
  Duration stall{};       ///< if not 0: a pause strikes right after it has read what is guarded
  bool shared = false;    ///< asks as a reader, and does not write; only where KindModel::shares
  /// If not 0: the number of permits that it puts in force in place of asking, also inside another
  /// operation, whatever that has. Only where that MaySetLimits (kind_model.h).
  int sets_limit = 0;
  /// Its wait is stopped `stop_after` after it has asked; 0: before. Only where Traits say `stops`.
  bool stops = false;
  Duration stop_after{};
  bool forces = false;  ///< an operator's, see Forcing; only where Traits say `operators`
  bool operator==(const Operation&) const = default;
};

/// An operator asks for nothing, but looks for holders, thinks, and takes the lock away from them.
struct Forcing {
  Duration thinks{};   ///< about what it has seen
  bool twice = false;  ///< says so twice
};
/// REQUIRES: the operation is an operator's.
Forcing ForcingOf(const Operation& operation);

/// At a latch an operation is a party, except those of readers, which count for nobody: its client
/// thinks, counts down for it, and then waits as the operation asks.
struct LatchUse {
  bool counts = true;
  std::optional<Duration> again_after = std::nullopt;  ///< counts once more, so long after that
  Operation request;
};
LatchUse LatchUseOf(const Operation& operation);

/// How long a lock may take to notice the end of a validity: e of LK014 b.
inline constexpr Duration kNotice = std::chrono::milliseconds(1);

inline constexpr int kMostResources = 3;
/// The resources of a lock that takes several at once; the last is one more than the workload's.
inline constexpr int kMostAtOnce = 2;
inline constexpr int kMostNodes = 9;

struct PlannedFault {
  sim::FaultKind kind = sim::FaultKind::kCrash;
  int step = 0;
  Duration length{};
  int node = 0;  ///< which server, if the kind uses it
  bool operator==(const PlannedFault&) const = default;
};

/// Kinds of faults by their numbers, which are all below.
inline constexpr std::size_t kFaultNumbers = 65;
using FaultSet = std::bitset<kFaultNumbers>;

struct ClientPlan {
  Duration clock_offset{};          ///< offset of the client's monotonic clock
  std::int64_t clock_rate_ppm = 0;  ///< how much faster than true time it runs
  /// Where a limit is kept in the server: how many permits there are in the client's opinion, if it
  /// is not the workload's (0: as many as are in force), and its lease, if it is a shorter one.
  std::optional<int> limit = std::nullopt;
  Duration lease{};
  /// It is another task in the process of the client before it, and uses that one's lock objects,
  /// with its clock, its limit and its lease; its faults strike that process. Means nothing for the
  /// first client. Only where Traits say `concurrent`.
  bool shares_objects = false;
  std::vector<Operation> operations;
  std::vector<PlannedFault> faults;
  bool operator==(const ClientPlan&) const = default;
};

struct Workload {
  Duration lease{};  ///< whole milliseconds
  Duration life{};   ///< the life of a latch; 0: longer than any run
  int permits = 1;
  int resources = 1;       ///< 1 to kMostResources
  Duration latency_max{};  ///< slowest message, one way; 0: everything happens when it is sent
  sim::Topology topology = sim::Topology::kStandalone;
  int nodes = 1;  ///< servers in all; 1 if standalone
  sim::Persistence persistence = sim::Persistence::kNone;
  GuardKind guard = GuardKind::kNone;
  std::vector<ClientPlan> clients;
  bool operator==(const Workload&) const = default;
};

/// The process, and the owner of the lock objects, that the client uses: its own, or those of one
/// before it.
int ProcessOf(const Workload& workload, int client);

/// The fault plan of a world whose process i is client i.
sim::FaultPlan FaultPlanOf(const Workload& workload);
/// The same with these faults planned, too, except those of clients that it does not have.
Workload WithFaults(Workload workload, const sim::FaultPlan& faults);

/// An upper bound of the virtual time that the workload needs when nothing goes wrong and everybody
/// takes turns: the sum of all thinking, waiting, holding and overstaying, and a lease for each.
Duration SerialLength(const Workload& workload);

/// When phase 1 of its run ends at the latest: the workload may not be over by then, if things go
/// wrong.
Duration LongestPhaseOne(const Workload& workload);

/// Whether anybody asks as a reader.
bool HasReaders(const Workload& workload);

/// Whether clients differ about the limit; whether they do, or differ in their leases, or set
/// another limit; whether they do that, or follow whichever is in force; whether leases differ.
bool HasOwnLimits(const Workload& workload);
bool VariesLimits(const Workload& workload);
bool SetsLimits(const Workload& workload);
bool HasOwnLeases(const Workload& workload);
/// Whether any wait is stopped, and whether anybody is an operator.
bool HasStops(const Workload& workload);
bool HasOperators(const Workload& workload);

std::string_view ToString(Ask ask);
std::string_view ToString(GuardKind guard);
std::optional<GuardKind> GuardKindFromText(std::string_view text);

}  // namespace interlock::scenarios
