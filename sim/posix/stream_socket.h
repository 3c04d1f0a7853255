// SPDX-License-Identifier: MIT
//
// A TCP connection of a simulated process, as a stream of bytes. Requests are parsed by the fake's
// own parser and travel over a Link once they are complete; replies are written out as bytes when
// the client reads. So all faults of links and servers strike as for any client.
//
// Bytes arrive in pieces: how many of those that are there one read gives, and how many of those
// offered one non-blocking write takes, is drawn from the network lane (0: all); and so is how much
// of a reply comes before a reset in its place, and whether a pause interrupts a read that has a
// time-out. An instant world has no such draws. Thread safety: none; one world, one OS thread.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include <interlock/time.h>

#include "sim/engine.h"
#include "sim/posix/pollable.h"
#include "sim/redis/resp.h"

namespace interlock::sim::posix {

class StreamSocket final : public Pollable {
 public:
  StreamSocket(Engine& engine, Process& process) : engine_(engine), process_(process) {}
  /// Closes: commands in flight still arrive and execute; then the server sees the close.
  ~StreamSocket() override;

  // Each returns what its function of the C library does, or an errno with its sign changed;
  // -ECANCELED in teardown.

  /// 0, or -EINPROGRESS if it is non-blocking. For the address see names.h. YIELDS.
  int Connect(const sockaddr* address, socklen_t size);
  /// `flags`: MSG_PEEK, MSG_DONTWAIT, MSG_WAITALL. YIELDS.
  ssize_t Receive(char* into, std::size_t size, int flags) override;
  ssize_t Send(const char* bytes, std::size_t size, int flags) override;
  int Shutdown(int how);
  /// FIONREAD: how many bytes can be read without waiting.
  std::size_t CountUnread();
  /// getpeername(2), cut to `size`; `size` becomes the whole one. -ENOTCONN.
  int PeerName(sockaddr* address, socklen_t& size);
  /// SO_ERROR: the errno of a connect that failed, or of a reset, once; otherwise 0.
  int TakeError();

  short Ready() override;
  MonotonicTime NextChange() const override;
  std::optional<std::uint32_t> link() const override;

  Duration receive_timeout{};  ///< SO_RCVTIMEO; 0: none
  Duration send_timeout{};     ///< SO_SNDTIMEO, which bounds connect
  /// By level and name, what else was set: it is told again, and changes nothing.
  std::map<std::pair<int, int>, int> options;

 private:
  void SetWaiter(ScheduledTask* task) override;
  enum class State : std::uint8_t { kNew, kConnecting, kConnected, kFailed };

  /// Takes note of what has happened to a connect.
  void Settle();
  void Fail(int error);
  /// Makes bytes of the replies that have come. False in teardown.
  bool TakeReplies();
  void TakeTornReply();
  /// Without MSG_WAITALL.
  ssize_t ReceiveSome(char* into, std::size_t size, int flags);
  ssize_t Give(char* into, std::size_t size, int flags);
  /// What reading says once the stream is broken and its bytes are read.
  ssize_t EndOfStream();
  bool SendCommand(const redis::Argv& argv);
  /// What is written to a connection that has ended.
  ssize_t SendInVain(std::size_t count);
  /// The errno of a break that is no orderly close, once; then 0. REQUIRES: there is one.
  int TakeBreak();
  /// Whether the server has closed it in order.
  bool closed_by_server() const;
  /// REQUIRES: it is broken.
  bool was_reset() const;
  /// Waits until something comes, or the process's clock shows `deadline`. False in teardown.
  bool Await(WaitKind kind, MonotonicTime deadline, VirtualTime limit = VirtualTime::max());
  /// How many of `count` bytes go at once.
  std::size_t Piece(std::size_t count);
  /// The same of a write that does not wait: as many as the buffer has room for, and then it is
  /// full for as long as a message and its acknowledgement travel.
  std::size_t Room(std::size_t count);
  bool IsFull() const;

  Engine& engine_;
  Process& process_;
  Link* link_ = nullptr;
  State state_ = State::kNew;
  int error_ = 0;  ///< of the connect
  sockaddr_storage peer_{};
  socklen_t peer_size_ = 0;
  bool break_told_ = false;
  bool sent_to_nobody_ = false;  ///< a write after the server's close, which it does not hear
  /// Its buffer, by the process's clock, after a write that was cut short.
  MonotonicTime full_until_ = MonotonicTime::min();
  bool sends_no_more_ = false;
  bool receives_no_more_ = false;
  redis::RequestParser parser_;
  std::string in_;
  std::size_t taken_ = 0;  ///< bytes of in_ that were read
};

}  // namespace interlock::sim::posix
