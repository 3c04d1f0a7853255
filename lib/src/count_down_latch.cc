// SPDX-License-Identifier: MIT
#include <interlock/count_down_latch.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "src/client_core.h"
#include "src/retry.h"
#include "src/scripts/latch_scripts.h"

namespace interlock {
namespace {

using internal::LatchReply;

Result<LatchReply> Ask(Client& client, const internal::ScriptCall& call) {
  const auto answer = client.core().Run(call, internal::Use::kPooled);
  return answer.ok() ? internal::ParseLatch(answer->reply) : Result<LatchReply>(answer.status());
}

Status Missing(const std::string& resource) {
  return Status(StatusCode::kInvalidArgument,
                resource + " was never closed, or has been forgotten since");
}

}  // namespace

Result<CountDownLatch> CountDownLatch::Create(Client& client, std::string name,
                                              CountDownLatchOptions options) {
  for (const Status& valid : {client.status(), ValidateName(name), Validate(options)}) {
    if (!valid.ok()) return valid;
  }
  return CountDownLatch(
      client, options.retry,
      std::make_shared<const internal::LatchScripts>(
          options.key_prefix, name, std::chrono::floor<std::chrono::milliseconds>(options.life)));
}

CountDownLatch::CountDownLatch(Client& client, RetryOptions retry,
                               std::shared_ptr<const internal::LatchScripts> scripts)
    : client_(&client), retry_(retry), scripts_(std::move(scripts)) {}

Status CountDownLatch::Close(int count) {
  if (Status valid = ValidateCount(count); !valid.ok()) return valid;
  const Result<LatchReply> closed = Ask(*client_, scripts_->Close(count));
  if (!closed.ok()) return closed.status();
  if (closed->changed || closed->count == count) return Status();
  return Status(StatusCode::kInvalidArgument, scripts_->resource() + " was closed for " +
                                                  std::to_string(closed->count) + ", not for " +
                                                  std::to_string(count));
}

Status CountDownLatch::CountDown(const std::string& party) {
  if (party.empty() || party.size() > kMaxNameBytes) {
    return Status(StatusCode::kInvalidArgument, "party is " + std::to_string(party.size()) +
                                                    " bytes long; allowed is 1 to " +
                                                    std::to_string(kMaxNameBytes) + " bytes");
  }
  const Result<LatchReply> counted = Ask(*client_, scripts_->CountDown(party));
  if (!counted.ok()) return counted.status();
  return counted->exists ? Status() : Missing(scripts_->resource());
}

Status CountDownLatch::Await(std::stop_token stop) { return AwaitUntil(kNever, std::move(stop)); }

Status CountDownLatch::AwaitFor(AnyDuration timeout, std::stop_token stop) {
  return AwaitUntil(AddSaturating(client_->runtime().Now(), timeout), std::move(stop));
}

Status CountDownLatch::AwaitUntil(MonotonicTime deadline, std::stop_token stop) {
  if (stop.stop_requested()) return internal::StoppedBefore(scripts_->resource());
  const internal::Teller& teller = client_->core().teller();
  const MonotonicTime begun = teller.Begin();
  Status opened = Wait(deadline, stop);
  if (teller) {
    teller.TellSince(
        begun, {.kind = opened.ok() ? Observation::Kind::kGranted : Observation::Kind::kGaveUp,
                .resource = scripts_->resource(),
                .status = opened});
  }
  return opened;
}

Status CountDownLatch::Wait(MonotonicTime deadline, const std::stop_token& stop) {
  internal::ClientCore& core = client_->core();
  const auto tell = [&](Observation::Kind kind, int look) {
    if (!core.teller()) return;
    core.teller().Tell({.kind = kind, .resource = scripts_->resource(), .attempt = look});
  };
  for (int failures = 0, look = 1;; ++look) {
    tell(Observation::Kind::kAttempt, look);
    const Result<LatchReply> seen = Ask(*client_, scripts_->Look());
    Status failed = seen.status();
    if (seen.ok()) {
      if (!seen->exists) return Missing(scripts_->resource());
      if (seen->count == 0) return Status();
      tell(Observation::Kind::kRefused, look);
      const MonotonicTime now = core.runtime().Now();
      if (now >= deadline || stop.stop_requested()) break;
      const MonotonicTime until = std::min(deadline, AddSaturating(now, retry_.max_wait));
      core.TellWaiting(scripts_->resource(), until);
      failed = core.Pop(scripts_->signal(), until, stop).status();
      if (failed.ok()) failures = 0;
    }
    if (failed.ok()) continue;
    if (!internal::IsRetryable(failed.code())) return failed;
    if (stop.stop_requested()) {
      // What woke this waiter, or would have, is passed on by a last look.
      if (seen.ok()) continue;
      break;
    }
    if (core.runtime().Now() >= deadline) break;
    core.PauseAfterFailures({scripts_->resource(), ++failures, failed}, retry_, deadline, stop);
  }
  if (stop.stop_requested()) {
    return Status(StatusCode::kStopped, scripts_->resource() + " did not open before the stop");
  }
  return Status(StatusCode::kTimeout, scripts_->resource() + " did not open before the deadline");
}

Result<int> CountDownLatch::Count() {
  const Result<LatchReply> seen = Ask(*client_, scripts_->Look());
  if (!seen.ok()) return seen.status();
  if (!seen->exists) return Missing(scripts_->resource());
  return static_cast<int>(seen->count);
}

Status CountDownLatch::Remove() { return Ask(*client_, scripts_->Remove()).status(); }

}  // namespace interlock
