// SPDX-License-Identifier: MIT
#include "scenarios/cli/view_answer.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/formats.h"
#include "reports/html_index.h"
#include "scenarios/cli/values.h"
#include "sim/redis/text.h"

namespace interlock::scenarios::cli {
namespace {

using reports::Descriptor;
using sim::redis::EqualsIgnoreCase;

constexpr off_t kMostBytes = off_t{512} << 20;
constexpr std::size_t kMostListed = 2'000;

std::string_view ReasonOf(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 301:
      return "Moved Permanently";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 413:
      return "Content Too Large";
    case 431:
      return "Request Header Fields Too Large";
    default:
      return "Internal Server Error";
  }
}

HttpAnswer Refusal(int status, std::string why) {
  HttpAnswer answer;
  answer.status = status;
  answer.body = std::move(why) + "\n";
  return answer;
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// The value of the single header of that name; nullopt: none, or several.
std::optional<std::string_view> HeaderOf(std::string_view head, std::string_view lower_case) {
  std::optional<std::string_view> value;
  while (!head.empty()) {
    const std::size_t end = std::min(head.find("\r\n"), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 2, head.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !EqualsIgnoreCase(line.substr(0, colon), lower_case))
      continue;
    if (value) return std::nullopt;
    value = Trimmed(line.substr(colon + 1));
  }
  return value;
}

bool IsOurHost(std::string_view host, int port) {
  return host == fmt::format("127.0.0.1:{}", port) || host == fmt::format("localhost:{}", port);
}

int HexOf(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

std::optional<std::string> Decoded(std::string_view part) {
  std::string text;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] != '%') {
      text += part[i];
      continue;
    }
    const int high = i + 2 < part.size() ? HexOf(part[i + 1]) : -1;
    const int low = i + 2 < part.size() ? HexOf(part[i + 2]) : -1;
    if (high < 0 || low < 0) return std::nullopt;
    text += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return text;
}

std::string Joined(const std::vector<std::string>& parts) {
  std::string path;
  for (const std::string& part : parts) path += "/" + part;
  return path;
}

std::optional<std::string> ReadAll(int fd, std::size_t size) {
  std::string content(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    const ssize_t got = ::read(fd, content.data() + have, size - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  content.resize(have);
  return content;
}

/// The content of an open file, which is closed.
HttpAnswer AnswerFile(Descriptor file, std::string_view name, off_t size) {
  if (size > kMostBytes) return Refusal(413, "this file is too large to be shown here");
  auto content = ReadAll(file.get(), static_cast<std::size_t>(size));
  if (!content) return Refusal(500, "this file cannot be read");
  HttpAnswer answer;
  answer.type = reports::MediaTypeOf(name);
  answer.body = std::move(*content);
  // Perfetto's UI reads traces from here, with permission; nobody else does.
  if (name.ends_with(".pftrace")) {
    answer.headers.emplace_back("Access-Control-Allow-Origin", "https://ui.perfetto.dev");
  }
  return answer;
}

/// Files and folders in it, sorted by name, folders with a trailing slash.
std::vector<std::string> NamesIn(Descriptor folder) {
  std::vector<std::string> names;
  DIR* raw = ::fdopendir(folder.get());
  if (raw == nullptr) return names;
  folder.Take();
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(raw, &::closedir);
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string name = entry->d_name;
    struct stat about {};
    if (name.starts_with('.') ||
        ::fstatat(::dirfd(stream.get()), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    if (S_ISDIR(about.st_mode)) names.push_back(name + "/");
    if (S_ISREG(about.st_mode)) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

HttpAnswer AnswerFolder(Descriptor folder, const std::vector<std::string>& parts, int port) {
  const std::vector<std::string> names = NamesIn(std::move(folder));
  const std::string path = Joined(parts) + "/";
  std::vector<reports::IndexRow> rows;
  if (!parts.empty()) rows.push_back({"", "the folder above", {{"../", "../"}}});
  for (const std::string& name : names) {
    if (rows.size() == kMostListed) {
      rows.push_back({"", fmt::format("and {} more", names.size() - kMostListed), {}});
      break;
    }
    // "./", because a name with a colon would be taken for a scheme.
    rows.push_back({"", std::string(reports::MediaTypeOf(name)), {{name, "./" + name}}});
    if (name.ends_with("/")) rows.back().about = "folder";
    if (!name.ends_with(".pftrace")) continue;
    rows.back().about = "a trace for ui.perfetto.dev";
    if (port != kPerfettoPort) continue;
    const std::string url =
        fmt::format("http://127.0.0.1:{}{}", port, reports::PercentEncoded(path + name));
    rows.back().links.push_back(
        {"open it in ui.perfetto.dev", "https://ui.perfetto.dev/#!/?url=" + url, true});
  }
  HttpAnswer answer;
  answer.type = reports::MediaTypeOf("index.html");
  answer.body = reports::ToHtmlIndex("files in " + path, rows);
  return answer;
}

}  // namespace

std::optional<std::vector<std::string>> PartsOfTarget(std::string_view target) {
  target = target.substr(0, target.find_first_of("?#"));
  if (!target.starts_with('/')) return std::nullopt;
  std::vector<std::string> parts;
  while (!target.empty()) {
    target.remove_prefix(1);  // the slash
    const std::size_t end = std::min(target.find('/'), target.size());
    auto part = Decoded(target.substr(0, end));
    target.remove_prefix(end);
    if (!part) return std::nullopt;
    if (part->empty()) continue;
    const bool leads_out =
        *part == ".." || part->find_first_of(std::string_view("/\0", 2)) != std::string::npos;
    if (leads_out || part->starts_with('.')) return std::nullopt;
    parts.push_back(std::move(*part));
  }
  return parts;
}

Result<ViewFolder> ViewFolder::Open(const std::string& path) {
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) {
    return Invalid(fmt::format("cannot show {}: {}", reports::SafeForTerminal(path, true),
                               std::generic_category().message(errno)));
  }
  return ViewFolder(std::move(folder));
}

HttpAnswer ViewFolder::AnswerPath(std::string_view target, int port) const {
  const auto parts = PartsOfTarget(target);
  if (!parts) return Refusal(400, "there is no such path");
  Descriptor at(::openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat about {};
  for (const std::string& part : *parts) {
    // Rejects links, and does not wait on a pipe without a writer.
    Descriptor next(
        ::openat(at.get(), part.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (next.get() < 0) {
      if (parts->size() == 1 && part == "favicon.ico") return HttpAnswer{204, "", "", {}};
      return Refusal(errno == EACCES ? 403 : 404, "there is nothing to show here");
    }
    at = std::move(next);
  }
  if (at.get() < 0 || ::fstat(at.get(), &about) != 0) return Refusal(500, "it cannot be read");
  if (S_ISREG(about.st_mode)) return AnswerFile(std::move(at), parts->back(), about.st_size);
  if (!S_ISDIR(about.st_mode)) return Refusal(404, "there is nothing to show here");
  if (!target.substr(0, target.find_first_of("?#")).ends_with('/')) {
    HttpAnswer moved = Refusal(301, "this is a folder");
    moved.headers.emplace_back("Location", reports::PercentEncoded(Joined(*parts) + "/"));
    return moved;
  }
  Descriptor index(
      ::openat(at.get(), "index.html", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (index.get() >= 0 && ::fstat(index.get(), &about) == 0 && S_ISREG(about.st_mode)) {
    return AnswerFile(std::move(index), "index.html", about.st_size);
  }
  return AnswerFolder(std::move(at), *parts, port);
}

HttpAnswer ViewFolder::Answer(std::string_view head, int port) const {
  const std::string_view line = head.substr(0, head.find("\r\n"));
  const std::size_t first = line.find(' ');
  const std::size_t second = line.rfind(' ');
  if (first == std::string_view::npos || first == 0 || second <= first ||
      !line.substr(second + 1).starts_with("HTTP/1.")) {
    return Refusal(400, "this is no HTTP/1.1 request");
  }
  const std::string_view method = line.substr(0, first);
  if (method != "GET" && method != "HEAD") {
    HttpAnswer refused = Refusal(405, "files here are only read");
    refused.headers.emplace_back("Allow", "GET, HEAD");
    return refused;
  }
  const auto host = HeaderOf(head.substr(std::min(line.size() + 2, head.size())), "host");
  HttpAnswer answer = host && IsOurHost(*host, port)
                          ? AnswerPath(line.substr(first + 1, second - first - 1), port)
                          : Refusal(403, fmt::format("ask for http://127.0.0.1:{}/", port));
  answer.without_body = method == "HEAD";
  return answer;
}

std::string ToBytes(const HttpAnswer& answer) {
  std::string bytes = fmt::format("HTTP/1.1 {} {}\r\n", answer.status, ReasonOf(answer.status));
  if (!answer.type.empty()) bytes += fmt::format("Content-Type: {}\r\n", answer.type);
  bytes += fmt::format("Content-Length: {}\r\n", answer.body.size());
  // Pages have their own policy; other files in the folder may load nothing else from it.
  bytes +=
      "Content-Security-Policy: connect-src 'none'; img-src 'none'; object-src 'none'; "
      "frame-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
      "X-Content-Type-Options: nosniff\r\nCross-Origin-Opener-Policy: same-origin\r\n"
      "Referrer-Policy: no-referrer\r\nCache-Control: no-store\r\nConnection: close\r\n";
  for (const auto& [name, value] : answer.headers) bytes += fmt::format("{}: {}\r\n", name, value);
  bytes += "\r\n";
  if (!answer.without_body) bytes += answer.body;
  return bytes;
}

}  // namespace interlock::scenarios::cli
