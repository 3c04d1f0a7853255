// SPDX-License-Identifier: MIT
#include "reports/artefacts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "reports/descriptor.h"
#include "reports/escape.h"

namespace interlock::reports {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxTemporaryNames = 1000;

std::string SystemReason(int error) { return std::generic_category().message(error); }

ArtefactError ErrorFor(const fs::path& path, std::string_view step, int error) {
  return ArtefactError{path, std::string(step), SystemReason(error)};
}

/// 0, or errno.
int WriteAll(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// 0, or errno. Pipes, terminals and some file systems have no fsync, and answer EINVAL.
int Flush(int fd) {
  while (::fsync(fd) != 0) {
    if (errno == EINVAL || errno == ENOTSUP) return 0;
    if (errno != EINTR) return errno;
  }
  return 0;
}

std::optional<ArtefactError> WriteInPlace(const fs::path& path, std::string_view content) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) return ErrorFor(path, "create", errno);
  if (const int error = WriteAll(file.get(), content)) return ErrorFor(path, "write", error);
  if (const int error = file.Close()) return ErrorFor(path, "write", error);
  return std::nullopt;
}

struct Temporary {
  fs::path path;
  int fd = -1;
  int error = 0;
};

// The name is short and independent of the target's, which may be as long as the system allows.
Temporary CreateTemporary(const fs::path& folder) {
  Temporary temporary;
  for (int n = 0; n < kMaxTemporaryNames; ++n) {
    temporary.path = folder / fmt::format(".interlock-{}-{}.tmp", ::getpid(), n);
    temporary.fd = ::open(temporary.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (temporary.fd >= 0) return temporary;
    temporary.error = errno;
    if (temporary.error != EEXIST) return temporary;
  }
  return temporary;
}

std::optional<ArtefactError> FillAndRename(const fs::path& path, const Temporary& temporary,
                                           std::string_view content) {
  Descriptor file(temporary.fd);
  if (const int error = WriteAll(file.get(), content)) return ErrorFor(path, "write", error);
  if (const int error = Flush(file.get())) return ErrorFor(path, "flush", error);
  if (const int error = file.Close()) return ErrorFor(path, "flush", error);
  if (::rename(temporary.path.c_str(), path.c_str()) != 0) return ErrorFor(path, "rename", errno);
  return std::nullopt;
}

// Makes the new name durable. The content is safe by then, so a folder that cannot be opened or
// flushed is not a failure of the file.
void FlushFolder(const fs::path& folder) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.get() >= 0) Flush(descriptor.get());
}

}  // namespace

std::string ArtefactError::ToString() const {
  return fmt::format("cannot write {}: {} ({})", SafeForTerminal(path.string(), true), reason,
                     step);
}

std::optional<ArtefactError> WriteFileAtomically(const fs::path& path, std::string_view content) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) return ErrorFor(path, "create", EISDIR);
  if (fs::is_other(status)) return WriteInPlace(path, content);

  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  fs::create_directories(folder, error);
  if (error) return ErrorFor(path, "create folder", error.value());

  const Temporary temporary = CreateTemporary(folder);
  if (temporary.fd < 0) return ErrorFor(path, "create", temporary.error);
  std::optional<ArtefactError> failed = FillAndRename(path, temporary, content);
  if (failed) {
    ::unlink(temporary.path.c_str());
  } else {
    FlushFolder(folder);
  }
  return failed;
}

std::optional<ArtefactError> WriteArtefact(const fs::path& directory, std::string_view name,
                                           std::string_view content) {
  const fs::path relative(name);
  bool inside = !relative.empty() && relative.is_relative() && relative.has_filename() &&
                name.find('\0') == std::string_view::npos;
  for (const fs::path& part : relative) inside = inside && part != ".." && part != ".";
  if (!inside) return ArtefactError{directory / relative, "name", "not a name below the folder"};
  return WriteFileAtomically(directory / relative, content);
}

}  // namespace interlock::reports
