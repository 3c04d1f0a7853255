// SPDX-License-Identifier: MIT
#include "sim/machine/key_sweeper.h"

#include <algorithm>
#include <utility>

namespace interlock::sim::machine {
namespace {

constexpr std::size_t kBatch = 100;  // keys per UNLINK

/// SCAN may return a key twice, but a full iteration misses no key that existed throughout.
Result<std::set<std::string>> KeysUnder(Admin& admin, const std::string& prefix) {
  const std::string pattern = EscapeGlob(prefix) + "*";
  std::set<std::string> keys;
  std::string cursor = "0";
  do {
    const Result<Reply> page = admin.Call({"SCAN", cursor, "MATCH", pattern, "COUNT", "1000"});
    if (!page.ok()) return page.status();
    if (page->elements.size() != 2) {
      return Status(StatusCode::kUnavailable, "the server answered SCAN in an unknown form");
    }
    cursor = page->elements[0].text;
    for (const Reply& key : page->elements[1].elements) {
      if (key.text.starts_with(prefix)) keys.insert(key.text);
    }
  } while (cursor != "0");
  return keys;
}

}  // namespace

std::string EscapeGlob(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("*?[]^-\\").find(c) != std::string_view::npos) escaped.push_back('\\');
    escaped.push_back(c);
  }
  return escaped;
}

KeySweeper::KeySweeper(Runtime& runtime, HiredisOptions options, std::string prefix)
    : runtime_(runtime), options_(std::move(options)), prefix_(std::move(prefix)) {}

KeySweeper::~KeySweeper() {
  // The caller has had its chance to report a failure; the keys' TTLs remain.
  (void)Sweep();
}

void KeySweeper::Use(int database) { databases_.insert(database); }

Result<Admin> KeySweeper::Open(int database) {
  HiredisOptions options = options_;
  options.database = database;
  Result<Admin> admin = Admin::Open(runtime_, options);
  if (!admin.ok()) return admin;
  // Afterwards the server has gone once around its event loop, and has read what others had sent
  // before.
  for (int i = 0; i < 2; ++i) {
    if (const Result<Reply> pong = admin->Call({"PING"}); !pong.ok()) return pong.status();
  }
  return admin;
}

Result<std::vector<redis::Server::KeyInfo>> KeySweeper::Look(int database) {
  Result<Admin> admin = Open(database);
  if (!admin.ok()) return admin.status();
  const Result<std::set<std::string>> keys = KeysUnder(*admin, prefix_);
  if (!keys.ok()) return keys.status();
  std::vector<redis::Server::KeyInfo> found;
  for (const std::string& key : *keys) {
    const Result<Reply> ttl = admin->Call({"PTTL", key});
    if (!ttl.ok()) return ttl.status();
    if (ttl->integer >= 0) {
      found.push_back({key, ttl->integer});
    } else if (ttl->integer == -1) {
      found.push_back({key, std::nullopt});
    }
  }
  return found;
}

Result<std::size_t> KeySweeper::Sweep() {
  std::size_t removed = 0;
  while (!databases_.empty()) {
    const Result<std::size_t> swept = SweepOne(*databases_.begin());
    if (!swept.ok()) return swept;
    removed += *swept;
    databases_.erase(databases_.begin());
  }
  return removed;
}

Result<std::size_t> KeySweeper::SweepOne(int database) {
  Result<Admin> admin = Open(database);
  if (!admin.ok()) return admin.status();
  const Result<std::set<std::string>> found = KeysUnder(*admin, prefix_);
  if (!found.ok()) return found.status();
  const std::vector<std::string> keys(found->begin(), found->end());
  for (std::size_t from = 0; from < keys.size(); from += kBatch) {
    std::vector<std::string_view> unlink = {"UNLINK"};
    const std::size_t to = std::min(keys.size(), from + kBatch);
    unlink.insert(unlink.end(), keys.begin() + static_cast<std::ptrdiff_t>(from),
                  keys.begin() + static_cast<std::ptrdiff_t>(to));
    if (const Result<Reply> gone = admin->Call(unlink); !gone.ok()) return gone.status();
  }
  return keys.size();
}

}  // namespace interlock::sim::machine
