// SPDX-License-Identifier: MIT
#include "tests/scenarios/versions/old_connector.h"

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stop_token>
#include <utility>

#include "src/scripts/script.h"
#include "src/sha1.h"
#include "tests/scenarios/versions/calls.h"

namespace interlock::scenarios::testing {
namespace {

using internal::Script;

/// By hash and by text, as EVALSHA and EVAL name them.
std::map<std::string_view, const Script*> ScriptsByWord() {
  std::map<std::string_view, const Script*> all;
  for (const Script* script : TodaysScripts()) {
    all.emplace(script->sha(), script);
    all.emplace(script->source, script);
  }
  return all;
}

const Script& TodaysScript(std::string_view sha_or_text) {
  static const auto& all = *new const auto(ScriptsByWord());
  const auto found = all.find(sha_or_text);
  if (found != all.end()) return *found->second;
  std::cerr << "no script of an earlier version stands for this one: " << sha_or_text << '\n';
  std::abort();
}

class OldConnection final : public Connection {
 public:
  OldConnection(std::unique_ptr<Connection> today, std::shared_ptr<const OldWords> words)
      : today_(std::move(today)), words_(std::move(words)) {}

  Status Send(std::span<const std::string_view> argv, MonotonicTime deadline) override {
    const std::vector<std::string> old = words_->Of(argv);
    return today_->Send(std::vector<std::string_view>(old.begin(), old.end()), deadline);
  }
  Result<Reply> Receive(MonotonicTime deadline) override { return today_->Receive(deadline); }
  Result<Reply> ReceiveUnlessStopped(MonotonicTime deadline, const std::stop_token& stop,
                                     Duration patience) override {
    return today_->ReceiveUnlessStopped(deadline, stop, patience);
  }
  void SendLast(std::span<const std::string_view> argv) override {
    const std::vector<std::string> old = words_->Of(argv);
    today_->SendLast(std::vector<std::string_view>(old.begin(), old.end()));
  }
  bool broken() const override { return today_->broken(); }

 private:
  const std::unique_ptr<Connection> today_;
  const std::shared_ptr<const OldWords> words_;
};

}  // namespace

OldWords::OldWords() {
  for (const auto& file : std::filesystem::directory_iterator(INTERLOCK_OLD_SCRIPTS)) {
    if (file.path().extension() != ".lua") continue;
    std::ifstream text(file.path(), std::ios::binary);
    scripts_[file.path().stem().string()] = {std::istreambuf_iterator<char>(text), {}};
  }
  if (!scripts_.empty()) return;
  std::cerr << "no scripts in " << INTERLOCK_OLD_SCRIPTS << '\n';
  std::abort();
}

OldWords OldWords::With(std::string_view script, std::string_view text) const {
  OldWords changed = *this;
  changed.scripts_.find(script)->second = text;
  return changed;
}

// The permits that are out stood beside the key of the resource, where another kind of lock would
// not have noticed them.
std::string OldWords::KeyOf(std::string_view script, std::string_view key) {
  const bool of_permits = script.starts_with("permits-") && key.ends_with('}');
  return std::string(key) + (of_permits ? ":holders" : "");
}

std::vector<std::string> OldWords::Of(std::span<const std::string_view> argv) const {
  std::vector<std::string> old(argv.begin(), argv.end());
  const bool by_sha = argv[0] == "EVALSHA";
  if (!by_sha && argv[0] != "EVAL") return old;
  const std::string_view name = TodaysScript(argv[1]).name;
  const std::string& text = scripts_.find(name)->second;
  old[1] = text;
  if (by_sha) {
    const auto sha = internal::Sha1Hex(text);
    old[1].assign(sha.data(), sha.size());
  }
  const std::size_t end = 3 + std::stoul(old[2]);
  for (std::size_t i = 3; i < end; ++i) old[i] = KeyOf(name, argv[i]);
  return old;
}

OldConnector::OldConnector(Connector& today, std::shared_ptr<const OldWords> words)
    : today_(today), words_(std::move(words)) {}

Result<std::unique_ptr<Connection>> OldConnector::Connect(MonotonicTime deadline) {
  auto connection = today_.Connect(deadline);
  if (!connection.ok()) return connection;
  return std::unique_ptr<Connection>(
      std::make_unique<OldConnection>(std::move(connection).value(), words_));
}

}  // namespace interlock::scenarios::testing
