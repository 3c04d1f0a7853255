// SPDX-License-Identifier: MIT
//
// What `interlock report --view` answers to a browser: the files below one folder, to be read.
//
// Guarantee: a request never leads out of the folder: each part of its path is opened by itself, is
// never "..", and no symbolic link is followed, whatever happens on disk meanwhile. A request that
// names another host is refused, so that no page of the Internet can read the files by a name that
// it has made to mean this machine (DNS rebinding). Nothing is written, nothing is run.
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
/// The one port of this machine that ui.perfetto.dev fetches traces from.
inline constexpr int kPerfettoPort = 9001;

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  bool without_body = false;  ///< of a HEAD request
};

class ViewFolder {
 public:
  /// kInvalidArgument: it is no folder, or cannot be read.
  static Result<ViewFolder> Open(const std::string& path);

  /// `head`: a request up to its empty line. `port`: where it came in.
  HttpAnswer Answer(std::string_view head, int port) const;

 private:
  explicit ViewFolder(reports::Descriptor folder) : folder_(std::move(folder)) {}
  HttpAnswer AnswerPath(std::string_view target, int port) const;

  reports::Descriptor folder_;
};

/// As it goes over the wire; the connection is closed behind it.
std::string ToBytes(const HttpAnswer& answer);

/// "/a%20b/c?x" is {"a b", "c"}; nullopt: it is no path, or leads out.
std::optional<std::vector<std::string>> PartsOfTarget(std::string_view target);

/// "text/html; charset=utf-8"; what it does not know is offered for download.
std::string_view ContentTypeOf(std::string_view file_name);

}  // namespace interlock::scenarios::cli
