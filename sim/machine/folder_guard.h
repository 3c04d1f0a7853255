// SPDX-License-Identifier: MIT
//
// A temporary folder that is gone when its maker is, however that ended: a small process waits for
// the end of a pipe, which the kernel closes with its writer, and removes the folder then.
//
// Guarantee: the destructor returns when the folder is gone; after a SIGKILL it goes a moment
// later. Ctrl-C reaches the maker alone. Non-guarantee: a forked copy of the maker holds the pipe
// as well, so the folder is gone only after the last of them. Thread safety: none.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include <interlock/result.h>

namespace interlock::sim::machine {

class FolderGuard {
 public:
  /// Makes a folder whose name begins with `name`, where temporary files belong. kUnavailable:
  /// there is no room, or no process.
  static Result<std::unique_ptr<FolderGuard>> Make(const std::string& name);

  ~FolderGuard();
  FolderGuard(const FolderGuard&) = delete;
  FolderGuard& operator=(const FolderGuard&) = delete;

  const std::string& path() const { return path_; }

 private:
  FolderGuard(std::string path, int pipe, pid_t remover);

  const std::string path_;
  const int pipe_;
  const pid_t remover_;
};

}  // namespace interlock::sim::machine
