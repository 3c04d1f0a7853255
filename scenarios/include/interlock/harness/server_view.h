// SPDX-License-Identifier: MIT
//
// What a Subject is shown of a server, and what it makes of it: the lock's owners there, and the
// keys that stand beside it.
//
// Thread safety: as harness::Subject.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace interlock::harness {

/// A read-only look at the server's data, as of the command that has just run. A key whose TTL has
/// passed is absent, whether or not the server has deleted it yet.
class ServerView {
 public:
  virtual ~ServerView() = default;
  virtual std::optional<std::string> String(std::string_view key) const = 0;
  virtual std::vector<std::string> List(std::string_view key) const = 0;
  virtual std::vector<std::pair<std::string, std::string>> Hash(std::string_view key) const = 0;
  virtual std::vector<std::pair<std::string, double>> SortedSet(std::string_view key) const = 0;
  /// Unix time in ms; nullopt if the key is absent or has no TTL.
  virtual std::optional<std::int64_t> ExpiresAtMs(std::string_view key) const = 0;
  /// The server's own wall clock, Unix time in ms.
  virtual std::int64_t NowMs() const = 0;
  /// Whether a connection with this CLIENT ID is open, as the server sees it: a dead client's is
  /// closed from when its end has arrived, a silent one's from when the server gives it up. True
  /// where that is not known.
  virtual bool IsConnected(std::int64_t /*client_id*/) const { return true; }
};

/// Whether an entry is owned while ServerView::NowMs() shows its `expires_at_ms`.
enum class LastMs : std::uint8_t {
  kUnsaid,  ///< held against nobody: granting it then is right, and so is refusing it
  kOwned,   ///< as a key of Redis exists until its time has *passed* its end (EXPIRE)
  kOver,    ///< the end is the first ms that is free
};

/// One ownership entry in the server.
struct Owner {
  std::string token;
  /// nullopt: never, which is itself a fault (LK011), but see Traits::lasts_as_connection.
  std::optional<std::int64_t> expires_at_ms;
  bool shared = false;  ///< a reader: others of its kind are no intruders
  /// A lease of L ms that is given at t thus ends with t + L, whether the lock shows that (kOver),
  /// t + L - 1, or, a ms more than was asked for, t + L (kOwned).
  LastMs last_ms = LastMs::kUnsaid;
};

/// A key that the lock keeps besides its ownership entries (a signal list, a fencing counter).
struct AuxiliaryKey {
  std::string key;  ///< whole name; a trailing '*' matches any suffix
  /// The longest TTL it may ever have. milliseconds::max(): it may stay for ever, like a fencing
  /// counter that must never begin again.
  std::chrono::milliseconds max_ttl;
};

}  // namespace interlock::harness
