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
    if (reply.ok()) recorder_.Note({.reply = *reply});
    return reply;
  }

  const RecordingConnector& recorder_;
  const std::unique_ptr<Connection> connection_;
};

bool IsAlike(const redisReply& now, const Reply& recorded) {
  switch (recorded.type) {
    case Reply::Type::kNil:
      return now.type == REDIS_REPLY_NIL;
    case Reply::Type::kStatus:
      return now.type == REDIS_REPLY_STATUS;
    case Reply::Type::kError:
      return false;
    case Reply::Type::kInteger:
      return now.type == REDIS_REPLY_INTEGER && now.integer == recorded.integer;
    case Reply::Type::kString:
      return now.type == REDIS_REPLY_STRING;
    case Reply::Type::kArray:
      break;
  }
  if (now.type != REDIS_REPLY_ARRAY || now.elements != recorded.elements.size()) return false;
  for (std::size_t i = 0; i < now.elements; ++i) {
    if (!IsAlike(*now.element[i], recorded.elements[i])) return false;
  }
  return true;
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
    Prepared& prepared = calls_.emplace_back();
    for (const std::string& word : call.words) {
      prepared.words.push_back(word.data());
      prepared.lengths.push_back(word.size());
    }
  }
  std::size_t from = 0;
  for (const std::size_t end : rounds.ends()) FindQuoted(std::exchange(from, end), end);
}

void RawRounds::FindQuoted(std::size_t from, std::size_t end) {
  for (std::size_t reply = from; reply < end; ++reply) {
    const std::vector<Reply>& elements = rounds_.calls()[reply].reply.elements;
    for (std::size_t element = 0; element < elements.size(); ++element) {
      if (!elements[element].IsString()) continue;
      for (std::size_t call = reply + 1; call < end; ++call) {
        const std::vector<std::string>& words = rounds_.calls()[call].words;
        for (std::size_t word = 0; word < words.size(); ++word) {
          if (words[word] == elements[element].text) {
            calls_[reply].quoted.push_back({element, call, word});
          }
        }
      }
    }
    calls_[reply].said.resize(calls_[reply].quoted.size());
  }
}

bool RawRounds::ok() const {
  return !rounds_.ends().empty() && std::ranges::all_of(contexts_, [](const Context& context) {
    return context != nullptr && context->err == 0;
  });
}

bool RawRounds::Take(std::size_t call) {
  void* got = nullptr;
  if (redisGetReply(contexts_[rounds_.calls()[call].server].get(), &got) != REDIS_OK) return false;
  const std::unique_ptr<redisReply, void (*)(void*)> reply(static_cast<redisReply*>(got),
                                                           freeReplyObject);
  if (reply == nullptr || !IsAlike(*reply, rounds_.calls()[call].reply)) return false;
  Prepared& own = calls_[call];
  for (std::size_t i = 0; i < own.quoted.size(); ++i) {
    const redisReply& element = *reply->element[own.quoted[i].element];
    own.said[i].assign(element.str, element.len);
    Prepared& later = calls_[own.quoted[i].call];
    later.words[own.quoted[i].word] = own.said[i].data();
    later.lengths[own.quoted[i].word] = own.said[i].size();
  }
  return true;
}

bool RawRounds::Next() {
  std::size_t at = round_ == 0 ? 0 : rounds_.ends()[round_ - 1];
  const std::size_t end = rounds_.ends()[round_++];
  for (; at < end; ++at) {
    if (rounds_.calls()[at].words.empty()) {
      if (!Take(at)) return false;
      continue;
    }
    redisContext* const context = contexts_[rounds_.calls()[at].server].get();
    Prepared& call = calls_[at];
    if (redisAppendCommandArgv(context, static_cast<int>(call.words.size()), call.words.data(),
                               call.lengths.data()) != REDIS_OK) {
      return false;
    }
    if (!Flush(context)) return false;
  }
  return true;
}

}  // namespace interlock
