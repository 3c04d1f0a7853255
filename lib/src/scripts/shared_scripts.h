// SPDX-License-Identifier: MIT
//
// The scripts of a readers/writer lock, one object for each side. A writer is a string with the
// lease as its TTL, as of a mutex; readers are members of a sorted set by deadline, as of permits.
// What a script does is said beside it.
//
// Keys: `base` (the writer), `base:readers`, `base:waiting` (writers that wait, by the deadline of
// their standing), `base:fence`, `base:signal:writers`, `base:signal:readers`,
// `base:cancelled:<token>`.
//
// Thread safety: immutable.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/scripts/lock_scripts.h"
#include "src/scripts/mutex_scripts.h"

namespace interlock::internal {

/// What both sides have.
struct SharedKeys : ResourceKeys {
  using ResourceKeys::ResourceKeys;

  ScriptWord readers() const { return {base, ":readers"}; }
  ScriptWord waiting() const { return {base, ":waiting"}; }
  ScriptWord writer_signal() const { return {base, kOfWriters}; }
  ScriptWord reader_signal() const { return {base, kOfReaders}; }

  static constexpr std::string_view kOfWriters = ":signal:writers";
  static constexpr std::string_view kOfReaders = ":signal:readers";
};

/// The holders on either side, the writer first; see ParseInspection.
ScriptCall InspectBoth(const SharedKeys& keys);

class ReaderScripts final : public LockScripts {
 public:
  ReaderScripts(const std::string& prefix, const std::string& name, Milliseconds lease);

  ScriptCall Acquire(const std::string& token) const override;
  ScriptCall AcquireWaiting(const std::string& token, const Turn& turn) const override;
  ScriptCall Extend(const std::string& token, Milliseconds lease) const override;
  ScriptCall Release(const std::string& token, std::uint64_t fencing_token) const override;
  ScriptCall Abandon(const std::string& token) const override;
  std::optional<ScriptCall> HandOn() const override;
  ScriptCall Inspect() const override;
  std::string Refusal() const override;

  /// For tests, and for tools that load them in advance.
  static std::vector<const Script*> All();

 private:
  const SharedKeys shared_;
};

class WriterScripts final : public LockScripts {
 public:
  WriterScripts(const std::string& prefix, const std::string& name, Milliseconds lease,
                bool preferred);

  ScriptCall Acquire(const std::string& token) const override;
  ScriptCall AcquireWaiting(const std::string& token, const Turn& turn) const override;
  bool leaves_waiters() const override { return preferred_; }
  ScriptCall Extend(const std::string& token, Milliseconds lease) const override;
  ScriptCall Release(const std::string& token, std::uint64_t fencing_token) const override;
  ScriptCall Abandon(const std::string& token) const override;
  std::optional<ScriptCall> HandOn() const override;
  ScriptCall Inspect() const override;
  std::string Refusal() const override;

  static std::vector<const Script*> All();

 private:
  const SharedKeys shared_;
  const MutexScripts as_mutex_;  ///< a writer is extended in the same way
  const bool preferred_;
};

}  // namespace interlock::internal
