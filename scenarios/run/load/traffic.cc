// SPDX-License-Identifier: MIT
#include "scenarios/run/load/traffic.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>

namespace interlock::scenarios::contend {
namespace {

using reports::CommandMix;

enum class Doing : std::uint8_t { kAsking, kReleasing, kElse };

struct Command {
  std::int64_t sent = 0;
  std::int64_t answered = kNotYet;
};

class Traffic {
 public:
  explicit Traffic(const Frame& frame)
      : frame_(frame),
        doing_(static_cast<std::size_t>(frame.clients), Doing::kElse),
        commands_(static_cast<std::size_t>(frame.clients)) {
    mix_.errors = mix_.unanswered = mix_.round_trips = 0;
  }

  void Take(const LogEvent& event) {
    if (event.client < 0) return;
    Doing& doing = doing_[static_cast<std::size_t>(event.client)];
    switch (event.kind) {
      case EventKind::kAsk:
        doing = Doing::kAsking;
        return;
      case EventKind::kRelease:
        doing = Doing::kReleasing;
        return;
      case EventKind::kGranted:
      case EventKind::kRefused:
      case EventKind::kReleased:
        doing = Doing::kElse;
        return;
      case EventKind::kSend:
        return Send(event, doing);
      case EventKind::kReply:
        return Answered(event);
      default:
        return;
    }
  }

  CommandMix Finish(const std::vector<const Request*>& granted) && {
    // Greedily choosing the command that ends first gives the longest chain.
    for (std::vector<Command>& commands : commands_) {
      std::ranges::stable_sort(commands, {}, &Command::answered);
    }
    for (const Request* request : granted) {
      if (request->released >= frame_.to_ns) continue;
      *mix_.round_trips += RoundTrips(request->client, request->asked, request->answered);
      *mix_.round_trips += RoundTrips(request->client, request->release_called, request->released);
    }
    return mix_;
  }

 private:
  bool Counts(std::int64_t sent) const { return sent >= frame_.from_ns && sent < frame_.to_ns; }

  void Send(const LogEvent& event, Doing doing) {
    auto& commands = commands_[static_cast<std::size_t>(event.client)];
    const auto& sent = event.As<SendDetails>();
    under_way_[{event.client, sent.connection}].push_back(commands.size());
    commands.push_back({NsOf(event)});
    if (!Counts(NsOf(event))) return;
    ++(doing == Doing::kAsking      ? mix_.acquiring
       : doing == Doing::kReleasing ? mix_.releasing
                                    : mix_.beside);
    mix_.bytes_sent += static_cast<std::uint64_t>(sent.bytes);
  }

  void Answered(const LogEvent& event) {
    const auto& reply = event.As<ReplyDetails>();
    auto& under_way = under_way_[{event.client, reply.connection}];
    if (under_way.empty()) return;
    Command& command = commands_[static_cast<std::size_t>(event.client)][under_way.front()];
    under_way.pop_front();
    command.answered = NsOf(event);
    if (!Counts(command.sent)) return;
    *mix_.errors += reply.reply == ReplyKind::kError ? 1 : 0;
    *mix_.unanswered += reply.reply == ReplyKind::kNone ? 1 : 0;
  }

  /// The number of commands in [from, to] such that each was sent after the answer to the one
  /// before.
  std::uint64_t RoundTrips(int client, std::int64_t from, std::int64_t to) const {
    const std::vector<Command>& commands = commands_[static_cast<std::size_t>(client)];
    auto command = std::ranges::lower_bound(commands, from, {}, &Command::answered);
    std::uint64_t trips = 0;
    for (; command != commands.end() && command->answered <= to; ++command) {
      if (command->sent < from) continue;
      ++trips;
      from = command->answered;
    }
    return trips;
  }

  const Frame& frame_;
  std::vector<Doing> doing_;                                          // by client
  std::vector<std::vector<Command>> commands_;                        // by client
  std::map<std::pair<int, int>, std::deque<std::size_t>> under_way_;  // by client and connection
  CommandMix mix_;
};

}  // namespace

CommandMix TrafficOf(const EventLog& log, const std::vector<const Request*>& granted,
                     const Frame& frame) {
  Traffic traffic(frame);
  for (const LogEvent& event : log) traffic.Take(event);
  return std::move(traffic).Finish(granted);
}

}  // namespace interlock::scenarios::contend
