// SPDX-License-Identifier: MIT
//
// Hazard: in a malformed URL the password may stand where a host or a port belongs
// ("redis://user:se/ cret@host"). Messages therefore name the part that is wrong and never quote
// it.
#include "src/redis_url.h"

#include <sys/un.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "src/tls.h"

namespace interlock {
namespace {

constexpr std::string_view kTcpScheme = "redis://";
constexpr std::string_view kTlsScheme = "rediss://";
constexpr std::string_view kUnixScheme = "redis+unix://";
constexpr int kMaxPort = 65535;

Status Invalid(std::string_view what) {
  return Status(StatusCode::kInvalidArgument, std::string(what));
}

Status Malformed(std::string_view what) {
  return Invalid("malformed Redis URL: " + std::string(what));
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> PercentDecode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i]);
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = HexDigit(text[i + 1]);
    const int low = HexDigit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    decoded.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return decoded;
}

Status DecodeInto(std::string_view text, std::string_view part, std::string& target) {
  std::optional<std::string> decoded = PercentDecode(text);
  if (!decoded) {
    return Malformed("the " + std::string(part) + " has a '%' that two hex digits do not follow");
  }
  target = *std::move(decoded);
  return Status();
}

// Digits only: neither sign nor space, which from_chars would partly let through.
std::optional<int> ParseNumber(std::string_view text) {
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
  }
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Status ParseDatabase(std::string_view text, int& database) {
  const std::optional<int> value = ParseNumber(text);
  if (!value) return Malformed("the database is not a number from 0 to 2147483647");
  database = *value;
  return Status();
}

Status ParseCredentials(std::string_view text, HiredisOptions& options) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    return Malformed("credentials need the form user:password@ or :password@");
  }
  if (Status s = DecodeInto(text.substr(0, colon), "user", options.user); !s.ok()) return s;
  return DecodeInto(text.substr(colon + 1), "password", options.password);
}

Status ParsePort(std::string_view text, int& port) {
  const std::optional<int> value = ParseNumber(text);
  if (!value || *value < 1 || *value > kMaxPort) {
    return Malformed("the port is not a number from 1 to 65535");
  }
  port = *value;
  return Status();
}

Status ParseHostAndPort(std::string_view text, HiredisOptions& options) {
  std::string_view host = text;
  std::string_view rest;
  if (!text.empty() && text.front() == '[') {
    const std::size_t bracket = text.find(']');
    if (bracket == std::string_view::npos)
      return Malformed("the ']' of the IPv6 address is missing");
    host = text.substr(1, bracket - 1);
    rest = text.substr(bracket + 1);
    if (host.empty()) return Malformed("the IPv6 address is empty");
    if (!rest.empty() && rest.front() != ':') {
      return Malformed("only ':' and a port may follow the ']' of the IPv6 address");
    }
  } else if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    host = text.substr(0, colon);
    rest = text.substr(colon);
    if (rest.find(':', 1) != std::string_view::npos) {
      return Malformed("an IPv6 address must stand in brackets, as in [::1]");
    }
  }
  if (!host.empty()) {
    if (Status s = DecodeInto(host, "host", options.host); !s.ok()) return s;
  }
  return rest.empty() ? Status() : ParsePort(rest.substr(1), options.port);
}

// Splits "user:password@rest" at the last '@' before the path; what is left stays in `rest`.
Status TakeCredentials(std::string_view& rest, HiredisOptions& options) {
  const std::size_t end = rest.find_first_of("/?#");
  const std::size_t at = rest.substr(0, end).rfind('@');
  if (at != std::string_view::npos) {
    if (Status s = ParseCredentials(rest.substr(0, at), options); !s.ok()) return s;
    rest.remove_prefix(at + 1);
  } else if (end != std::string_view::npos && rest.find('@', end) != std::string_view::npos &&
             rest.substr(0, end).find(':') != std::string_view::npos) {
    return Malformed("'/', '?' and '#' in a user or password must be percent-encoded");
  }
  return Status();
}

Status ParseTlsParameter(std::string_view parameter, HiredisOptions& options) {
  const std::size_t equals = std::min(parameter.find('='), parameter.size());
  const std::string_view name = parameter.substr(0, equals);
  const std::string_view value = parameter.substr(std::min(equals + 1, parameter.size()));
  if (name == "ca") return DecodeInto(value, "parameter ca", options.tls_ca_file);
  if (name == "cert") return DecodeInto(value, "parameter cert", options.tls_cert_file);
  if (name == "key") return DecodeInto(value, "parameter key", options.tls_key_file);
  if (name == "sni") return DecodeInto(value, "parameter sni", options.tls_server_name);
  return Malformed("the parameters of rediss:// are ca, cert, key and sni");
}

// The query of rediss://, which is taken off `rest`.
Status TakeTlsParameters(std::string_view& rest, HiredisOptions& options) {
  options.tls = true;
  const std::size_t question = rest.find('?');
  if (question == std::string_view::npos) return Status();
  std::string_view query = rest.substr(question + 1);
  rest = rest.substr(0, question);
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    if (Status s = ParseTlsParameter(query.substr(0, end), options); !s.ok()) return s;
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return Status();
}

Result<HiredisOptions> ParseTcp(std::string_view rest, bool tls) {
  HiredisOptions options;
  if (Status s = TakeCredentials(rest, options); !s.ok()) return s;
  if (tls) {
    if (Status s = TakeTlsParameters(rest, options); !s.ok()) return s;
  }
  if (rest.find_first_of("?#") != std::string_view::npos) {
    return Malformed("a query or fragment is not supported here; the database is given as /N");
  }
  const std::size_t slash = rest.find('/');
  if (Status s = ParseHostAndPort(rest.substr(0, slash), options); !s.ok()) return s;
  if (slash != std::string_view::npos && slash + 1 < rest.size()) {
    if (Status s = ParseDatabase(rest.substr(slash + 1), options.database); !s.ok()) return s;
  }
  return options;
}

Result<HiredisOptions> ParseUnix(std::string_view rest) {
  HiredisOptions options;
  if (Status s = TakeCredentials(rest, options); !s.ok()) return s;
  if (rest.empty() || rest.front() != '/') {
    return Malformed("redis+unix:// needs the absolute path of a socket");
  }
  const std::size_t question = rest.find('?');
  if (Status s = DecodeInto(rest.substr(0, question), "path", options.unix_path); !s.ok()) return s;
  if (question != std::string_view::npos) {
    constexpr std::string_view kDatabase = "db=";
    const std::string_view query = rest.substr(question + 1);
    if (!query.starts_with(kDatabase)) return Malformed("the only parameter is db, as in ?db=0");
    if (Status s = ParseDatabase(query.substr(kDatabase.size()), options.database); !s.ok()) {
      return s;
    }
  }
  return options;
}

bool HasNul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

Status CheckTls(const HiredisOptions& options) {
  if (!options.tls) {
    const bool given = !options.tls_ca_file.empty() || !options.tls_cert_file.empty() ||
                       !options.tls_key_file.empty() || !options.tls_server_name.empty();
    return given ? Invalid("options of TLS are given, but not tls itself") : Status();
  }
  if (!TlsBuiltIn()) return Invalid(kNoTls);
  if (!options.unix_path.empty()) return Invalid("there is no TLS on a unix socket");
  if (options.tls_ca_file.empty()) {
    return Invalid("TLS needs tls_ca_file, in a URL ?ca=: the authorities that are trusted");
  }
  if (options.tls_cert_file.empty() != options.tls_key_file.empty()) {
    return Invalid("tls_cert_file and tls_key_file go together");
  }
  for (const std::string* text : {&options.tls_ca_file, &options.tls_cert_file,
                                  &options.tls_key_file, &options.tls_server_name}) {
    if (HasNul(*text)) return Invalid("an option of TLS contains a NUL byte");
  }
  return Status();
}

}  // namespace

Result<HiredisOptions> ParseRedisUrl(std::string_view url) {
  Result<HiredisOptions> options = Malformed(
      "it must begin with redis://, rediss:// or redis+unix:// (for a Sentinel or a "
      "Cluster see SentinelConnector, ClusterConnector)");
  if (url.starts_with(kTcpScheme)) options = ParseTcp(url.substr(kTcpScheme.size()), false);
  if (url.starts_with(kTlsScheme)) options = ParseTcp(url.substr(kTlsScheme.size()), true);
  if (url.starts_with(kUnixScheme)) options = ParseUnix(url.substr(kUnixScheme.size()));
  if (!options.ok()) return options;
  if (options->tls && !TlsBuiltIn()) return Invalid("rediss://: " + std::string(kNoTls));
  if (Status s = CheckHiredisOptions(*options); !s.ok()) return Malformed(s.message());
  return options;
}

Status CheckHiredisOptions(const HiredisOptions& options) {
  if (options.unix_path.empty()) {
    if (options.host.empty()) return Invalid("the host is empty");
    if (HasNul(options.host)) return Invalid("the host contains a NUL byte");
    if (options.port < 1 || options.port > kMaxPort) {
      return Invalid("the port is not a number from 1 to 65535");
    }
  } else {
    constexpr std::size_t kMaxPath = sizeof(sockaddr_un{}.sun_path) - 1;
    if (HasNul(options.unix_path)) return Invalid("the path of the socket contains a NUL byte");
    if (options.unix_path.size() > kMaxPath) {
      return Invalid("the path of the socket is longer than " + std::to_string(kMaxPath) +
                     " bytes");
    }
  }
  if (!options.user.empty() && options.password.empty()) {
    return Invalid("a user without a password");
  }
  if (options.database < 0) return Invalid("the database is negative");
  if (options.connect_timeout <= Duration::zero()) {
    return Invalid("connect_timeout must be positive");
  }
  if (options.send_timeout <= Duration::zero()) return Invalid("send_timeout must be positive");
  if (options.busy_wait < Duration::zero() || options.busy_wait > std::chrono::milliseconds(1)) {
    return Invalid("busy_wait must be 0 to 1 ms");
  }
  if (options.keep_alive.count() < 0 ||
      options.keep_alive.count() > std::numeric_limits<std::int16_t>::max()) {
    return Invalid("keep_alive must be from 0 to 32767 seconds");
  }
  return CheckTls(options);
}

std::string FormatEndpoint(const HiredisOptions& options) {
  const std::string database = std::to_string(options.database);
  if (!options.unix_path.empty()) {
    return std::string(kUnixScheme) + options.unix_path + "?db=" + database;
  }
  return std::string(options.tls ? kTlsScheme : kTcpScheme) +
         NodeAddress{options.host, options.port}.ToString() + "/" + database;
}

}  // namespace interlock
