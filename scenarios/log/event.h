// SPDX-License-Identifier: MIT
//
// One thing that happened to a client or a server, in any world that runs locks: simulated runs,
// processes on real servers, foreign clients, measurements. log_file.h writes events down and reads
// them back.
//
// An event happened between `at_earliest` and `at_latest`: what a client was told of a call
// happened at the server between call and return; what it does itself has one instant for both.
// Instants count from the run's start. Thread safety: plain data.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "scenarios/log/details.h"

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
  kExpired,  ///< a key of a server; only foreign clients' runs have it
  kFault,    ///< strikes; lasts until the instant in its details
};
inline constexpr EventKind kLastEventKind = EventKind::kFault;

using EventDetails =
    std::variant<std::monostate, AskDetails, AnswerDetails, GrantDetails, ExtendedDetails,
                 ValidDetails, EndDetails, ToldDetails, LimitDetails, HolderDetails, PartyDetails,
                 StopDetails, AccessDetails, SendDetails, ReplyDetails, WokenDetails, OwnerDetails,
                 KeyDetails, FaultDetails>;

/// For whatever goes through all members of an event's details: writing, reading, and moving
/// instants. A visitor has Time (an instant; kOpen: none), Length, and Value for all else.
template <typename Visitor>
void VisitDetails(EventDetails& details, Visitor& visitor) {
  std::visit(
      [&visitor]<typename Details>(Details& of) {
        if constexpr (!std::is_same_v<Details, std::monostate>) of.Visit(visitor);
      },
      details);
}

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
