// SPDX-License-Identifier: MIT
//
// Writes the files of a run so that a reader never meets half of one.
//
//   if (auto error = WriteArtefact(out_dir, "run.json", ToJson(report))) Warn(error->ToString());
//
// Guarantee: a regular file appears whole or not at all, and after success survives a power loss as
// far as the file system keeps its word. A full disk or a read-only folder is reported as an error
// value; nothing is thrown, and no verdict changes. Non-guarantee: a device or a pipe (/dev/stdout)
// is written in place, so part of the content may have gone out before an error.
// Thread safety: any number of threads and processes, even for the same target; the last rename
// wins.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace interlock::reports {

struct ArtefactError {
  std::filesystem::path path;
  std::string step;    ///< the step that failed: "create", "write", "flush", "rename"
  std::string reason;  ///< the system's message: "No space left on device"

  /// "cannot write out/run.json: No space left on device (flush)"
  std::string ToString() const;
};

/// Replaces `path` with `content`, creating its folder if needed. A symbolic link at `path` is
/// followed only to a device or a pipe, otherwise it is replaced. nullopt on success.
[[nodiscard]] std::optional<ArtefactError> WriteFileAtomically(const std::filesystem::path& path,
                                                               std::string_view content);

/// The same for a name below an output folder. A name that would lead out of the folder (absolute,
/// or with "..") is an error, because names are partly taken from the code under test.
[[nodiscard]] std::optional<ArtefactError> WriteArtefact(const std::filesystem::path& directory,
                                                         std::string_view name,
                                                         std::string_view content);

}  // namespace interlock::reports
