// SPDX-License-Identifier: MIT
//
// A temporary folder that disappears with its maker, however that ends: a small process waits for
// the end of a pipe, which the kernel closes with its writer, and then removes the folder.
//
// Guarantee: the destructor returns when the folder is gone; after a SIGKILL it is removed a moment
// later. Only the maker receives Ctrl-C. Non-guarantee: a fork of the maker also holds the pipe, so
// the folder is removed only after the last of them ends. Thread safety: none.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include <interlock/result.h>

namespace interlock::sim::machine {

class FolderGuard {
 public:
  /// Makes a folder whose name begins with `name`, among the system's temporary files.
  /// kUnavailable: no space, or no process.
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
