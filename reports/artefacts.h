// SPDX-License-Identifier: MIT
//
// Writes the files of a run so that a reader never meets half of one.
//
//   if (auto error = WriteArtefact(out_dir, "run.json", ToJson(report))) Warn(error->ToString());
//
// Guarantee: a regular file appears whole or not at all, and after success survives a loss of power
// as far as the file system keeps its word. A full disk or a read-only folder is an error value: it
// throws nothing and changes no verdict. Non-guarantee: a device or a pipe (/dev/stdout) is written
// in place, so part of the content may have gone out before an error.
// Thread safety: any number of threads and processes, also for one target; the last rename wins.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace interlock::reports {

struct ArtefactError {
  std::filesystem::path path;
  std::string step;    ///< what was being done: "create", "write", "flush", "rename"
  std::string reason;  ///< the system's words: "No space left on device"

  /// "cannot write out/run.json: No space left on device (flush)"
  std::string ToString() const;
};

/// Replaces `path` by `content`; its folder is made if needed. A symbolic link at `path` is
/// followed only to a device or a pipe, otherwise it is replaced. nullopt on success.
[[nodiscard]] std::optional<ArtefactError> WriteFileAtomically(const std::filesystem::path& path,
                                                               std::string_view content);

/// Same, for a name below an output folder. A name that would lead out of the folder (absolute, or
/// with "..") is an error: names are partly made of what the code under test is called.
[[nodiscard]] std::optional<ArtefactError> WriteArtefact(const std::filesystem::path& directory,
                                                         std::string_view name,
                                                         std::string_view content);

}  // namespace interlock::reports
