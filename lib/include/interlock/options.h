// SPDX-License-Identifier: MIT
//
// The options of all locks, with their defaults and the reasons for them; those of a Redlock are in
// redlock_options.h, those of a client in client_options.h. Options are validated where an object
// is created; a value out of its range is answered with kInvalidArgument and a message that names
// the option, what was given and what is allowed.
//
// Thread safety: plain data.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <interlock/client_options.h>
#include <interlock/redlock_options.h>
#include <interlock/result.h>
#include <interlock/retry_options.h>
#include <interlock/time.h>

namespace interlock {

inline constexpr Duration kMinLease = std::chrono::milliseconds(1);
inline constexpr Duration kMaxLease = std::chrono::hours(24);
inline constexpr std::size_t kMaxNameBytes = 512;
inline constexpr std::size_t kMaxPrefixBytes = 256;
inline constexpr int kMaxPermits = 65536;
inline constexpr int kMaxConcurrency = 1000;

/// Life of a fencing counter since its last use. It only has to outlive every fenced resource's
/// memory of the last token; a week covers a service that stands still over a long weekend.
inline constexpr Duration kFenceTtl = std::chrono::hours(24 * 7);

/// The least life of the mark that keeps a given-up acquire from taking effect later. It has to
/// outlast any delay of a request in the network or in a stopped server's socket buffer.
inline constexpr Duration kCancelledTtl = std::chrono::minutes(5);

struct MutexOptions {
  /// Begins every key. At most 256 bytes, without '{' and '}'.
  std::string key_prefix = "interlock:";

  /// How long a grant lasts unless it is extended; also the longest that a crashed holder keeps
  /// others out. 30 s is well above a pause of a healthy process and still a bearable outage.
  /// Rounded down to whole milliseconds, the server's unit. [1 ms, 24 h]
  Duration lease = std::chrono::seconds(30);

  /// Chubby's lock-delay: after a lease that ended without a release everybody is refused for this
  /// long, so that what its dead or slow holder had sent arrives before anybody else begins, at a
  /// storage that knows no fencing tokens. No help against what arrives later, nor after a release;
  /// and a crash keeps others out for longer by it. Clients need not agree: the holder's applies,
  /// or that of the client that extended its lease to more. Rounded up to whole ms. [0, 1 h]
  Duration lock_delay = Duration(0);

  /// The holder's belief ends earlier than the lease by this fraction of it, so that its clock may
  /// run slower than the server's by as much. 10 per mille is the customary 1 %, twenty times the
  /// rate error that NTP corrects (500 ppm). [0, 500]
  int drift_per_mille = 10;

  /// Off: the lock is one key and one command at a time: SET NX PX, renewed by SET IFEQ and given
  /// back by DELIFEQ or DELEX where the server has them (Valkey 9, Redis 8.4), else by a script;
  /// which of them is learned by trying, again whenever a connection was lost. That gives up:
  ///   - fencing tokens: fencing_token() is 0;
  ///   - waking: waiters poll, after pauses as in RetryOptions;
  ///   - that nothing follows a failure: an acquire whose reply was lost may still arrive, and take
  ///     the resource for nobody, for one lease; the call then ends with kUnknownOutcome;
  ///   - the trace of a release: repeated after a lost reply it is kUnknownOutcome if the key is
  ///     gone, and ForceRelease of what was released before answers kNotOwner;
  ///   - extensions to more than `lease`, and Lease::HandOver (kInvalidArgument).
  /// A client with fencing and one without exclude each other, but do not wake each other: what is
  /// promised of both together is what is promised of the one without. The one with fencing then
  /// looks when the lease that it was refused for is over, or after RetryOptions::max_wait; and its
  /// fencing token stops nothing of it that arrives late after a holder that showed none.
  bool fencing = true;

  RetryOptions retry = {};
};

struct FairMutexOptions {
  /// As in MutexOptions. Primitives of different kinds must not share prefix and name.
  std::string key_prefix = "interlock:fair:";

  Duration lease = std::chrono::seconds(30);  ///< as in MutexOptions
  int drift_per_mille = 10;                   ///< as in MutexOptions

  /// How long a waiter may take to fetch what was handed over to it, and to be heard of again when
  /// it had to look; after that it is passed over. Longer than it takes to notice a lost connection
  /// and make it again, so that such a waiter keeps its place. [1 ms, 1 h]
  Duration grace = std::chrono::seconds(2);

  /// As in RetryOptions. The sleep is shorter here, because how often waiters look bounds how long
  /// a dead one may hold up the line.
  RetryOptions retry = {.max_wait = std::chrono::seconds(5)};
};

struct ReentrantMutexOptions {
  /// As in MutexOptions. Primitives of different kinds must not share prefix and name.
  std::string key_prefix = "interlock:reentrant:";

  Duration lease = std::chrono::seconds(30);  ///< of all holds of one owner, as in MutexOptions
  int drift_per_mille = 10;                   ///< as in MutexOptions
  RetryOptions retry = {};
};

struct CountDownLatchOptions {
  /// As in MutexOptions. Primitives of different kinds must not share prefix and name.
  std::string key_prefix = "interlock:latch:";

  /// How long the latch is remembered after it was last closed or counted down, open or not. A day
  /// outlasts a batch that is started in the evening. [1 ms, 7 days]
  Duration life = std::chrono::hours(24);

  RetryOptions retry = {};
};

struct SemaphoreOptions {
  /// As in MutexOptions. Primitives of different kinds must not share prefix and name.
  std::string key_prefix = "interlock:semaphore:";

  /// How many permits there are: [1, 65536]. The first client to acquire puts its limit in force,
  /// and from then on only Semaphore::SetLimit changes it: a client that gives another one is
  /// refused. nullopt: whichever is in force; refused while none is.
  std::optional<int> limit = 1;

  Duration lease = std::chrono::seconds(30);  ///< of one permit, as in MutexOptions
  int drift_per_mille = 10;                   ///< as in MutexOptions
  RetryOptions retry = {};
};

struct SharedMutexOptions {
  /// As in MutexOptions. Primitives of different kinds must not share prefix and name.
  std::string key_prefix = "interlock:shared:";

  Duration lease = std::chrono::seconds(30);  ///< of readers and writers, as in MutexOptions

  /// While a writer of this client waits, new readers, of any client, are refused. On, because
  /// readers whose leases overlap would keep a writer out for ever, while a reader waits for no
  /// more than the writers there are. Off: for writers that can wait for a gap.
  bool prefer_writers = true;

  int drift_per_mille = 10;  ///< as in MutexOptions
  RetryOptions retry = {};
};

struct SingleFileOptions {
  /// The name of what is locked. 1 to 512 bytes, anything but '{' and '}'.
  std::string name = "default";

  /// As in MutexOptions. Primitives of different kinds must not share prefix and name.
  std::string key_prefix = "interlock:single-file:";

  /// How many may be inside at once. All clients of one name must agree. [1, 1000], because the
  /// server looks at all of them whenever somebody wants to enter.
  int concurrency = 1;

  /// The lease of one permit: how long after entering a holder that was not heard of again loses
  /// it. Five minutes suit whole jobs run as the body. [1 ms, 24 h]
  Duration expire_in = std::chrono::seconds(300);

  Duration grace = std::chrono::seconds(2);                    ///< as in FairMutexOptions
  int drift_per_mille = 10;                                    ///< as in MutexOptions
  RetryOptions retry = {.max_wait = std::chrono::seconds(5)};  ///< as in FairMutexOptions

  /// Where the server is: read by SingleFiles (single_files.h) alone. SingleFile::Create goes
  /// wherever the Connector of its Client leads.
  std::string host = "localhost";
  std::uint16_t port = 6379;
};

/// kOk, or kInvalidArgument with the reason.
Status Validate(const MutexOptions& options);
Status Validate(const FairMutexOptions& options);
Status Validate(const ReentrantMutexOptions& options);
Status Validate(const CountDownLatchOptions& options);
Status Validate(const SemaphoreOptions& options);
Status Validate(const SharedMutexOptions& options);
Status Validate(const SingleFileOptions& options);
/// A semaphore's number of permits, or the count that a latch is closed for: [1, 65536].
Status ValidateLimit(int limit);
Status ValidateCount(int count);
/// `name` of a resource: 1 to 512 bytes without braces. Braces are refused because the name stands
/// between them in every key, as the hash tag that keeps a resource's keys in one cluster slot.
Status ValidateName(const std::string& name);

}  // namespace interlock
