// SPDX-License-Identifier: MIT
#include "tests/bench/recorded_rounds.h"

#include <algorithm>
#include <utility>

namespace interlock {
namespace {

class RecordingConnection final : public Connection {
 public:
  RecordingConnection(const RecordingConnector& recorder, std::unique_ptr<Connection> connection)
      : recorder_(recorder), connection_(std::move(connection)) {}

  Status Send(std::span<const std::string_view> argv, MonotonicTime deadline) override {
    recorder_.Note({.words = {argv.begin(), argv.end()}});
    return connection_->Send(argv, deadline);
  }
  Result<Reply> Receive(MonotonicTime deadline) override {
    return Noted(connection_->Receive(deadline));
  }
  Result<Reply> ReceiveUnlessStopped(MonotonicTime deadline, const std::stop_token& stop,
                                     Duration patience) override {
    return Noted(connection_->ReceiveUnlessStopped(deadline, stop, patience));
  }
  void SendLast(std::span<const std::string_view> argv) override { connection_->SendLast(argv); }
  bool broken() const override { return connection_->broken(); }

 private:
  Result<Reply> Noted(Result<Reply> reply) const {
    if (reply.ok()) recorder_.Note({.replied = reply->type});
    return reply;
  }

  const RecordingConnector& recorder_;
  const std::unique_ptr<Connection> connection_;
};

int TypeOf(Reply::Type type) {
  switch (type) {
    case Reply::Type::kNil:
      return REDIS_REPLY_NIL;
    case Reply::Type::kStatus:
      return REDIS_REPLY_STATUS;
    case Reply::Type::kError:
      return REDIS_REPLY_ERROR;
    case Reply::Type::kInteger:
      return REDIS_REPLY_INTEGER;
    case Reply::Type::kString:
      return REDIS_REPLY_STRING;
    case Reply::Type::kArray:
      return REDIS_REPLY_ARRAY;
  }
  return REDIS_REPLY_ERROR;
}

// As the library does it: what is sent is not kept back.
bool Flush(redisContext* context) {
  int done = 0;
  while (done == 0) {
    if (redisBufferWrite(context, &done) != REDIS_OK) return false;
  }
  return true;
}

}  // namespace

void RecordedRounds::Note(RecordedCall call) {
  const std::lock_guard<std::mutex> lock(mutex_);
  calls_.push_back(std::move(call));
}

Result<std::unique_ptr<Connection>> RecordingConnector::Connect(MonotonicTime deadline) {
  Result<std::unique_ptr<Connection>> made = connector_.Connect(deadline);
  if (!made.ok()) return made;
  return std::unique_ptr<Connection>(
      std::make_unique<RecordingConnection>(*this, std::move(made).value()));
}

void RecordingConnector::Note(RecordedCall call) const {
  if (rounds_ == nullptr) return;
  call.server = server_;
  rounds_->Note(std::move(call));
}

RawRounds::RawRounds(const RecordedRounds& rounds, const std::vector<int>& ports)
    : rounds_(rounds) {
  for (const int port : ports) {
    contexts_.emplace_back(redisConnect("127.0.0.1", port), redisFree);
  }
  for (const RecordedCall& call : rounds.calls()) {
    auto& words = words_.emplace_back();
    auto& lengths = lengths_.emplace_back();
    for (const std::string& word : call.words) {
      words.push_back(word.data());
      lengths.push_back(word.size());
    }
  }
}

bool RawRounds::ok() const {
  return !rounds_.ends().empty() && std::ranges::all_of(contexts_, [](const Context& context) {
    return context != nullptr && context->err == 0;
  });
}

bool RawRounds::Next() {
  std::size_t at = round_ == 0 ? 0 : rounds_.ends()[round_ - 1];
  const std::size_t end = rounds_.ends()[round_++];
  for (; at < end; ++at) {
    const RecordedCall& call = rounds_.calls()[at];
    redisContext* const context = contexts_[call.server].get();
    if (!call.words.empty()) {
      redisAppendCommandArgv(context, static_cast<int>(words_[at].size()), words_[at].data(),
                             lengths_[at].data());
      if (!Flush(context)) return false;
      continue;
    }
    void* reply = nullptr;
    if (redisGetReply(context, &reply) != REDIS_OK || reply == nullptr) return false;
    const int type = static_cast<redisReply*>(reply)->type;
    freeReplyObject(reply);
    if (type == REDIS_REPLY_ERROR || type != TypeOf(call.replied)) return false;
  }
  return true;
}

}  // namespace interlock
