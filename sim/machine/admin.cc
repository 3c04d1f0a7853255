// SPDX-License-Identifier: MIT
#include "sim/machine/admin.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <charconv>
#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace interlock::sim::machine {
namespace {

constexpr Duration kAdminPatience = std::chrono::seconds(2);

Status Unsuitable(std::string what) { return Status(StatusCode::kUnavailable, std::move(what)); }

/// The value of a line "name:value" of INFO.
std::optional<std::string_view> Field(std::string_view info, std::string_view name) {
  const std::string wanted = fmt::format("\n{}:", name);
  const std::size_t at = info.find(wanted);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = info.substr(at + wanted.size());
  return rest.substr(0, rest.find_first_of("\r\n"));
}

/// 602 for "6.2.14"; 0 for text that is not a version.
int VersionOf(std::string_view text) {
  int major = 0;
  int minor = 0;
  const char* const end = text.data() + text.size();
  const auto dot = std::from_chars(text.data(), end, major);
  if (dot.ec != std::errc() || dot.ptr == end || *dot.ptr != '.') return 0;
  if (std::from_chars(dot.ptr + 1, end, minor).ec != std::errc()) return 0;
  return major * 100 + minor;
}

}  // namespace

Admin::Admin(Runtime& runtime, std::unique_ptr<Connector> connector,
             std::unique_ptr<Connection> connection)
    : runtime_(&runtime), connector_(std::move(connector)), connection_(std::move(connection)) {}

Result<Admin> Admin::Open(Runtime& runtime, const HiredisOptions& options) {
  Result<std::unique_ptr<Connector>> connector = MakeHiredisConnector(runtime, options);
  if (!connector.ok()) return connector.status();
  auto connection = (*connector)->Connect(AddSaturating(runtime.Now(), kAdminPatience));
  if (!connection.ok()) return connection.status();
  return Admin(runtime, std::move(connector).value(), std::move(connection).value());
}

Result<Reply> Admin::Call(const std::vector<std::string_view>& words) {
  Result<Reply> reply = connection_->Call(words, AddSaturating(runtime_->Now(), kAdminPatience));
  if (!reply.ok()) {
    return Unsuitable(fmt::format("{}: {}", words.front(), reply.status().message()));
  }
  if (reply->IsError()) {
    return Unsuitable(
        fmt::format("{} answered {}: {}", connector_->endpoint(), words.front(), reply->text));
  }
  return reply;
}

bool IsOnThisMachine(const HiredisOptions& options) {
  if (!options.unix_path.empty() || options.host == "localhost") return true;
  in_addr v4{};
  if (inet_pton(AF_INET, options.host.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == 127;
  in6_addr v6{};
  return inet_pton(AF_INET6, options.host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

Result<HiredisOptions> ParseTarget(std::string_view url, bool allow_remote) {
  Result<HiredisOptions> options = ParseRedisUrl(url);
  if (!options.ok()) return options.status();
  if (!allow_remote && !IsOnThisMachine(*options)) {
    return Status(
        StatusCode::kInvalidArgument,
        fmt::format("{} is not this machine (127.0.0.0/8, ::1, localhost or a Unix socket); "
                    "the check writes keys there, so it wants --allow-remote",
                    options->host));
  }
  return options;
}

Result<std::vector<HiredisOptions>> ParseTargets(std::string_view urls, bool allow_remote) {
  std::vector<HiredisOptions> servers;
  for (;;) {
    const std::string_view url = urls.substr(0, urls.find(','));
    auto options = ParseTarget(url, allow_remote);
    if (!options.ok()) return options.status();
    servers.push_back(std::move(options).value());
    if (url.size() == urls.size()) return servers;
    urls.remove_prefix(url.size() + 1);
  }
}

Result<ServerVersion> VersionOf(Admin& admin) {
  const Result<Reply> info = admin.Call({"INFO"});
  if (!info.ok()) return info.status();
  // Valkey has both: the other one says which Redis it is compatible with.
  if (const auto valkey = Field(info->text, "valkey_version")) {
    return ServerVersion{true, std::string(*valkey)};
  }
  const auto redis = Field(info->text, "redis_version");
  if (!redis.has_value()) return Unsuitable("the server does not call itself Redis");
  return ServerVersion{false, std::string(*redis)};
}

Status CheckServer(Runtime& runtime, const HiredisOptions& options, const std::string& prefix) {
  Result<Admin> admin = Admin::Open(runtime, options);
  if (!admin.ok()) return admin.status();
  const Result<Reply> info = admin->Call({"INFO"});
  if (!info.ok()) return info.status();
  const auto version = Field(info->text, "redis_version");
  if (!version.has_value()) return Unsuitable("the server does not call itself Redis");
  if (VersionOf(*version) < 602) {
    return Unsuitable(fmt::format(
        "the server calls itself Redis {}, which is older than all that are tried", *version));
  }
  if (Field(info->text, "redis_mode") == "cluster") {
    return Unsuitable("the server is a node of a Redis Cluster; a single server is needed");
  }
  // Removes nothing, but fails all the same on a replica or for a user without write access.
  const Result<Reply> write = admin->Call({"UNLINK", prefix + "none"});
  if (!write.ok() && write.status().message().find("READONLY") != std::string::npos) {
    return Unsuitable("the server is a read-only replica; the check needs its master");
  }
  if (!write.ok()) return write.status();
  return admin->Call({"SCAN", "0", "COUNT", "1"}).status();
}

int DatabaseFor(Runtime& runtime, const HiredisOptions& options, int wanted) {
  if (options.database != 0 || wanted == 0) return options.database;
  HiredisOptions other = options;
  other.database = wanted;
  return Admin::Open(runtime, other).ok() ? wanted : options.database;
}

}  // namespace interlock::sim::machine
