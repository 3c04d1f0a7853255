// SPDX-License-Identifier: MIT
//
// TLS over a connected socket, with the SSL library that comes with hiredis 1.0 and newer. Where
// the build found none, TlsBuiltIn() is false and MakeTlsContext says what is missing.
//
// Non-guarantee: hiredis checks that a trusted authority has signed the server's certificate, not
// whose name it bears. So trust an authority that signs for your Redis servers only.
//
// Thread safety: a TlsContext may be used from any task, a TlsSession belongs to one task at a
// time.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string_view>

#include <interlock/hiredis_connector.h>
#include <interlock/result.h>
#include <interlock/runtime.h>
#include <interlock/time.h>

namespace interlock {

/// Why `rediss://` does not work here, for messages.
inline constexpr std::string_view kNoTls =
    "this build has no TLS: it was made without hiredis 1.0 or newer and its SSL library "
    "(hiredis_ssl)";

bool TlsBuiltIn();

/// Reads and writes as recv and send with MSG_DONTWAIT do, errno included.
class TlsSession {
 public:
  virtual ~TlsSession() = default;

  virtual ssize_t Read(char* buffer, std::size_t size) = 0;

  /// All or nothing: `size`, or -1. After EAGAIN the same bytes must be given again.
  virtual ssize_t Write(const char* bytes, std::size_t size) = 0;
};

class TlsContext {
 public:
  virtual ~TlsContext() = default;

  /// Shakes hands on `fd`, which stays the caller's, and has a PING answered in whatever way: only
  /// then is it known that the server has accepted this client's certificate. kUnavailable:
  /// refused, not trusted, or not done before `deadline`. YIELDS.
  virtual Result<std::unique_ptr<TlsSession>> Begin(Runtime& runtime, int fd,
                                                    MonotonicTime deadline) const = 0;
};

/// Loads the certificates. kInvalidArgument: one cannot be loaded, or there is no TLS.
Result<std::shared_ptr<const TlsContext>> MakeTlsContext(const HiredisOptions& options);

}  // namespace interlock
