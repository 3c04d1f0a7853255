// SPDX-License-Identifier: MIT
#include "src/cluster_connection.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <utility>

#include "src/command_name.h"
#include "src/key_slot.h"
#include "src/retry.h"
#include "src/token.h"

namespace interlock::internal {

struct ClusterConnection::Redirection {
  enum class Kind : std::uint8_t { kMoved, kAsk, kTryAgain, kDown };

  Kind kind = Kind::kTryAgain;
  int slot = -1;
  NodeAddress node;  ///< where to; not for kTryAgain and kDown
};

namespace {

/// The next word of `text`, which is taken off.
std::string_view Word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

bool ParseNumber(std::string_view text, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// The time that a blocking pop waits at most, its last word, less what has passed.
void Shorten(std::vector<std::string>& words, Duration passed) {
  if (words.size() < 3 || (!IsNamed(words[0], "BLPOP") && !IsNamed(words[0], "BRPOP"))) return;
  std::string& time = words.back();
  double wanted = 0;
  (void)std::from_chars(time.data(), time.data() + time.size(), wanted);
  if (wanted <= 0) return;  // for ever
  const auto whole =
      std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(wanted) - passed);
  time = BlockingSeconds(std::max(whole, std::chrono::milliseconds(1)));
}

std::vector<std::string_view> Views(const std::vector<std::string>& words) {
  return {words.begin(), words.end()};
}

}  // namespace

std::optional<ClusterConnection::Redirection> ClusterConnection::Parse(const std::string& error,
                                                                       const NodeAddress& from) {
  std::string_view text = error;
  const std::string_view code = Word(text);
  Redirection to;
  if (code == "TRYAGAIN") return to;
  if (code == "CLUSTERDOWN") {
    to.kind = Redirection::Kind::kDown;
    return to;
  }
  if (code != "MOVED" && code != "ASK") return std::nullopt;
  to.kind = code == "ASK" ? Redirection::Kind::kAsk : Redirection::Kind::kMoved;
  if (!ParseNumber(Word(text), to.slot)) return std::nullopt;
  const std::string_view address = Word(text);
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos || !ParseNumber(address.substr(colon + 1), to.node.port)) {
    return std::nullopt;
  }
  const std::string_view host = address.substr(0, colon);
  to.node.host = host.empty() || host == "?" ? from.host : std::string(host);
  return to;
}

Status ClusterConnection::Break(StatusCode code, std::string message) {
  failed_ = true;
  nodes_.clear();
  commands_.clear();
  return Status(code, std::move(message));
}

Result<ClusterConnection::Node*> ClusterConnection::NodeAt(const NodeAddress& address,
                                                           MonotonicTime deadline) {
  const auto known = nodes_.find(address);
  if (known != nodes_.end()) {
    Node& node = known->second;
    if (!node.owed.empty() || !node.connection->broken()) return &node;
    nodes_.erase(known);
  }
  const MonotonicTime until = AddSaturating(runtime_.Now(), options_.node_timeout);
  Result<std::unique_ptr<Connection>> made = connect_(address, std::min(until, deadline));
  if (!made.ok()) {
    slots_.Question(address);
    return made.status();
  }
  return &nodes_.emplace(address, Node{std::move(*made), {}}).first->second;
}

Result<NodeAddress> ClusterConnection::Route(int slot, MonotonicTime deadline) {
  // WAIT, for one, asks about the command before it, at the same node.
  if (slot < 0 && last_node_) return *last_node_;
  const MonotonicTime until = AddSaturating(runtime_.Now(), options_.node_timeout);
  return slots_.Owner(slot, std::min(until, deadline));
}

Status ClusterConnection::Send(std::span<const std::string_view> argv, MonotonicTime deadline) {
  if (argv.empty()) return Status(StatusCode::kInvalidArgument, "a command without words");
  if (failed_) return Status(StatusCode::kUnavailable, "connection is broken");
  Command command;
  const std::optional<std::string_view> key = KeyOf(argv);
  command.slot = key ? SlotOf(*key) : -1;
  Result<NodeAddress> address = Route(command.slot, deadline);
  if (!address.ok()) return Break(address.code(), address.status().message());
  Result<Node*> node = NodeAt(*address, deadline);
  if (!node.ok() && node.code() == StatusCode::kUnavailable && command.slot >= 0) {
    // The owner is gone; perhaps the others know of its successor already.
    Result<NodeAddress> successor = Route(command.slot, deadline);
    if (successor.ok() && *successor != *address) {
      address = std::move(successor);
      node = NodeAt(*address, deadline);
    }
  }
  if (!node.ok()) return Break(node.code(), node.status().message());
  command.words.assign(argv.begin(), argv.end());
  command.node = *address;
  commands_.push_back(std::move(command));
  const Status sent =
      SendTo(**node, first_ + commands_.size() - 1, {.asking = false, .deadline = deadline});
  if (sent.ok()) return sent;
  slots_.Question(*address);
  return Break(sent.code(), sent.message());
}

Status ClusterConnection::SendTo(Node& node, std::uint64_t number, How how) {
  Command& command = CommandAt(number);
  if (how.asking) {
    const std::array<std::string_view, 1> word = {"ASKING"};
    if (Status sent = node.connection->Send(word, how.deadline); !sent.ok()) return sent;
    node.owed.push_back(kAsking);
  }
  command.sent = runtime_.Now();
  if (Status sent = node.connection->Send(Views(command.words), how.deadline); !sent.ok())
    return sent;
  node.owed.push_back(number);
  last_node_ = command.node;
  return Status();
}

Result<Reply> ClusterConnection::ReceiveUnlessStopped(MonotonicTime deadline,
                                                      const std::stop_token& stop,
                                                      Duration patience) {
  if (failed_) return Status(StatusCode::kUnavailable, "connection is broken");
  if (commands_.empty()) return Break(StatusCode::kTimeout, "nothing is outstanding");
  while (!commands_.front().reply) {
    if (Status taken = TakeReply({deadline, stop, patience}); !taken.ok()) return taken;
  }
  Reply reply = *std::move(commands_.front().reply);
  if (stop.stop_requested()) {
    (void)Break(StatusCode::kUnknownOutcome, "stopped");
    return reply;
  }
  commands_.pop_front();
  ++first_;
  return reply;
}

// The next reply of the node that owes the first command's.
Status ClusterConnection::TakeReply(const Wait& wait) {
  const NodeAddress address = commands_.front().node;
  Node& node = nodes_.at(address);
  Result<Reply> reply =
      node.connection->ReceiveUnlessStopped(wait.deadline, wait.stop, wait.patience);
  if (!reply.ok()) {
    slots_.Question(address);
    const bool cancelled = reply.code() == StatusCode::kCancelled;
    return Break(cancelled ? StatusCode::kCancelled : StatusCode::kUnknownOutcome,
                 reply.status().message());
  }
  const std::uint64_t number = node.owed.front();
  node.owed.pop_front();
  // Had ASKING been refused, the command after it would be redirected.
  if (number == kAsking) return Status();
  return Settle(number, std::move(*reply), wait.deadline);
}

Status ClusterConnection::Settle(std::uint64_t number, Reply reply, MonotonicTime deadline) {
  Command& command = CommandAt(number);
  const std::optional<Redirection> to =
      reply.IsError() ? Parse(reply.text, command.node) : std::nullopt;
  if (to) {
    if (to->kind == Redirection::Kind::kMoved) slots_.Moved(to->slot, to->node);
    if (to->kind == Redirection::Kind::kDown) slots_.Question(command.node);
    const Result<bool> resent = Resend(number, *to, deadline);
    if (!resent.ok()) return Break(resent.code(), resent.status().message());
    if (resent.value()) return Status();
  }
  command.reply = std::move(reply);
  return Status();
}

Result<bool> ClusterConnection::Resend(std::uint64_t number, const Redirection& to,
                                       MonotonicTime deadline) {
  using Kind = TopologyEvent::Kind;
  Command& command = CommandAt(number);
  if (command.resends >= options_.max_resends) return false;
  ++command.resends;
  if (!PauseBefore(command, to, deadline)) return false;
  const bool redirected = !to.node.host.empty();
  const bool asking = to.kind == Redirection::Kind::kAsk;
  const Result<NodeAddress> address =
      redirected ? Result<NodeAddress>(to.node) : Route(command.slot, deadline);
  if (address.code() == StatusCode::kCancelled) return address.status();
  if (!address.ok()) return false;
  Result<Node*> node = NodeAt(address.value(), deadline);
  if (node.code() == StatusCode::kCancelled) return node.status();
  if (!node.ok()) return false;
  Shorten(command.words, runtime_.Now() - command.sent);
  command.node = address.value();
  const Status sent = SendTo(*node.value(), number, {asking, deadline});
  if (sent.ok()) {
    if (redirected)
      slots_.Tell(asking ? Kind::kAsked : Kind::kMoved, command.node, command.words[0]);
    return true;
  }
  slots_.Question(command.node);
  if (sent.code() == StatusCode::kCancelled) return sent;
  const auto& owed = (*node)->owed;
  const bool alone =
      std::all_of(owed.begin(), owed.end(), [](std::uint64_t reply) { return reply == kAsking; });
  // Not sent again, so not executed at all; but what else that node owes is unknown.
  if (sent.code() != StatusCode::kUnavailable || !alone) {
    return Status(StatusCode::kUnknownOutcome, sent.message());
  }
  nodes_.erase(command.node);
  return false;
}

bool ClusterConnection::PauseBefore(const Command& command, const Redirection& to,
                                    MonotonicTime deadline) {
  // An ASK usually follows a MOVED; a third redirection in a row means that the nodes disagree.
  const bool redirected = !to.node.host.empty();
  const int failures = redirected ? command.resends - 2 : command.resends;
  if (failures <= 0) return true;
  const Duration pause = PauseAfter(failures, options_.retry, RandomNumber(runtime_));
  const MonotonicTime until = AddSaturating(runtime_.Now(), pause);
  if (until >= deadline) return false;
  slots_.Tell(TopologyEvent::Kind::kRetried, command.node, command.words[0]);
  runtime_.NewEvent()->WaitUntil(until);
  return true;
}

}  // namespace interlock::internal
