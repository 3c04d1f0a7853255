// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/real/watched_server.h"

#include <charconv>
#include <chrono>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sim/redis/resp.h"
#include "sim/redis/text.h"

namespace interlock::scenarios::drive {
namespace {

using sim::redis::Argv;

constexpr std::string_view kMark = "interlock:mark:";

Status TooOld(const sim::machine::ServerVersion& version) {
  return Status(StatusCode::kUnavailable,
                fmt::format("the server is {}: to watch its keys takes Redis 7.0 or newer, or "
                            "Valkey",
                            version.text()));
}

}  // namespace

/// "1339518083.107412 [0 127.0.0.1:60866] "set" "x" "1"", where words are quoted as an inline
/// command's are.
std::optional<MonitorLine> ReadMonitorLine(const std::string& line) {
  const std::size_t open = line.find('[');
  const std::size_t blank = line.find(' ', open);
  const std::size_t close = line.find("] \"", blank);
  if (open == std::string::npos || blank == std::string::npos || close == std::string::npos) {
    return std::nullopt;
  }
  sim::redis::RequestParser words;
  words.Feed(line.substr(close + 2) + "\r\n");
  if (words.Next(true) != sim::redis::RequestParser::Outcome::kCommand) return std::nullopt;
  return MonitorLine{line.substr(blank + 1, close - blank - 1), std::move(words.command())};
}

Result<std::unique_ptr<WatchedServer>> WatchedServer::Open(Runtime& runtime,
                                                           const HiredisOptions& options,
                                                           int node) {
  std::unique_ptr<WatchedServer> one(new WatchedServer(runtime, node));
  auto admin = sim::machine::Admin::Open(runtime, options);
  if (!admin.ok()) return admin.status();
  one->admin_.emplace(*std::move(admin));
  auto version = sim::machine::VersionOf(*one->admin_);
  if (!version.ok()) return version.status();
  one->version_ = *std::move(version);
  auto connector = MakeHiredisConnector(runtime, options);
  if (!connector.ok()) return connector.status();
  one->connector_ = *std::move(connector);
  return one;
}

Status WatchedServer::Watch() {
  const std::string& number = version_.number;
  int major = 0;
  std::from_chars(number.data(), number.data() + number.size(), major);
  if (constexpr int kOldest = 7; major < kOldest) return TooOld(version_);
  auto monitor = connector_->Connect(Patience());
  if (!monitor.ok()) return monitor.status();
  monitor_ = *std::move(monitor);
  const std::vector<std::string_view> command = {"MONITOR"};
  const Result<Reply> begun = monitor_->Call(command, Patience());
  if (!begun.ok()) return begun.status();
  if (!begun->IsError()) return Status();
  return Status(StatusCode::kUnavailable, "the server refuses MONITOR: " + begun->text);
}

MonotonicTime WatchedServer::Patience() const {
  return AddSaturating(runtime_.Now(), std::chrono::seconds(5));
}

/// "db0:keys=1,expires=0,avg_ttl=0" for each database that has keys.
Result<std::vector<int>> WatchedServer::Databases() {
  const Result<Reply> info = admin_->Call({"INFO", "keyspace"});
  if (!info.ok()) return info.status();
  std::vector<int> databases;
  const std::string& text = info->text;
  for (std::size_t at = text.find("\ndb"); at != std::string::npos;
       at = text.find("\ndb", at + 1)) {
    int database = 0;
    std::from_chars(text.data() + at + 3, text.data() + text.size(), database);
    databases.push_back(database);
  }
  return databases;
}

/// The database stays selected.
Result<Reply> WatchedServer::CallIn(int database, const std::vector<std::string_view>& words) {
  const Result<Reply> selected = admin_->Call({"SELECT", std::to_string(database)});
  return selected.ok() ? admin_->Call(words) : selected;
}

Result<std::int64_t> WatchedServer::CountKeys() {
  const auto databases = Databases();
  if (!databases.ok()) return databases.status();
  std::int64_t count = 0;
  for (const int database : *databases) {
    const Result<Reply> size = CallIn(database, {"DBSIZE"});
    if (!size.ok()) return size.status();
    count += size->integer;
  }
  return count;
}

Result<HeldMap> WatchedServer::Read() {
  const auto databases = Databases();
  if (!databases.ok()) return databases.status();
  HeldMap data;
  for (const int database : *databases) {
    const Result<Reply> keys = CallIn(database, {"KEYS", "*"});
    if (!keys.ok()) return keys.status();
    for (const Reply& key : keys->elements) {
      if (Status read = ReadKey(database, key.text, data); !read.ok()) return read;
    }
  }
  return data;
}

/// Adds nothing for a key that has just expired.
Status WatchedServer::ReadKey(int database, const std::string& key, HeldMap& data) {
  using Kind = HeldData::Kind;
  const Result<Reply> type = admin_->Call({"TYPE", key});
  if (!type.ok()) return type.status();
  Result<Reply> content = Reply();
  if (type->text == "string") content = admin_->Call({"GET", key});
  if (type->text == "hash") content = admin_->Call({"HGETALL", key});
  if (type->text == "zset") content = admin_->Call({"ZRANGE", key, "0", "-1", "WITHSCORES"});
  if (!content.ok()) return content.status();
  const Result<Reply> end = admin_->Call({"PEXPIRETIME", key});
  if (!end.ok()) return end.status();
  if (constexpr int kNoKey = -2; end->integer == kNoKey) return Status();
  std::optional<std::int64_t> end_ms;
  if (end->integer >= 0) end_ms = end->integer;
  const auto add = [&](Kind kind, std::string part, std::string value) {
    data.emplace(HeldId{node_, database, key, std::move(part)},
                 HeldData{kind, std::move(value), end_ms});
  };
  if (type->text == "string") {
    add(Kind::kString, "", content->text);
    return Status();
  }
  const Kind kind = type->text == "hash" ? Kind::kField : Kind::kMember;
  for (std::size_t i = 0; i + 1 < content->elements.size(); i += 2) {
    add(kind, content->elements[i].text, content->elements[i + 1].text);
  }
  if (content->elements.empty()) add(Kind::kOther, "", "");
  return Status();
}

/// A mark of our own in the stream says that all before it is there.
Result<std::vector<Argv>> WatchedServer::TakeExecuted(const std::string& address) {
  const std::string mark = fmt::format("{}{}", kMark, ++marks_);
  if (const Result<Reply> marked = admin_->Call({"ECHO", mark}); !marked.ok()) {
    return marked.status();
  }
  std::vector<Argv> executed;
  for (;;) {
    const Result<Reply> line = monitor_->Receive(Patience());
    if (!line.ok()) return line.status();
    auto read = ReadMonitorLine(line->text);
    if (!read) continue;
    if (read->argv.size() == 2 && read->argv[1] == mark) return executed;
    if (read->from == "lua" || (!address.empty() && read->from == address)) {
      executed.push_back(std::move(read->argv));
    }
  }
}

Status WatchedServer::ForgetScripts() { return admin_->Call({"SCRIPT", "FLUSH"}).status(); }

Status WatchedServer::RemoveKeys() {
  const auto databases = Databases();
  if (!databases.ok()) return databases.status();
  for (const int database : *databases) {
    const Result<Reply> keys = CallIn(database, {"KEYS", "*"});
    if (!keys.ok()) return keys.status();
    for (const Reply& key : keys->elements) {
      if (const Result<Reply> gone = admin_->Call({"DEL", key.text}); !gone.ok()) {
        return gone.status();
      }
    }
  }
  return Status();
}

}  // namespace interlock::scenarios::drive
