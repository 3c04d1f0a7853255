// SPDX-License-Identifier: MIT
//
// One thing that happened to a client or a server, in any world that runs locks: simulated runs,
// processes on real servers, measurements. log_file.h writes events down and reads them back.
//
// An event happened between `at_earliest` and `at_latest`: what a client was told of a call
// happened at the server between call and return; what it does itself has one instant for both.
// Instants count from the run's start. Thread safety: plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <interlock/result.h>

#include "scenarios/cases/workload.h"
#include "scenarios/log/mishaps.h"

namespace interlock::scenarios {

/// A client, and the resource it acts on.
struct Party {
  int client = 0;
  int resource = 0;
};

enum class EventKind : std::uint8_t {
  kAsk,      ///< it asks for the lock, or to be let through a latch
  kStop,     ///< its wait is asked to stop
  kRefused,  ///< it was not granted what it asked for
  kGranted,
  kEnter,        ///< the section begins
  kLeave,        ///< the section ends
  kExtend,       ///< an extension is called
  kExtended,     ///< and returns
  kAskValid,     ///< it asks whether its hold is valid
  kAskedValid,   ///< and was told
  kLost,         ///< it was told, while it works, that its hold is lost
  kAwaitedLoss,  ///< it waited to be told until some time after its hold's validity ended
  kAwaitedCall,  ///< the same for the callback that it had asked for
  kRelease,      ///< a release is called
  kReleased,     ///< and returns
  kDrop,         ///< it destroys its hold instead
  kSetLimit,     ///< it sets another limit
  kLimitSet,     ///< and was told how that went
  kInspect,      ///< an operator looks for holders
  kInspected,    ///< and was told
  kForce,        ///< an operator takes the lock away from one of them
  kForced,       ///< and was told how that went
  kCountDown,    ///< it counts a latch down
  kAnswered,     ///< by a latch, to a count down or a wait
  kAccess,       ///< to the guarded resource
  // The client's process.
  kStops,  ///< stands still, for as long as its details say
  kGoesOn,
  kDied,   ///< its last event
  kEnded,  ///< its work is done
  // Its connections.
  kSend,   ///< a command
  kReply,  ///< to the connection's oldest pending command
  kWoken,  ///< a server's message ended its sleep
  // The servers, where one can look into them.
  kOwned,  ///< somebody is its owner from now on
  kProlonged,
  kFreed,
  kFault,  ///< strikes; lasts until the instant in its details
};
inline constexpr EventKind kLastEventKind = EventKind::kFault;

struct AskDetails {
  Ask ask = Ask::kTry;
  bool shared = false;         ///< as a reader
  bool stopped = false;        ///< its wait was asked to stop before it began
  bool beside = false;         ///< of a request for several resources, this is not the first
  Duration patience{};         ///< kWaitFor: how long it will wait
  VirtualTime due = kOpen;     ///< when it was due to ask; kOpen: when it did
  std::uint64_t commands = 0;  ///< sent by the client before
};

struct AnswerDetails {
  StatusCode status = StatusCode::kOk;
  std::string error = {};      ///< what an error said
  std::uint64_t commands = 0;  ///< sent by the client so far
};

struct GrantDetails {
  std::string token = {};  ///< the owner's; empty: it shows none
  std::optional<std::uint64_t> fencing_token = {};
  VirtualTime valid_until = kOpen;  ///< as its client believes
  VirtualTime sent = kOpen;         ///< before the client's last command was sent; kOpen: not known
  std::uint64_t commands = 0;       ///< sent by the client so far
};

struct ExtendedDetails {
  StatusCode status = StatusCode::kOk;
  VirtualTime valid_until = kOpen;
};

struct ValidDetails {
  bool valid = false;
  VirtualTime valid_until = kOpen;  ///< as it had been told before
};

struct EndDetails {
  int operation = 0;           ///< kDied: index of the one that its plan was at
  std::uint64_t commands = 0;  ///< sent by the client so far
};

struct ToldDetails {
  bool told = false;  ///< in time
};

struct LimitDetails {
  int limit = 0;
};

struct HolderDetails {
  std::string token = {};
};

struct PartyDetails {
  int party = 0;
};

struct StopDetails {
  Duration length{};
};

struct AccessDetails {
  std::uint64_t fencing_token = 0;
};

struct SendDetails {
  int connection = 0;  ///< number among the client's
  std::string command = {};
  std::int64_t bytes = 0;  ///< of its arguments
};

/// The outcome of a command; errors are the server's own.
enum class ReplyKind : std::uint8_t { kReply, kError, kNone };

struct ReplyDetails {
  int connection = 0;
  ReplyKind reply = ReplyKind::kReply;
};

struct WokenDetails {
  std::string by = {};  ///< the blocked command, or "message"
};

struct OwnerDetails {
  std::string token = {};
  Duration left{};       ///< kProlonged: what was left of its time
  bool expired = false;  ///< kFreed
};

struct FaultDetails {
  std::string fault = {};
  VirtualTime until = kOpen;
};

using EventDetails =
    std::variant<std::monostate, AskDetails, AnswerDetails, GrantDetails, ExtendedDetails,
                 ValidDetails, EndDetails, ToldDetails, LimitDetails, HolderDetails, PartyDetails,
                 StopDetails, AccessDetails, SendDetails, ReplyDetails, WokenDetails, OwnerDetails,
                 FaultDetails>;

struct LogEvent {
  VirtualTime at_earliest{};
  VirtualTime at_latest{};
  int client = -1;  ///< -1: none
  int resource = 0;
  EventKind kind = EventKind::kAsk;
  EventDetails details = {};

  /// REQUIRES: the event is of a kind that has these details.
  template <typename T>
  const T& As() const {
    return std::get<T>(details);
  }
};

using EventLog = std::vector<LogEvent>;

/// "reply", "error", "none".
std::string_view ToString(ReplyKind kind);
/// "ask", "granted", …
std::string_view ToString(EventKind kind);

/// The details, all at their defaults, that an event of this kind has.
EventDetails DetailsFor(EventKind kind);

/// Makes each instant count from `start`, that counted from the same origin.
void CountFrom(VirtualTime start, LogEvent& event);

}  // namespace interlock::scenarios
