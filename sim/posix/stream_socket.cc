// SPDX-License-Identifier: MIT
#include "sim/posix/stream_socket.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/before_send.h"
#include "sim/posix/names.h"

namespace interlock::sim::posix {

namespace {

// One of so many reads and writes is cut short.
constexpr std::uint32_t kOneCutOf = 8;
constexpr std::size_t kMostTorn = 1U << 16;

bool IsReply(const Message& message) {
  return message.kind == Message::Kind::kReply || message.kind == Message::Kind::kPush;
}

}  // namespace

StreamSocket::~StreamSocket() {
  if (link_ == nullptr) return;
  link_->reader = nullptr;
  engine_.network.CloseFromClient(*link_);
}

int StreamSocket::Connect(const sockaddr* address, socklen_t size) {
  Settle();
  if (state_ == State::kConnecting) return -EALREADY;
  if (state_ == State::kConnected) return -EISCONN;
  if (error_ != 0) return -TakeError();
  if (!NodeAt(engine_, address, size).has_value()) return -ENETUNREACH;
  if (!engine_.Step(process_, StepKind::kConnect)) return -ECANCELED;
  if (!engine_.instant()) engine_.scheduler.YieldPoint();
  if (engine_.scheduler.tearing_down()) return -ECANCELED;
  if (link_ != nullptr) engine_.network.CloseFromClient(*link_);  // of a connect that failed
  link_ = &engine_.network.Open(process_, *NodeAt(engine_, address, size));
  link_->bytes = true;
  peer_size_ = std::min<socklen_t>(size, sizeof(peer_));
  std::memcpy(&peer_, address, peer_size_);
  NameWaiter();
  state_ = State::kConnecting;
  if (nonblocking) return -EINPROGRESS;
  const MonotonicTime deadline =
      send_timeout > Duration{} ? process_.clock.Local(engine_.now()) + send_timeout : kNever;
  for (;;) {
    Settle();
    if (state_ == State::kConnected) return 0;
    if (state_ == State::kFailed) return -TakeError();
    if (engine_.Reached(process_, deadline)) return -EINPROGRESS;
    if (!Await(WaitKind::kConnect, deadline, engine_.now() + engine_.options.keepalive)) {
      return -ECANCELED;
    }
  }
}

std::size_t StreamSocket::CountUnread() {
  Settle();
  if (state_ == State::kConnected) TakeReplies();
  return in_.size() - taken_;
}

int StreamSocket::PeerName(sockaddr* address, socklen_t& size) {
  Settle();
  if (state_ != State::kConnected) return -ENOTCONN;
  std::memcpy(address, &peer_, std::min(size, peer_size_));
  size = peer_size_;
  return 0;
}

void StreamSocket::Settle() {
  if (state_ != State::kConnecting) return;
  if (link_->delivered > 0 && link_->messages.front().kind == Message::Kind::kOpened) {
    engine_.network.PopMessage(*link_);
    link_->established = true;
    state_ = State::kConnected;
    engine_.trace.Add(engine_.now(), process_.id, TraceKind::kConnect, "ok");
  } else if (link_->broke != nullptr) {
    Fail(was_reset() ? ECONNREFUSED : ETIMEDOUT);
  }
}

void StreamSocket::Fail(int error) {
  state_ = State::kFailed;
  error_ = error;
  engine_.trace.Add(engine_.now(), process_.id, TraceKind::kConnect, link_->broke);
}

int StreamSocket::TakeError() {
  Settle();
  const bool broken = state_ == State::kConnected && link_->broke != nullptr && !closed_by_server();
  if (const int error = broken ? TakeBreak() : 0; error != 0) return error;
  return std::exchange(error_, 0);
}

int StreamSocket::TakeBreak() {
  if (std::exchange(break_told_, true)) return 0;
  return was_reset() ? ECONNRESET : ETIMEDOUT;
}

bool StreamSocket::was_reset() const { return std::string_view(link_->broke) == "reset"; }

bool StreamSocket::closed_by_server() const {
  return link_->broke != nullptr && std::string_view(link_->broke) == "closed by the server";
}

bool StreamSocket::TakeReplies() {
  while (link_->delivered > 0 && IsReply(link_->messages.front())) {
    // A pause that strikes here finds the reply in the socket's buffer, where it stays.
    if (!engine_.Step(process_, StepKind::kReply)) return false;
    const Message& message = link_->messages.front();
    engine_.trace.AddLazily(engine_.now(), process_.id, TraceKind::kReceive, message.hash,
                            message.number, [&message] { return redis::ToText(message.value); });
    redis::AppendReply(message.value, message.protocol, &in_);
    engine_.network.PopMessage(*link_);
  }
  TakeTornReply();
  return true;
}

// A reset takes the place of a reply, some of whose bytes came before it. One that nobody's command
// has brought about has no number.
void StreamSocket::TakeTornReply() {
  if (link_->delivered == 0 || link_->messages.front().kind != Message::Kind::kReset) return;
  const Message& message = link_->messages.front();
  if (message.number > 0 && !engine_.instant()) {
    std::string bytes;
    redis::AppendReply(message.value, message.protocol, &bytes);
    const auto size = static_cast<std::uint32_t>(std::min<std::size_t>(bytes.size(), kMostTorn));
    in_.append(bytes, 0, engine_.choices.Draw(Lane::kNetwork, size));
  }
  engine_.network.PopMessage(*link_);
}

ssize_t StreamSocket::Receive(char* into, std::size_t size, int flags) {
  const bool whole = (flags & MSG_WAITALL) != 0 && (flags & (MSG_DONTWAIT | MSG_PEEK)) == 0;
  if (!whole || nonblocking) return ReceiveSome(into, size, flags);
  std::size_t got = 0;
  while (got < size) {
    const ssize_t more = ReceiveSome(into + got, size - got, flags);
    if (more <= 0) return got > 0 ? static_cast<ssize_t>(got) : more;
    got += static_cast<std::size_t>(more);
  }
  return static_cast<ssize_t>(got);
}

ssize_t StreamSocket::ReceiveSome(char* into, std::size_t size, int flags) {
  const bool waits = !nonblocking && (flags & MSG_DONTWAIT) == 0;
  const MonotonicTime deadline =
      receive_timeout > Duration{} ? process_.clock.Local(engine_.now()) + receive_timeout : kNever;
  for (;;) {
    if (engine_.scheduler.tearing_down()) return -ECANCELED;
    Settle();
    if (state_ == State::kFailed && error_ != 0) return -TakeError();
    if (state_ != State::kConnected) return state_ == State::kConnecting ? -EAGAIN : -ENOTCONN;
    if (!TakeReplies()) return -ECANCELED;
    if (taken_ < in_.size()) return Give(into, size, flags);
    if (receives_no_more_) return 0;
    if (link_->broke != nullptr) return EndOfStream();
    if (!waits || engine_.Reached(process_, deadline)) return -EAGAIN;
    const VirtualTime began = engine_.now();
    if (!Await(WaitKind::kReply, deadline)) return -ECANCELED;
    if (deadline != kNever && IsInterrupted(engine_, process_, began)) return -EINTR;
  }
}

ssize_t StreamSocket::Give(char* into, std::size_t size, int flags) {
  const std::size_t count = Piece(std::min(size, in_.size() - taken_));
  std::memcpy(into, in_.data() + taken_, count);
  if ((flags & MSG_PEEK) != 0) return static_cast<ssize_t>(count);
  taken_ += count;
  if (taken_ == in_.size()) {
    in_.clear();
    taken_ = 0;
  }
  return static_cast<ssize_t>(count);
}

ssize_t StreamSocket::EndOfStream() {
  const int error = closed_by_server() ? 0 : TakeBreak();
  if (error != 0) engine_.trace.Add(engine_.now(), process_.id, TraceKind::kBroken, link_->broke);
  return -error;
}

ssize_t StreamSocket::Send(const char* bytes, std::size_t size, int flags) {
  Settle();
  if (engine_.scheduler.tearing_down()) return -ECANCELED;
  if (state_ == State::kConnecting) return -EAGAIN;
  if (state_ == State::kFailed && error_ != 0) return -TakeError();
  if (state_ != State::kConnected) return -ENOTCONN;
  if (sends_no_more_) return -EPIPE;
  const bool waits = !nonblocking && (flags & MSG_DONTWAIT) == 0;
  if (!waits && IsFull()) return -EAGAIN;
  const std::size_t count = waits ? size : Room(size);
  parser_.Feed({bytes, count});
  for (bool sent = false;; sent = true) {
    // What is under way was taken; that the connection broke behind it is for the next call.
    if (link_->broke != nullptr) return sent ? static_cast<ssize_t>(count) : SendInVain(count);
    switch (parser_.Next(true)) {
      case redis::RequestParser::Outcome::kNeedMore:
        return static_cast<ssize_t>(count);
      case redis::RequestParser::Outcome::kCommand: {
        // While others run, one of them may send on this socket, too.
        redis::Argv command = std::move(parser_.command());
        const bool goes_on = SendCommand(command) || link_->broke != nullptr;
        if (parser_.command().empty()) parser_.command() = std::move(command);  // its memory
        if (!goes_on) return -ECANCELED;
        break;
      }
      default:
        // A server hangs up on what is no command.
        engine_.network.EndSending(*link_);
        sends_no_more_ = true;
        return static_cast<ssize_t>(count);
    }
  }
}

ssize_t StreamSocket::SendInVain(std::size_t count) {
  if (!engine_.Step(process_, StepKind::kBeforeSend)) return -ECANCELED;
  if (!closed_by_server()) return TakeBreak() == 0 ? -EPIPE : -ECONNRESET;
  // The first one is answered by a reset.
  return std::exchange(sent_to_nobody_, true) ? -EPIPE : static_cast<ssize_t>(count);
}

bool StreamSocket::SendCommand(const redis::Argv& argv) {
  const std::vector<std::string_view> words(argv.begin(), argv.end());
  if (!StepBeforeSend(engine_, process_, words) || link_->broke != nullptr) return false;
  if (!engine_.network.Send(*link_, words)) return false;
  // A fault that strikes here strikes a process whose request is already in flight.
  return engine_.Step(process_, StepKind::kAfterSend);
}

int StreamSocket::Shutdown(int how) {
  Settle();
  if (state_ != State::kConnected) return -ENOTCONN;
  if (how != SHUT_RD && !std::exchange(sends_no_more_, true)) engine_.network.EndSending(*link_);
  if (how != SHUT_WR && !std::exchange(receives_no_more_, true) && link_->reader != nullptr) {
    engine_.scheduler.MakeReady(link_->reader);
  }
  return 0;
}

short StreamSocket::Ready() {
  Settle();
  if (state_ == State::kNew) return POLLOUT | POLLHUP;
  if (state_ == State::kConnecting) return 0;
  if (state_ == State::kFailed) return POLLIN | POLLOUT | POLLERR | POLLHUP;
  int ready = IsFull() ? 0 : POLLOUT;
  if (taken_ < in_.size() || link_->delivered > 0) ready |= POLLIN;
  if (link_->broke != nullptr || receives_no_more_) ready |= POLLIN | POLLRDHUP;
  if (link_->broke != nullptr && !closed_by_server()) ready |= POLLHUP | POLLERR;
  if (closed_by_server() && sends_no_more_) ready |= POLLHUP;
  return static_cast<short>(ready);
}

MonotonicTime StreamSocket::NextChange() const { return IsFull() ? full_until_ : kNever; }

void StreamSocket::SetWaiter(ScheduledTask* task) {
  if (link_ != nullptr) link_->reader = task;
}

std::optional<std::uint32_t> StreamSocket::link() const {
  return link_ != nullptr ? std::optional(link_->id) : std::nullopt;
}

bool StreamSocket::Await(WaitKind kind, MonotonicTime deadline, VirtualTime limit) {
  ScheduledTask* const self = engine_.scheduler.current();
  AddWaiter(self);
  const bool alive = engine_.Wait(kind, process_, deadline, limit, link_->id);
  RemoveWaiter(engine_.scheduler, self);
  return alive;
}

std::size_t StreamSocket::Piece(std::size_t count) {
  if (count <= 1 || engine_.instant()) return count;
  if (engine_.choices.Draw(Lane::kNetwork, kOneCutOf) != 1) return count;
  const auto most = static_cast<std::uint32_t>(std::min<std::size_t>(count - 1, 1U << 16));
  return 1 + engine_.choices.Draw(Lane::kNetwork, most);
}

std::size_t StreamSocket::Room(std::size_t count) {
  const std::size_t room = Piece(count);
  if (room < count) {
    full_until_ = process_.clock.Local(engine_.now() + 2 * engine_.options.latency_max);
  }
  return room;
}

bool StreamSocket::IsFull() const { return !engine_.Reached(process_, full_until_); }

}  // namespace interlock::sim::posix
