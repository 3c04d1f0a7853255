// SPDX-License-Identifier: MIT
//
// What a lock says to its servers, and the same bytes sent by hiredis alone: a program could not
// send less. Rounds are recorded on empty servers and sent to empty servers, so that each command
// finds what it found before, and all are told apart by their tokens as the lock's own are. A word
// that an earlier reply of its round had said, such as a fencing token, is taken from the reply
// that came now.
//
// Thread safety: what is recorded may come from several threads (Redlock asks its masters side by
// side); all else is for one thread.
#pragma once

#include <hiredis/hiredis.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <interlock/connection.h>

namespace interlock {

/// One command that was sent, or, without words, one reply that was waited for.
struct RecordedCall {
  std::size_t server = 0;
  std::vector<std::string> words = {};
  Reply reply = {};
};

class RecordedRounds {
 public:
  void Note(RecordedCall call);
  /// What follows belongs to the next round.
  void EndRound() { ends_.push_back(calls_.size()); }
  const std::vector<RecordedCall>& calls() const { return calls_; }
  const std::vector<std::size_t>& ends() const { return ends_; }

 private:
  std::mutex mutex_;
  std::vector<RecordedCall> calls_;
  std::vector<std::size_t> ends_;
};

/// Leads where `connector` leads. Notes nothing while `rounds` is null.
class RecordingConnector final : public Connector {
 public:
  RecordingConnector(Connector& connector, std::size_t server)
      : connector_(connector), server_(server) {}

  Result<std::unique_ptr<Connection>> Connect(MonotonicTime deadline) override;
  std::string endpoint() const override { return connector_.endpoint(); }
  void RecordInto(RecordedRounds* rounds) { rounds_ = rounds; }
  void Note(RecordedCall call) const;

 private:
  Connector& connector_;
  const std::size_t server_;
  RecordedRounds* rounds_ = nullptr;
};

/// Sends recorded rounds, one after the other.
class RawRounds {
 public:
  /// `ports`: of the servers, in their order.
  RawRounds(const RecordedRounds& rounds, const std::vector<int>& ports);

  bool ok() const;
  /// From the first round again.
  void Rewind() { round_ = 0; }
  /// False: a reply is missing, or says something else than the recorded one.
  bool Next();

 private:
  using Context = std::unique_ptr<redisContext, void (*)(redisContext*)>;

  /// A word of a later call that is an element of this call's reply.
  struct Quoted {
    std::size_t element = 0;
    std::size_t call = 0;
    std::size_t word = 0;
  };
  struct Prepared {
    std::vector<const char*> words;
    std::vector<std::size_t> lengths;
    std::vector<Quoted> quoted;     // of a reply
    std::vector<std::string> said;  // for each of these: the latest one, as the words point to it
  };

  void FindQuoted(std::size_t from, std::size_t end);
  bool Take(std::size_t call);

  const RecordedRounds& rounds_;
  std::vector<Context> contexts_;
  std::vector<Prepared> calls_;
  std::size_t round_ = 0;
};

}  // namespace interlock
