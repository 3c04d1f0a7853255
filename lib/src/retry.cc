// SPDX-License-Identifier: MIT
#include "src/retry.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "src/duration_text.h"

namespace interlock::internal {

namespace {
using std::chrono::milliseconds;
}

MonotonicTime ValidUntil(MonotonicTime sent, Duration lease, int drift_per_mille) {
  // Divided first where the product would not fit; a lease of at most 24 h never gets there.
  const Duration::rep count = lease.count();
  const bool fits = count < Duration::max().count() / 1000;
  const Duration::rep drift =
      fits ? count * drift_per_mille / 1000 : count / 1000 * drift_per_mille;
  return AddSaturating(sent, Duration(count - drift));
}

Status CheckLease(Duration lease) {
  if (lease >= kMinLease && lease <= kMaxLease) return Status();
  return Status(StatusCode::kInvalidArgument, "lease is " + DurationText(lease) + "; allowed is " +
                                                  DurationText(kMinLease) + " to " +
                                                  DurationText(kMaxLease));
}

Duration PauseAfter(int failures, const RetryOptions& options, std::uint32_t random) {
  Duration pause = options.first_pause;
  for (int i = 1; i < failures && pause < options.max_pause; ++i) pause *= 2;
  pause = std::min(pause, options.max_pause);
  const Duration::rep half = pause.count() / 2;
  return pause - Duration(half * static_cast<Duration::rep>(random % 1024) / 1024);
}

Duration ShortPause(int attempt, std::uint32_t random) {
  return PauseAfter(attempt, {.first_pause = milliseconds(25), .max_pause = milliseconds(200)},
                    random);
}

Duration ShortPauses(int attempts) {
  Duration sum{};
  for (int i = 1; i < attempts; ++i) sum += ShortPause(i, 0);
  return sum;
}

MonotonicTime RenewAt(MonotonicTime now, MonotonicTime end) {
  return end > now ? now + (end - now) / 3 : now;
}

MonotonicTime RenewAgainAt(MonotonicTime now, MonotonicTime end, int failures,
                           std::uint32_t random) {
  const MonotonicTime latest = std::max(RenewAt(now, end), now + milliseconds(1));
  return std::min(latest, now + ShortPause(failures, random));
}

MonotonicTime BackBy(MonotonicTime now, MonotonicTime when, MonotonicTime end, int visits) {
  const MonotonicTime from = std::max(now, when);
  const Duration all = (end > from ? from + (end - from) / 2 : from) - now;
  constexpr Duration kLeast = milliseconds(100);
  return now + std::max(all / visits, std::min(all, kLeast));
}

MonotonicTime LookAgainAt(MonotonicTime now, milliseconds owner_ttl, MonotonicTime deadline,
                          Duration cap) {
  MonotonicTime at = AddSaturating(now, cap);
  // Compared in milliseconds: in nanoseconds the largest values would overflow.
  constexpr milliseconds kLongest = std::chrono::duration_cast<milliseconds>(kMaxLease);
  if (owner_ttl >= milliseconds(0) && owner_ttl <= kLongest) {
    at = std::min(at, AddSaturating(now, owner_ttl + milliseconds(1)));
  }
  return std::min(at, deadline);
}

milliseconds BlockFor(MonotonicTime now, MonotonicTime until) {
  if (until <= now) return milliseconds(1);
  return std::chrono::ceil<milliseconds>(until - now);
}

std::string BlockingSeconds(milliseconds wait) {
  std::string fraction = std::to_string(wait.count() % 1000);
  fraction.insert(0, 3 - fraction.size(), '0');
  return std::to_string(wait.count() / 1000) + "." + fraction;
}

Status StoppedBefore(const std::string& resource) {
  return Status(StatusCode::kStopped,
                resource + ": stop was requested before the call; nothing was sent");
}

Status NoGrant(const std::string& resource, bool stopped, const Status& last) {
  std::string message = "no grant of " + resource + " before the ";
  message += stopped ? "stop" : "deadline";
  if (!last.ok()) message += "; last: " + last.ToString();
  return Status(stopped ? StatusCode::kStopped : StatusCode::kTimeout, std::move(message));
}

bool IsRetryable(StatusCode code) {
  return code == StatusCode::kUnavailable || code == StatusCode::kUnknownOutcome ||
         code == StatusCode::kTimeout;
}

Status StatusOfErrorReply(const std::string& text, const std::string& key) {
  const std::string_view code = std::string_view(text).substr(0, text.find(' '));
  constexpr std::array<std::string_view, 14> kRefused = {
      "READONLY",  "LOADING",     "MASTERDOWN", "BUSY",  "OOM", "MISCONF",  "NOREPLICAS",
      "UNBLOCKED", "CLUSTERDOWN", "TRYAGAIN",   "MOVED", "ASK", "NOSCRIPT", "NOQUORUM"};
  if (std::find(kRefused.begin(), kRefused.end(), code) != kRefused.end()) {
    std::string message = "the server refused: " + text;
    if (code == "MOVED" || code == "ASK") message += " (ClusterConnector follows this)";
    if (code == "READONLY") message += " (SentinelConnector leads to the master)";
    return Status(StatusCode::kUnavailable, std::move(message));
  }
  // In a script the last of these has no code of its own.
  if (code == "NOAUTH" || code == "WRONGPASS" || code == "NOPERM" ||
      text.find("The user executing the script can't run this command") != std::string::npos) {
    return Status(StatusCode::kInvalidArgument,
                  "the server wants other credentials, or the user lacks a right: " + text);
  }
  // Servers before Redis 7 put it after a text of their own. The rest of the text names a script's
  // line.
  if (code == "WRONGTYPE" || text.find(": WRONGTYPE ") != std::string::npos) {
    return Status(
        StatusCode::kProtocolError,
        "a key that begins with " + key.substr(0, key.find('}') + 1) +
            " holds another type of value (WRONGTYPE): another kind of lock, or something "
            "else, uses this prefix and name");
  }
  return Status(StatusCode::kProtocolError, "the server answered with an error: " + text);
}

}  // namespace interlock::internal
