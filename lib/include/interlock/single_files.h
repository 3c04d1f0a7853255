// SPDX-License-Identifier: MIT
//
// SingleFiles: one configuration for all the SingleFiles of a process, and the connections to their
// servers.
//
//   ThreadRuntime runtime;
//   SingleFiles files(runtime, {.expire_in = std::chrono::seconds(60), .host = "queue.internal"});
//   Result<SingleFile> jobs = files.Make();
//   Result<SingleFile> import = files.Make([](auto& options) { options.name = "nightly-import"; });
//
// Guarantee: an instance's changes are its own; all that name the same host and port share one
// Client, made with the first of them. Nothing is connected before it is needed. Not offered:
// passwords, TLS, sockets, Sentinel, Cluster; for those use a Client on a Connector of your own,
// and SingleFile::Create.
//
// Cost: as SingleFile's. Thread safety: may be used from any task. Must outlive what it made, and
// the leases of that.
#pragma once

#include <functional>
#include <memory>

#include <interlock/client_options.h>
#include <interlock/options.h>
#include <interlock/result.h>
#include <interlock/runtime.h>
#include <interlock/single_file.h>

namespace interlock {

class SingleFiles {
 public:
  /// Sends nothing. `runtime` must outlive it. `clients` are the options of every Client that it
  /// makes.
  explicit SingleFiles(Runtime& runtime, SingleFileOptions defaults = {},
                       ClientOptions clients = {});
  ~SingleFiles();
  SingleFiles(const SingleFiles&) = delete;
  SingleFiles& operator=(const SingleFiles&) = delete;

  /// A SingleFile with the configuration as it was given, or with a copy of it that `change` has
  /// changed. Sends nothing. kInvalidArgument: an option, host or port among them, is out of its
  /// range.
  Result<SingleFile> Make(const std::function<void(SingleFileOptions&)>& change = {});

  const SingleFileOptions& defaults() const { return defaults_; }

 private:
  class Servers;

  const SingleFileOptions defaults_;
  const std::unique_ptr<Servers> servers_;
};

}  // namespace interlock
