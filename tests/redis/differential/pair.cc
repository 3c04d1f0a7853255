// SPDX-License-Identifier: MIT
//
// A real server has done everything that a command makes it do once a later PING on another
// connection is answered twice: both stood in one turn of its loop, or the PING in a later one. So
// silence is found out without waiting.
#include "tests/redis/differential/pair.h"

#include <sys/time.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>

#include "sim/redis/engine.h"
#include "sim/redis/text.h"
#include "tests/redis/differential/grammar.h"
#include "tests/redis/differential/tested_server.h"

namespace interlock::testing {

using sim::redis::Argv;
using sim::redis::ClientId;
using sim::redis::EqualsIgnoreCase;
using sim::redis::Value;

namespace {

// It answers "OK" to everything.
constexpr std::string_view kResetLibrary =
    "#!lua name=OK\nredis.register_function('reset_calls', function() redis.call('ping') "
    "return 'OK' end)";

}  // namespace

Pair::Pair() {
  fake_.SetSink(&sink_);
  fake_.SetDialect(TestedDialect());
  StartReal();
}

void Pair::StartReal() {
  RedisServerOptions options;
  options.unix_socket = true;
  options.arguments = {"--enable-debug-command", "yes"};
  auto started = RedisServer::Start(options);
  if (!started.ok()) throw std::runtime_error(std::string(started.status().message()));
  real_ = std::move(*started);
  changed_settings_ = used_scripts_ = used_functions_ = true;
  admin_ = std::make_unique<WireClient>(real_->unix_path());
  // Keys whose time is over are counted until something meets them: that must not be the cron.
  admin_->Call({"DEBUG", "SET-ACTIVE-EXPIRE", "0"});
}

void Pair::SetTime() {
  timeval now{};
  ::gettimeofday(&now, nullptr);
  const std::int64_t unix_us = std::int64_t{now.tv_sec} * 1000000 + now.tv_usec;
  now_ms_ = unix_us / 1000;
  fake_.SetTime(unix_us);
}

void Pair::Begin(std::size_t connections) {
  for (auto& wire : wires_) wire.reset();
  std::vector<Argv> resets = {{"CLIENT", "UNPAUSE"}};
  if (changed_settings_) {
    resets.push_back({"CONFIG", "SET", "maxmemory", "0", "maxmemory-policy", "noeviction",
                      "notify-keyspace-events", "", "requirepass", "", "min-replicas-to-write",
                      "0"});
  }
  resets.push_back({"FLUSHALL"});
  if (used_scripts_) resets.push_back({"SCRIPT", "FLUSH"});
  if (used_functions_) {
    // Redis 8.0 would end if the last call of a function had wrong arguments.
    resets.push_back({"FUNCTION", "LOAD", "REPLACE", std::string(kResetLibrary)});
    resets.push_back({"FCALL", "reset_calls", "0"});
    resets.push_back({"FUNCTION", "FLUSH"});
  }
  for (const Argv& reset : resets) admin_->Queue(reset);
  admin_->Flush();
  for (std::size_t i = 0; i < resets.size(); ++i) {
    if (admin_->Await().text != "OK") {
      throw std::runtime_error("it refused " + sim::redis::ToText(resets[i]));
    }
  }
  changed_settings_ = used_scripts_ = used_functions_ = false;
  paused_ = limited_ = false;
  muted_.fill(false);
  multi_waits_.fill(false);

  fake_.Reset();
  const std::string refusal = fake_.Configure("enable-debug-command", "yes");
  if (!refusal.empty()) throw std::logic_error(refusal);
  SetTime();
  connections_ = connections;
  fake_ids_.fill(-1);
  for (std::size_t i = 0; i < connections; ++i) {
    Connect(i);
    wires_[i]->Send({"CLIENT", "ID"});
  }
  known_real_ids_.clear();
  known_fake_ids_.clear();
  for (std::size_t i = 0; i < connections; ++i) SetRealId(i, wires_[i]->Await().integer);
  Connect(kControl);
  Barrier();  // The server has met it before a password may be set.
  sink_.closed.clear();
}

void Pair::Connect(std::size_t connection) {
  wires_[connection] = std::make_unique<WireClient>(real_->unix_path());
  fake_ids_[connection] = static_cast<std::int64_t>(fake_.Connect());
  tolerances_[connection] = {};
  queued_[connection].clear();
  in_multi_[connection] = false;
  databases_[connection] = "0";
}

void Pair::Reconnect(std::size_t connection) {
  if (fake_ids_[connection] != -1) {
    wires_[connection].reset();
    Barrier();
    SetTime();
    fake_.Disconnect(static_cast<ClientId>(fake_ids_[connection]));
  }
  Connect(connection);
  // It cannot say its id itself before it has authenticated; it is the newest, and not always the
  // last, because the server's cron turns its list of clients round.
  Barrier();
  const std::string list = "\n" + wires_[kControl]->Call({"CLIENT", "LIST"}).text;
  constexpr std::string_view kLine = "\nid=";
  std::int64_t newest = 0;
  for (std::size_t at = list.find(kLine); at != std::string::npos; at = list.find(kLine, at + 1)) {
    newest = std::max<std::int64_t>(newest, std::stoll(list.substr(at + kLine.size(), 20)));
  }
  SetRealId(connection, newest);
}

void Pair::SetRealId(std::size_t connection, std::int64_t id) {
  real_ids_[connection] = id;
  known_real_ids_.push_back(id);
  known_fake_ids_.push_back(fake_ids_[connection]);
}

void Pair::Barrier() {
  for (int i = 0; i < 2; ++i) wires_[kControl]->Call({"PING"});
}

std::size_t Pair::IndexOf(ClientId id) const {
  const auto found = std::find(fake_ids_.begin(), fake_ids_.end(), static_cast<std::int64_t>(id));
  return static_cast<std::size_t>(found - fake_ids_.begin());
}

Argv Pair::WithIds(const Argv& argv, bool real) const {
  Argv replaced = argv;
  for (std::string& word : replaced) {
    if (word.size() != 2 || word[0] != '@') continue;
    const auto target = static_cast<std::size_t>(word[1] - '0');
    if (target >= connections_) continue;
    const bool gone = fake_ids_[target] == -1;
    word = gone ? "99999999" : std::to_string(real ? real_ids_[target] : fake_ids_[target]);
  }
  return replaced;
}

std::optional<std::string> Pair::Run(const Case& sequence, Coverage* coverage) {
  try {
    Begin(ConnectionsOf(sequence));
    for (std::size_t i = 0; i < sequence.steps.size(); ++i) {
      const Step& step = sequence.steps[i];
      std::optional<std::string> disagreement = RunStep(step);
      if (disagreement) return "after step " + std::to_string(i) + "\n" + *disagreement;
      if (fake_.unmodelled()) {
        if (coverage != nullptr) coverage->CountUnmodelled(*fake_.unmodelled());
        return std::nullopt;
      }
      Follow(step, coverage);
    }
    if (auto disagreement = Finish()) return "at the end\n" + *disagreement;
    return std::nullopt;
  } catch (const std::logic_error& error) {
    return "the fake throws: " + std::string(error.what()) + "\n";
  } catch (const std::runtime_error& error) {
    StartReal();
    return "redis-server is gone: " + std::string(error.what());
  }
}

namespace {

bool EndsIn(std::string_view word, std::string_view end) {
  return word.size() >= end.size() && EqualsIgnoreCase(word.substr(word.size() - end.size()), end);
}

bool Subscribes(const Argv& argv) { return EndsIn(argv[0], "subscribe"); }

// Whether its answer is not compared word by word.
bool IsTolerated(const Argv& argv) {
  const Tolerance tolerance = ToleranceFor(argv);
  return tolerance.order || tolerance.content || EqualsIgnoreCase(argv[0], "hello");
}

// Subscribing puts several elements into the array of EXEC, so that those of commands which are not
// compared word by word can no longer be told from the rest.
bool ShiftsTolerances(const std::vector<Argv>& queued, const Argv& next) {
  return (Subscribes(next) && std::any_of(queued.begin(), queued.end(), IsTolerated)) ||
         (IsTolerated(next) && std::any_of(queued.begin(), queued.end(), Subscribes));
}

// Ends of subscriptions come in any order if they are not named, and the array of EXEC may end
// between them.
bool IsCutAnywhere(const Argv& argv) { return argv.size() == 1 && EndsIn(argv[0], "unsubscribe"); }

bool EndsTransaction(const Argv& argv) {
  constexpr std::string_view kEnds[] = {"exec", "discard", "reset"};
  return std::any_of(std::begin(kEnds), std::end(kEnds),
                     [&](std::string_view end) { return EqualsIgnoreCase(argv[0], end); });
}

bool Sorts(const Argv& argv) {
  return std::any_of(argv.begin(), argv.end(), [](const std::string& word) {
    return EqualsIgnoreCase(word, "sort") || EqualsIgnoreCase(word, "sort_ro");
  });
}

// SORT of Redis takes its numbers for too large if an earlier command has met one that was.
bool ReadsStaleError(const Argv& argv) {
  return !TestedDialect().valkey && (EqualsIgnoreCase(argv[0], "exec") || Sorts(argv));
}

// Of what waits behind a blocked command and is done later: what is known only of what is done at
// once, such as its place in the array of EXEC.
bool IsUnknownIfItWaits(const Argv& argv, bool in_multi) {
  return (in_multi && IsTolerated(argv)) || (!TestedDialect().valkey && Sorts(argv));
}

}  // namespace

std::optional<std::string> Pair::RunStep(const Step& step) {
  const std::size_t sender = step.connection;
  sink_.replies.clear();
  sink_.closed.clear();
  if (step.argv.empty() || fake_ids_[sender] == -1) {
    Reconnect(sender);
    if (step.argv.empty()) return CompareReplies(kControl);
  }
  for (const std::string& word : step.argv) {
    changed_settings_ |= EqualsIgnoreCase(word, "config");
    paused_ |= EqualsIgnoreCase(word, "pause");
    used_scripts_ |= word.size() >= 4 && (EqualsIgnoreCase(word.substr(0, 4), "eval") ||
                                          EqualsIgnoreCase(word, "script"));
    used_functions_ |= EqualsIgnoreCase(word, "function");
  }
  // EXEC then announces more replies than it sends, or has nobody to send them to; and QUIT, or a
  // CLIENT KILL of itself, without a reply never hangs up.
  const bool client = step.argv.size() > 1 && EqualsIgnoreCase(step.argv[0], "client");
  const bool no_replies = client && EqualsIgnoreCase(step.argv[1], "reply");
  const bool kill = client && EqualsIgnoreCase(step.argv[1], "kill");
  const bool waits = fake_.IsBlocked(static_cast<ClientId>(fake_ids_[sender]));
  if (waits && EqualsIgnoreCase(step.argv[0], "multi")) multi_waits_[sender] = true;
  if (EndsTransaction(step.argv)) multi_waits_[sender] = false;
  const bool in_multi = in_multi_[sender] || multi_waits_[sender];
  if (waits && IsUnknownIfItWaits(step.argv, in_multi)) return std::nullopt;
  if (in_multi && (no_replies || kill)) return std::nullopt;
  muted_[sender] |= no_replies;
  if (muted_[sender] && (kill || EqualsIgnoreCase(step.argv[0], "quit"))) return std::nullopt;
  // Not compared: limits that change between the commands of one EXEC, as its scripts meet them.
  const bool limits = step.argv.size() > 2 &&
                      (step.argv[2] == "min-replicas-to-write" || step.argv[2] == "maxmemory");
  if (in_multi && limits) return std::nullopt;
  limited_ |= limits;
  if (in_multi_[sender] &&
      (ShiftsTolerances(queued_[sender], step.argv) || IsCutAnywhere(step.argv))) {
    return std::nullopt;
  }
  // Redis 8.0 empties databases in a thread of its own, and meanwhile others are served, but not
  // what the client has sent behind it: the answer must be waited for, or go before.
  const bool flushes =
      EqualsIgnoreCase(step.argv[0], "flushall") || EqualsIgnoreCase(step.argv[0], "flushdb");
  if (flushes && TestedDialect().IsIn(sim::redis::kNewerRedis) && (muted_[sender] || waits)) {
    return std::nullopt;
  }
  // More words than this end the connection of a client that has yet to authenticate.
  if (changed_settings_ && step.argv.size() > 10) return std::nullopt;
  if (IsRandomChoice(step.argv) || IsFirstPage(step.argv)) {
    // Only where the answer comes at once, and the fake can be brought to the same state without
    // telling anybody.
    const bool muted = std::any_of(muted_.begin(), muted_.end(), std::identity());
    if (in_multi_[sender] || muted || limited_ || fake_.engine().tracking.on() ||
        fake_.IsBlocked(static_cast<ClientId>(fake_ids_[sender]))) {
      return std::nullopt;
    }
    return IsFirstPage(step.argv) ? RunPages(step) : RunChoice(step);
  }
  tolerances_[sender].Add(ToleranceFor(step.argv));
  // This one clears the error, whatever it answers.
  if (!paused_ && ReadsStaleError(step.argv)) admin_->Call({"BLPOP", "none", "no number"});
  SendToBoth(step);
  if (fake_.unmodelled()) return std::nullopt;
  auto disagreement = CompareReplies(sender);
  LetFieldsEnd(step);
  return disagreement;
}

void Pair::LetFieldsEnd(const Step& step) const {
  const std::vector<Argv>& queued = queued_[step.connection];
  const bool ends = in_multi_[step.connection]
                        ? EqualsIgnoreCase(step.argv[0], "exec") &&
                              std::any_of(queued.begin(), queued.end(), EndsSoon)
                        : EndsSoon(step.argv);
  if (ends) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

void Pair::SendToBoth(const Step& step) {
  SetTime();
  ++commands_;
  fake_.Execute(static_cast<ClientId>(fake_ids_[step.connection]), WithIds(step.argv, false));
  // What is not modelled may end the real server.
  if (!fake_.unmodelled()) wires_[step.connection]->Send(WithIds(step.argv, true));
}

// Opens what is held up, then nothing may be left unread, and the data must be the same.
std::optional<std::string> Pair::Finish() {
  if (paused_) {
    if (auto disagreement = RunStep({kControl, {"CLIENT", "UNPAUSE"}})) return disagreement;
  }
  for (int round = 0; round < 1000; ++round) {
    std::size_t blocked = 0;
    while (
        blocked < connections_ &&
        (fake_ids_[blocked] == -1 || !fake_.IsBlocked(static_cast<ClientId>(fake_ids_[blocked])))) {
      ++blocked;
    }
    if (blocked == connections_) break;
    const Step unblock{kControl, {"CLIENT", "UNBLOCK", "@" + std::to_string(blocked)}};
    if (auto disagreement = RunStep(unblock)) return disagreement;
    if (fake_.unmodelled()) return std::nullopt;
  }
  Barrier();
  for (std::size_t i = 0; i < connections_; ++i) {
    if (fake_ids_[i] == -1) continue;
    const std::optional<Value> value = wires_[i]->Read(0);
    if (value) return DescribeDifference(i, ToText(*value), kNoAnswer);
    if (wires_[i]->closed()) return DescribeDifference(i, "(closed)", kNoAnswer);
  }
  return CompareData();
}

// Keeps track of what stands in a transaction, and counts what was reached.
void Pair::Follow(const Step& step, Coverage* coverage) {
  if (step.argv.empty()) return;
  const std::size_t sender = step.connection;
  const Value* reply = nullptr;
  for (const auto& [receiver, value] : sink_.replies) {
    if (IndexOf(receiver) != sender) continue;
    if (reply == nullptr || value.type != Value::Type::kPush) reply = &value;
  }
  std::vector<Argv>& queued = queued_[sender];
  if (reply != nullptr && reply->type == Value::Type::kStatus && reply->text == "QUEUED") {
    queued.push_back(step.argv);
    return;
  }
  if (coverage != nullptr) {
    coverage->Count(step.argv, reply, Coverage::Way::kDirect);
    if (reply != nullptr && reply->elements.size() == queued.size() &&
        EqualsIgnoreCase(step.argv[0], "exec")) {
      for (std::size_t i = 0; i < queued.size(); ++i) {
        coverage->Count(queued[i], &reply->elements[i], Coverage::Way::kInMulti);
      }
    }
  }
  if (reply == nullptr) return;
  const auto selects = [&](const Argv& argv, const Value& answer) {
    if (EqualsIgnoreCase(argv[0], "select") && answer.text == "OK") databases_[sender] = argv[1];
  };
  selects(step.argv, *reply);
  if (EqualsIgnoreCase(step.argv[0], "multi") && reply->text == "OK") in_multi_[sender] = true;
  if (!EndsTransaction(step.argv)) return;
  if (reply->elements.size() == queued.size()) {
    for (std::size_t i = 0; i < queued.size(); ++i) selects(queued[i], reply->elements[i]);
  }
  queued.clear();
  in_multi_[sender] = false;
  if (EqualsIgnoreCase(step.argv[0], "reset")) databases_[sender] = "0";
}

}  // namespace interlock::testing
