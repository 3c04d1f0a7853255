// SPDX-License-Identifier: MIT
//
// The short way to judge a lock as it was compiled (Traits::posix): one on hiredis or another
// client library, in C or C++, that keeps its owner's token as the string value of one key. What it
// calls of the C library acts upon the simulated world; the adapter says how to acquire and how to
// release, and nothing of sockets or clocks. A lock of another shape is a Subject of its own.
//
//   class Adapter final : public interlock::harness::CompiledLock { ... };
//   harness::Main(argc, argv, {harness::CompiledSubject<Adapter>("acme.c-lock")});
//
// Thread safety: as harness::Lock.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <interlock/harness/lock.h>

namespace interlock::harness {

/// What a lock's function says. A lock by quorum knows what became of a release only if enough
/// masters have answered: if one of them has not, a minority may go on holding the lock, and the
/// answer is kUnknown.
enum class Answer : std::uint8_t {
  kYes,
  kNo,       ///< definitely not: another one has it; or it was not held any more
  kUnknown,  ///< an error, after which the request may have been carried out
};

/// One client's lock object for one resource, with one grant at a time.
class CompiledLock {
 public:
  /// Must not reach the server for a grant that is still held.
  virtual ~CompiledLock() = default;
  /// One try that does not wait for others.
  virtual Answer Acquire() = 0;
  /// Gives back the latest grant.
  virtual Answer Release() = 0;
  /// The value of the key as long as the latest grant is held.
  virtual std::string token() const = 0;
  /// The end of the holder's belief on CLOCK_MONOTONIC, for a lock that renews by itself. nullopt:
  /// LockOptions::lease, less a hundredth for clocks that drift, after Acquire was called. A grant
  /// whose end has passed when Acquire returns is none.
  virtual std::optional<MonotonicTime> valid_until() const { return std::nullopt; }
};

using MakeCompiledLock = std::function<std::unique_ptr<CompiledLock>(const LockOptions&)>;

/// The key is LockOptions::key_prefix and LockOptions::resource, one after the other. A waiter
/// tries again every 10 ms. `name`: as Subject::name. `traits`: what the lock can do besides;
/// `posix` is set.
std::shared_ptr<const Subject> CompiledSubject(std::string name, MakeCompiledLock make,
                                               Traits traits = {});

/// The same of an adapter that is made of LockOptions.
template <typename Adapter>
std::shared_ptr<const Subject> CompiledSubject(std::string name, Traits traits = {}) {
  return CompiledSubject(
      std::move(name),
      [](const LockOptions& options) { return std::make_unique<Adapter>(options); },
      std::move(traits));
}

}  // namespace interlock::harness
