// SPDX-License-Identifier: MIT
//
// The replies of `interlock report --view` to a browser: read-only access to the files below one
// folder.
//
// Guarantee: a request never leads out of the folder: each part of its path is opened separately
// and is never "..", and no symbolic link is followed, whatever happens on disk meanwhile. A
// request that names another host is refused, so that no web page can read the files through a name
// that it has made resolve to this machine (DNS rebinding). Nothing is written, nothing is run.
// Thread safety: Answer may be called from several threads.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <interlock/result.h>

#include "reports/descriptor.h"

namespace interlock::scenarios::cli {

inline constexpr std::size_t kMostHeadBytes = 16'384;
/// The only local port from which ui.perfetto.dev fetches traces.
inline constexpr int kPerfettoPort = 9001;

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  bool without_body = false;  ///< for a HEAD request
};

class ViewFolder {
 public:
  /// kInvalidArgument: it is not a folder, or cannot be read.
  static Result<ViewFolder> Open(const std::string& path);

  /// `head` is a request up to its empty line, `port` the port on which it came in.
  HttpAnswer Answer(std::string_view head, int port) const;

 private:
  explicit ViewFolder(reports::Descriptor folder) : folder_(std::move(folder)) {}
  HttpAnswer AnswerPath(std::string_view target, int port) const;

  reports::Descriptor folder_;
};

/// The bytes sent over the wire; the connection is closed after them.
std::string ToBytes(const HttpAnswer& answer);

/// "/a%20b/c?x" becomes {"a b", "c"}; nullopt: it is not a path, or leads out of the folder.
std::optional<std::vector<std::string>> PartsOfTarget(std::string_view target);

}  // namespace interlock::scenarios::cli
