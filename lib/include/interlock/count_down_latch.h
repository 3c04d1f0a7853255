// SPDX-License-Identifier: MIT
//
// CountDownLatch: lets everybody through once as many parties have counted down as it was closed
// for.
//
//   Result<CountDownLatch> loaded = CountDownLatch::Create(client, "shards-loaded");
//   if (!loaded.ok()) return loaded.status();
//   (void)loaded->Close(3);                        // any number of times, by any of the processes
//   (void)loaded->CountDown("shard-2");            // each party counts once
//   Status open = loaded->AwaitFor(std::chrono::minutes(1));
//
// Guarantee, on one stand-alone Redis that keeps what it acknowledged:
//   - it opens when `count` different parties have counted down, never earlier, and stays open: a
//     waiter that comes later goes through at once. A party counts once, even if a reply was lost
//     and it counts down again, in this process or the next;
//   - waiters sleep in Redis and are woken when it opens; a lost wake-up costs no more than
//     retry.max_wait.
// Not guaranteed:
//   - memory for longer than `life` after the last Close or CountDown: then the latch is gone, and
//     waiters are told so;
//   - replicas, cluster failover, lost writes: a count down that the new master has not heard of is
//     forgotten, and the latch opens late or never. Counting down again repairs it.
//
// Cost: Close, CountDown, Count, Remove one round trip each; waiting takes one, and one BLPOP on a
// connection of its own and one more for each wake-up or look. Keys, all with a TTL of `life`, P =
// key_prefix: `P{name}` (the count it was closed for), `P{name}:counted` (the ids), `P{name}:open`
// (at most one element).
//
// Thread safety: all members may be called from any number of tasks. The Client must outlive it.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include <interlock/client.h>
#include <interlock/options.h>
#include <interlock/result.h>
#include <interlock/time.h>

namespace interlock {

namespace internal {
class LatchScripts;
}

class CountDownLatch {
 public:
  CountDownLatch(const CountDownLatch&) = default;  // see LeaseSource for moving
  CountDownLatch& operator=(const CountDownLatch&) = default;

  /// Sends nothing. kInvalidArgument: `name` (see ValidateName), `options`, or the client's
  /// options.
  static Result<CountDownLatch> Create(Client& client, std::string name,
                                       CountDownLatchOptions options = {});

  /// Closes it for `count` parties ([1, 65536]). kOk also if it was closed before for the same
  /// number, even if it is open by now. kInvalidArgument: it was closed for another number; nothing
  /// changed. kUnavailable, kUnknownOutcome: call again.
  Status Close(int count);

  /// Counts down for `party` (1 to 512 bytes), once. kOk also if that party had counted before, or
  /// it is open. kInvalidArgument: it was never closed, or not within `life`. kUnavailable,
  /// kUnknownOutcome: call again.
  Status CountDown(const std::string& party);

  /// Waits until it is open: for ever, for `timeout`, or until `deadline` on the Runtime's clock;
  /// looks at least once. kTimeout: not open in time. kInvalidArgument: as CountDown. kCancelled
  /// and kProtocolError end the wait at once; lost connections are made again meanwhile. kStopped:
  /// `stop` was requested first; if that was before the call, the server was not asked. Returns at
  /// most Client::overrun_bound() after either.
  Status Await(std::stop_token stop = {});
  Status AwaitFor(AnyDuration timeout, std::stop_token stop = {});
  Status AwaitUntil(MonotonicTime deadline, std::stop_token stop = {});

  /// How many parties have still to count down. kInvalidArgument: as CountDown.
  Result<int> Count();

  /// Forgets it, for another round under the same name. Waiters are told so within retry.max_wait.
  Status Remove();

 private:
  CountDownLatch(Client& client, RetryOptions retry,
                 std::shared_ptr<const internal::LatchScripts> scripts);
  Status Wait(MonotonicTime deadline, const std::stop_token& stop);

  Client* client_;
  RetryOptions retry_;
  std::shared_ptr<const internal::LatchScripts> scripts_;
};

}  // namespace interlock
