// SPDX-License-Identifier: MIT
//
// Real connections. hiredis is the protocol reader; the socket is handled here, because hiredis'
// own I/O knows time-outs per socket only, gives up when a signal interrupts it, and lets a dead
// peer raise SIGPIPE. Only interfaces that 0.14 and the newer versions share are used.
//
// Hazards:
// - The hot path is one send and one recv per command. The recv blocks in the kernel, without a
//   poll before it, for at most kReadSlice (SO_RCVTIMEO, set once); only a longer wait or a near
//   deadline costs a poll. So kReadSlice must stay well below kDirectReadMargin, or deadlines would
//   be missed. A reply that may come at once is looked for awake before that (busy_wait.h).
// - A peer that answered less than kTrustedFor ago is believed to be there without being asked: it
//   may vanish between the question and the next send just as well.
// - A reply that arrives after its deadline must never answer a later command: the socket is closed
//   with the first failure, and bytes that nobody asked for count as a failure.
// - A stop has to reach a thread that polls, and the thread that requests it must not wait: it
//   writes to an eventfd that exists while somebody waits. Half of the connection is closed then
//   and not all of it, so that what the server sent before is still heard, and its close shows that
//   it will send nothing later.
// - A peer may send without end and never finish a reply, so the deadline is looked at between
//   reads too, not only while waiting for one.
#include "src/hiredis_connection.h"

#include <hiredis/hiredis.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <interlock/hiredis_connector.h>

#include "src/command_name.h"

namespace interlock {
namespace {

using internal::BusyTurn;
using internal::BusyWait;
using internal::IsNamed;

constexpr std::chrono::milliseconds kDirectReadMargin{200};
constexpr std::chrono::milliseconds kTrustedFor{1};
constexpr std::size_t kReadChunk = 16 * 1024;
constexpr std::size_t kKeptSendBuffer = 64 * 1024;

struct ReplyDeleter {
  void operator()(redisReply* reply) const { ::freeReplyObject(reply); }
};
struct ReaderDeleter {
  void operator()(redisReader* reader) const { ::redisReaderFree(reader); }
};

// False for a type that RESP2 does not have.
bool Convert(const redisReply& from, Reply& to) {
  switch (from.type) {
    case REDIS_REPLY_NIL:
      to.type = Reply::Type::kNil;
      return true;
    case REDIS_REPLY_INTEGER:
      to.type = Reply::Type::kInteger;
      to.integer = from.integer;
      return true;
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
    case REDIS_REPLY_ERROR:
      to.type = from.type == REDIS_REPLY_STRING   ? Reply::Type::kString
                : from.type == REDIS_REPLY_STATUS ? Reply::Type::kStatus
                                                  : Reply::Type::kError;
      to.text.assign(from.str, static_cast<std::size_t>(from.len));
      return true;
    case REDIS_REPLY_ARRAY:
      to.type = Reply::Type::kArray;
      to.elements.resize(from.elements);
      for (std::size_t i = 0; i < from.elements; ++i) {
        if (!Convert(*from.element[i], to.elements[i])) return false;
      }
      return true;
    default:
      return false;
  }
}

// One append for all of it: this is done for every word of every command.
void AppendHeader(char kind, std::size_t count, std::string& out) {
  std::array<char, 24> header;
  header[0] = kind;
  char* end = std::to_chars(header.data() + 1, header.data() + header.size() - 2, count).ptr;
  *end++ = '\r';
  *end++ = '\n';
  out.append(header.data(), static_cast<std::size_t>(end - header.data()));
}

// Messages to a subscriber are pushes: they answer no command.
bool IsPush(const Reply& reply) {
  if (!reply.IsArray() || reply.elements.size() < 3) return false;
  const std::string& kind = reply.elements.front().text;
  return kind == "message" || kind == "pmessage" || kind == "smessage";
}

class HiredisConnection final : public Connection {
 public:
  HiredisConnection(Runtime& runtime, Socket socket, std::unique_ptr<TlsSession> tls,
                    const HiredisOptions& options, std::shared_ptr<BusyTurn> busy_turn,
                    std::string endpoint)
      : runtime_(runtime),
        socket_(std::move(socket)),
        tls_(std::move(tls)),
        reader_(::redisReaderCreate()),
        send_timeout_(options.send_timeout),
        busy_wait_(options.busy_wait),
        busy_turn_(std::move(busy_turn)),
        endpoint_(std::move(endpoint)) {}

  Status Send(std::span<const std::string_view> argv, MonotonicTime deadline) override {
    if (argv.empty()) return Status(StatusCode::kInvalidArgument, "a command without words");
    if (failed_ || HasStrayBytes()) return Break(StatusCode::kUnavailable, "connection is broken");
    Fill(argv);
    if (Status written = WriteBuffer(deadline); !written.ok()) return written;
    if (buffer_.capacity() > kKeptSendBuffer) buffer_ = std::string();
    Expect(argv);
    return Status();
  }

  Result<Reply> Receive(MonotonicTime deadline) override {
    if (failed_) return Break(StatusCode::kUnavailable, "connection is broken");
    bool direct = true;
    for (bool has_read = false;; has_read = true) {
      void* raw = nullptr;
      if (reader_ == nullptr || ::redisReaderGetReply(reader_.get(), &raw) != REDIS_OK) {
        return Break(StatusCode::kProtocolError, "the server sent something that is not RESP2");
      }
      if (raw != nullptr) return Accept(static_cast<redisReply*>(raw));
      if (has_read && runtime_.Now() >= deadline) return BreakAtDeadline();
      if (Status read = ReadMore(deadline, direct); !read.ok()) return read;
    }
  }

  Result<Reply> ReceiveUnlessStopped(MonotonicTime deadline, const std::stop_token& stop,
                                     Duration patience) override {
    if (failed_ || HasBytes() || !stop.stop_possible()) return Receive(deadline);
    Waker waker;
    if (waker.fd() < 0) return Break(StatusCode::kUnknownOutcome, ErrnoText(errno));
    const std::stop_callback wake(stop, [&waker] { waker.Wake(); });
    const Ready ready = WaitReady(runtime_, socket_.fd(), POLLIN, deadline, &waker);
    if (ready == Ready::kWoken) (void)::shutdown(socket_.fd(), SHUT_WR);
    // Also for an answer that has begun.
    Result<Reply> reply = Receive(std::min(deadline, AddSaturating(runtime_.Now(), patience)));
    if (ready == Ready::kWoken && reply.ok()) Close();
    return reply;
  }

  void SendLast(std::span<const std::string_view> argv) override {
    if (!overdue_ || tls_ != nullptr) return;
    overdue_ = false;
    Fill(argv);
    // It is read when the server comes to it, also if this socket has been closed by then.
    (void)::send(socket_.fd(), buffer_.data(), buffer_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }

  bool broken() const override {
    if (failed_ || HasStrayBytes()) return true;
    if (outstanding_ > 0 || runtime_.Now() - heard_ < kTrustedFor) return false;
    char byte = 0;
    const ssize_t got = ::recv(socket_.fd(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    const bool silent = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
    // Kept, so that what was called broken once is not written to afterwards.
    failed_ = !silent && !(got > 0 && subscriber_);
    return failed_;
  }

 private:
  // A whole or partial reply that was not looked at so far.
  bool HasBytes() const { return reader_ != nullptr && reader_->pos < reader_->len; }
  // The same, and no command asked for it: the stream is out of step.
  bool HasStrayBytes() const { return outstanding_ == 0 && !subscriber_ && HasBytes(); }

  void Fill(std::span<const std::string_view> argv) {
    buffer_.clear();
    AppendHeader('*', argv.size(), buffer_);
    for (const std::string_view word : argv) {
      AppendHeader('$', word.size(), buffer_);
      buffer_.append(word).append("\r\n");
    }
  }

  void Close() {
    failed_ = true;
    tls_.reset();
    socket_.Close();
  }

  Status Break(StatusCode code, const std::string& why) {
    Close();
    return Status(code, endpoint_ + ": " + why);
  }

  /// The socket is closed with the connection, so that there may be a last command.
  Status BreakAtDeadline() {
    overdue_ = !failed_;
    failed_ = true;
    return Status(outstanding_ > 0 ? StatusCode::kUnknownOutcome : StatusCode::kTimeout,
                  endpoint_ + ": no reply before the deadline");
  }

  Status WriteBuffer(MonotonicTime deadline) {
    std::size_t written = 0;
    std::optional<MonotonicTime> until;
    while (written < buffer_.size()) {
      const char* bytes = buffer_.data() + written;
      const std::size_t size = buffer_.size() - written;
      const ssize_t sent = tls_ ? tls_->Write(bytes, size)
                                : ::send(socket_.fd(), bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent > 0) {
        written += static_cast<std::size_t>(sent);
        continue;
      }
      const int error = errno;
      if (error == EINTR) continue;
      // Under TLS nobody can tell how much of it is on its way.
      const bool begun = written > 0 || (tls_ && until);
      const StatusCode code = begun ? StatusCode::kUnknownOutcome : StatusCode::kUnavailable;
      if (error != EAGAIN && error != EWOULDBLOCK) return Break(code, ErrnoText(error));
      if (!until) until = std::min(deadline, AddSaturating(runtime_.Now(), send_timeout_));
      if (WaitReady(runtime_, socket_.fd(), POLLOUT, *until) != Ready::kYes) {
        return Break(code, "the peer does not take the command");
      }
    }
    return Status();
  }

  void Expect(std::span<const std::string_view> argv) {
    std::size_t replies = 1;
    const char first = argv[0].empty() ? '\0' : static_cast<char>(argv[0][0] | 0x20);
    if (first == 's' || first == 'p' || first == 'u' || first == 'm') {
      const bool subscribes = IsNamed(argv[0], "SUBSCRIBE") || IsNamed(argv[0], "PSUBSCRIBE");
      const bool ends = IsNamed(argv[0], "UNSUBSCRIBE") || IsNamed(argv[0], "PUNSUBSCRIBE");
      if (subscribes || IsNamed(argv[0], "MONITOR")) subscriber_ = true;
      // One reply for each channel named.
      if (subscribes || ends) replies = std::max<std::size_t>(argv.size() - 1, 1);
    }
    outstanding_ += replies;
    // BLPOP and its like are answered when somebody else has done something.
    comes_at_once_ = first != 'b' && !subscriber_;
  }

  Result<Reply> Accept(redisReply* raw) {
    const std::unique_ptr<redisReply, ReplyDeleter> owner(raw);
    Reply reply;
    if (!Convert(*raw, reply)) {
      return Break(StatusCode::kProtocolError, "the server sent something that is not RESP2");
    }
    if (outstanding_ > 0 && !(subscriber_ && IsPush(reply))) --outstanding_;
    return reply;
  }

  // One read from the socket. `direct`: data may be expected soon, so do not poll first.
  Status ReadMore(MonotonicTime deadline, bool& direct) {
    const MonotonicTime now = runtime_.Now();
    direct = direct && AddSaturating(now, kDirectReadMargin) < deadline;
    if (!direct) {
      const Ready ready = WaitReady(runtime_, socket_.fd(), POLLIN, deadline);
      if (ready != Ready::kYes) return BreakAtDeadline();
    }
    std::array<char, kReadChunk> chunk;
    ssize_t got = direct ? ReadAwake(chunk) : kNothingYet;
    if (got == kNothingYet) {
      got = tls_ ? tls_->Read(chunk.data(), chunk.size())
                 : ::recv(socket_.fd(), chunk.data(), chunk.size(), direct ? 0 : MSG_DONTWAIT);
    }
    if (got > 0) {
      direct = true;
      heard_ = now;
      ::redisReaderFeed(reader_.get(), chunk.data(), static_cast<std::size_t>(got));
      return Status();
    }
    const int error = errno;
    if (got < 0 && error == EINTR) return Status();
    if (got < 0 && (error == EAGAIN || error == EWOULDBLOCK)) {
      direct = false;
      return Status();
    }
    return Break(outstanding_ > 0 ? StatusCode::kUnknownOutcome : StatusCode::kUnavailable,
                 got == 0 ? "the server closed the connection" : ErrnoText(error));
  }

  /// What recv answers, or kNothingYet if it is to be waited for asleep.
  ssize_t ReadAwake(std::array<char, kReadChunk>& chunk) {
    const bool worth_it = busy_wait_ > Duration(0) && tls_ == nullptr && comes_at_once_ &&
                          awake_.WorthTrying() && busy_turn_->Take();
    if (!worth_it) return kNothingYet;
    const ssize_t got = ReceiveAwake(runtime_, socket_.fd(), chunk, runtime_.Now() + busy_wait_);
    busy_turn_->GiveBack();
    awake_.Told(got != kNothingYet);
    return got;
  }

  Runtime& runtime_;
  Socket socket_;
  std::unique_ptr<TlsSession> tls_;  ///< null: none
  std::unique_ptr<redisReader, ReaderDeleter> reader_;
  const Duration send_timeout_;
  const Duration busy_wait_;
  const std::shared_ptr<BusyTurn> busy_turn_;
  const std::string endpoint_;
  BusyWait awake_;
  bool comes_at_once_ = false;  ///< the reply to the last command
  std::string buffer_;
  std::size_t outstanding_ = 0;
  MonotonicTime heard_{};  // the peer sent something at this time or later
  bool subscriber_ = false;
  bool overdue_ = false;  ///< failed for want of a reply, and for nothing else
  mutable bool failed_ = false;
};

}  // namespace

std::unique_ptr<Connection> MakeHiredisConnection(Runtime& runtime, Socket socket,
                                                  std::unique_ptr<TlsSession> tls,
                                                  const HiredisOptions& options,
                                                  std::shared_ptr<internal::BusyTurn> busy_turn,
                                                  std::string endpoint) {
  return std::make_unique<HiredisConnection>(runtime, std::move(socket), std::move(tls), options,
                                             std::move(busy_turn), std::move(endpoint));
}

}  // namespace interlock
