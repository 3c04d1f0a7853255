// SPDX-License-Identifier: MIT
#include <interlock/cluster_connector.h>
#include <interlock/options.h>
#include <interlock/sentinel_connector.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "src/duration_text.h"

namespace interlock {
namespace {

using internal::DurationText;
using std::chrono::milliseconds;

Status OutOfRange(std::string_view option, const std::string& given, const std::string& allowed) {
  return Status(StatusCode::kInvalidArgument,
                std::string(option) + " is " + given + "; allowed is " + allowed);
}

Status NoSuchDuration(std::string_view option, Duration value, Duration low, Duration high) {
  return OutOfRange(option, DurationText(value), DurationText(low) + " to " + DurationText(high));
}

Status NoSuchCount(std::string_view option, int value, int low, int high) {
  return OutOfRange(option, std::to_string(value),
                    std::to_string(low) + " to " + std::to_string(high));
}

// Every lock that is made asks these a dozen times, of options that are right: so what there is to
// say is made elsewhere.

inline Status CheckDuration(std::string_view option, Duration value, Duration low, Duration high) {
  if (value >= low && value <= high) return Status();
  return NoSuchDuration(option, value, low, high);
}

inline Status CheckCount(std::string_view option, int value, int low, int high) {
  if (value >= low && value <= high) return Status();
  return NoSuchCount(option, value, low, high);
}

Status CheckNoBraces(std::string_view option, const std::string& value) {
  const bool none = value.find('{') == std::string::npos && value.find('}') == std::string::npos;
  if (none) return Status();
  return Status(
      StatusCode::kInvalidArgument,
      std::string(option) + " \"" + value +
          "\" contains '{' or '}', which mark the hash tag of a key; allowed is anything else");
}

Status CheckPrefix(const std::string& prefix) {
  if (prefix.size() > kMaxPrefixBytes) {
    return OutOfRange("key_prefix", std::to_string(prefix.size()) + " bytes long",
                      "0 to " + std::to_string(kMaxPrefixBytes) + " bytes");
  }
  return CheckNoBraces("key_prefix", prefix);
}

constexpr Duration kHour = std::chrono::hours(1);

/// `of`: what the names of both begin with.
Status CheckOrder(const std::string& of, Duration first_pause, Duration max_pause) {
  if (first_pause <= max_pause) return Status();
  return OutOfRange(of + "first_pause", DurationText(first_pause),
                    "at most " + of + "max_pause, " + DurationText(max_pause));
}

Status CheckRetry(const RetryOptions& retry) {
  const std::array<std::pair<std::string_view, Duration>, 3> values = {
      {{"retry.max_wait", retry.max_wait},
       {"retry.first_pause", retry.first_pause},
       {"retry.max_pause", retry.max_pause}}};
  for (const auto& [option, value] : values) {
    if (Status valid = CheckDuration(option, value, milliseconds(1), kHour); !valid.ok())
      return valid;
  }
  return CheckOrder("retry.", retry.first_pause, retry.max_pause);
}

Status FirstFailure(std::initializer_list<Status> checks) {
  for (const Status& check : checks) {
    if (!check.ok()) return check;
  }
  return Status();
}

Status CheckNodes(std::string_view option, const std::vector<NodeAddress>& nodes) {
  if (nodes.empty() || nodes.size() > 1000) {
    return OutOfRange(option, std::to_string(nodes.size()) + " addresses", "1 to 1000");
  }
  for (const NodeAddress& node : nodes) {
    if (node.host.empty()) return OutOfRange(option, "an empty host", "a name or an address");
    if (Status valid = CheckCount(option, node.port, 1, 65535); !valid.ok()) return valid;
  }
  return Status();
}

/// What the options of every lock have.
template <typename Options>
Status CheckLock(const Options& options) {
  return FirstFailure(
      {CheckPrefix(options.key_prefix), CheckDuration("lease", options.lease, kMinLease, kMaxLease),
       CheckCount("drift_per_mille", options.drift_per_mille, 0, 500), CheckRetry(options.retry)});
}

}  // namespace

Status ValidateLabel(std::string_view label) {
  constexpr std::size_t kMostBytes = 32;
  const auto allowed = [](char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  if (label.size() <= kMostBytes && std::all_of(label.begin(), label.end(), allowed)) {
    return Status();
  }
  return OutOfRange("label", "\"" + std::string(label.substr(0, 2 * kMostBytes)) + "\"",
                    "at most 32 letters, digits, '.', '_' and '-'");
}

Status Validate(const ClientOptions& options) {
  return FirstFailure(
      {CheckDuration("command_timeout", options.command_timeout, milliseconds(1), kHour),
       CheckDuration("connect_timeout", options.connect_timeout, milliseconds(1), kHour),
       CheckCount("max_idle_connections", options.max_idle_connections, 0, 1024),
       CheckCount("release_attempts", options.release_attempts, 1, 100),
       CheckCount("cleanup_attempts", options.cleanup_attempts, 1, 100),
       CheckCount("acknowledged_by.replicas", options.acknowledged_by.replicas, 0, 1000),
       CheckDuration("acknowledged_by.timeout", options.acknowledged_by.timeout, milliseconds(1),
                     kHour),
       ValidateLabel(options.label)});
}

Status Validate(const MutexOptions& options) {
  return FirstFailure(
      {CheckLock(options), CheckDuration("lock_delay", options.lock_delay, Duration(0), kHour)});
}

Status Validate(const FairMutexOptions& options) {
  return FirstFailure(
      {CheckLock(options), CheckDuration("grace", options.grace, milliseconds(1), kHour)});
}

Status Validate(const ReentrantMutexOptions& options) { return CheckLock(options); }

Status Validate(const CountDownLatchOptions& options) {
  return FirstFailure({CheckPrefix(options.key_prefix),
                       CheckDuration("life", options.life, milliseconds(1), kFenceTtl),
                       CheckRetry(options.retry)});
}

Status ValidateCount(int count) { return CheckCount("count", count, 1, kMaxPermits); }

Status ValidateLimit(int limit) { return CheckCount("limit", limit, 1, kMaxPermits); }

Status Validate(const SemaphoreOptions& options) {
  return FirstFailure({CheckLock(options), ValidateLimit(options.limit.value_or(1))});
}

Status Validate(const SharedMutexOptions& options) {
  return FirstFailure(
      {CheckPrefix(options.key_prefix), CheckDuration("lease", options.lease, kMinLease, kMaxLease),
       CheckCount("drift_per_mille", options.drift_per_mille, 0, 500), CheckRetry(options.retry)});
}

Status Validate(const RedlockOptions& options) {
  Status each = FirstFailure(
      {CheckPrefix(options.key_prefix), CheckDuration("lease", options.lease, kMinLease, kMaxLease),
       CheckDuration("node_timeout", options.node_timeout, milliseconds(1), options.lease / 4),
       CheckCount("drift_per_mille", options.drift_per_mille, 0, 500),
       CheckDuration("drift_extra", options.drift_extra, Duration(0), options.lease / 4),
       CheckDuration("first_pause", options.first_pause, milliseconds(1), kHour),
       CheckDuration("max_pause", options.max_pause, milliseconds(1), kHour)});
  return each.ok() ? CheckOrder("", options.first_pause, options.max_pause) : each;
}

Status Validate(const SingleFileOptions& options) {
  return FirstFailure({ValidateName(options.name), CheckPrefix(options.key_prefix),
                       CheckCount("concurrency", options.concurrency, 1, kMaxConcurrency),
                       CheckDuration("expire_in", options.expire_in, kMinLease, kMaxLease),
                       CheckDuration("grace", options.grace, milliseconds(1), kHour),
                       CheckCount("drift_per_mille", options.drift_per_mille, 0, 500),
                       CheckRetry(options.retry)});
}

Status Validate(const SentinelOptions& options) {
  if (options.master_name.empty()) {
    return Status(StatusCode::kInvalidArgument, "master_name is empty");
  }
  const int sentinels = static_cast<int>(options.sentinels.size());
  return FirstFailure(
      {CheckNodes("sentinels", options.sentinels),
       CheckCount("agreeing", options.agreeing, 0, sentinels),
       CheckDuration("sentinel_timeout", options.sentinel_timeout, milliseconds(1), kHour),
       CheckDuration("recheck", options.recheck, milliseconds(1), kHour),
       CheckDuration("connect_timeout", options.connect_timeout, milliseconds(1), kHour),
       CheckRetry(options.retry)});
}

Status Validate(const ClusterOptions& options) {
  return FirstFailure({CheckNodes("seeds", options.seeds),
                       CheckDuration("node_timeout", options.node_timeout, milliseconds(1), kHour),
                       CheckCount("max_resends", options.max_resends, 1, 100),
                       CheckRetry(options.retry)});
}

Status ValidateName(const std::string& name) {
  if (name.empty() || name.size() > kMaxNameBytes) {
    return OutOfRange("name", std::to_string(name.size()) + " bytes long",
                      "1 to " + std::to_string(kMaxNameBytes) + " bytes");
  }
  return CheckNoBraces("name", name);
}

}  // namespace interlock
