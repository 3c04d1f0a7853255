// SPDX-License-Identifier: MIT
//
// Connections to a real Redis, made with hiredis. No type of hiredis appears here, so that users of
// the library need neither its headers nor a particular version of it.
//
//   auto connector = interlock::MakeHiredisConnector(runtime, "redis://127.0.0.1:6379/0");
//
// Guarantee: after an error or a passed deadline a connection never answers again, so a late reply
// cannot be taken for the reply to a later command. Writing to a dead peer never raises SIGPIPE.
// Non-guarantee: the deadline of Connect does not bound the system's name resolution; give a
// numeric address where that matters.
//
// TLS (rediss://) is there if the library was built with hiredis 1.0 or newer and its SSL library;
// else it is refused with kInvalidArgument, which says so. The server's certificate must be signed
// by an authority in `tls_ca_file`; hiredis does not compare the name in it, so trust an authority
// that signs for your Redis servers only. A connection costs two round trips more.
//
// Thread safety: a Connector may be used from any task, a Connection by one task at a time.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include <interlock/connection.h>
#include <interlock/result.h>
#include <interlock/runtime.h>
#include <interlock/time.h>
#include <interlock/topology.h>

namespace interlock {

/// Every member has an initialiser, so that designated ones may be picked without a warning.
struct HiredisOptions {
  std::string host = "127.0.0.1";  ///< name or numeric address; IPv6 without brackets
  int port = 6379;                 ///< 1 to 65535
  std::string unix_path = {};      ///< if not empty: this socket instead of host and port

  std::string user = {};      ///< empty: the default user; needs a password if given
  std::string password = {};  ///< empty: no AUTH
  int database = 0;           ///< 0 or more; SELECTed on every connection

  /// Bounds each Connect, replies to AUTH and SELECT included, besides the caller's own deadline.
  Duration connect_timeout = std::chrono::seconds(2);

  /// How long Send may wait for a peer that reads nothing, before it gives up.
  Duration send_timeout = std::chrono::seconds(2);

  /// How long a reply is first waited for awake, by one thread of a connector at a time: a server
  /// on the same machine answers before a sleeper would be awake again, which saves up to a third
  /// of a command's time. Where replies take longer this is skipped, except for an occasional try.
  /// [0, 1 ms]; 0: never. Not over TLS.
  Duration busy_wait = std::chrono::microseconds(100);

  /// After this idle time TCP probes whether the peer is still there; whole seconds, 0 is off.
  std::chrono::seconds keep_alive = std::chrono::seconds(15);

  bool tls = false;                  ///< needs tls_ca_file; not on a unix socket
  std::string tls_ca_file = {};      ///< PEM: the authorities that are trusted
  std::string tls_cert_file = {};    ///< PEM: this client's certificate, if the server wants one
  std::string tls_key_file = {};     ///< PEM: its key; both or none
  std::string tls_server_name = {};  ///< sent to the server (SNI) if not empty
};

/// Reads `redis://[[user]:password@][host][:port][/db]` or
/// `redis+unix://[[user]:password@]/path[?db=N]`, or `rediss://...[/db]?ca=/ca.pem` for TLS, with
/// `&cert=`, `&key=` and `&sni=` if need be. Missing parts keep their defaults; user, password,
/// host, path and parameters are percent-decoded; IPv6 addresses stand in brackets.
/// kInvalidArgument: malformed; the message says how, and never repeats any part of the text,
/// because a password may stand anywhere in a malformed one.
Result<HiredisOptions> ParseRedisUrl(std::string_view url);

/// Makes a connector; connects to nothing yet. `runtime` must outlive it and its connections.
/// kInvalidArgument: an option is out of range; the message never shows the password.
///
/// Connect honours the earlier of its deadline and `connect_timeout`. A connection's `broken()`
/// asks the kernel whether an idle peer has closed (at most one system call, and none within a
/// millisecond of the last reply; never waits), so that a pool can ask before each use.
Result<std::unique_ptr<Connector>> MakeHiredisConnector(Runtime& runtime, HiredisOptions options);

/// The same for a URL.
Result<std::unique_ptr<Connector>> MakeHiredisConnector(Runtime& runtime, std::string_view url);

/// A way to connect to any node of one kind, for SentinelConnector and ClusterConnector: `common`
/// with the host and port of that node. Fails as above.
Result<ConnectNode> MakeHiredisNodes(Runtime& runtime, HiredisOptions common);

}  // namespace interlock
