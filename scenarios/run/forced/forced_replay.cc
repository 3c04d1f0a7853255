// SPDX-License-Identifier: MIT
#include "scenarios/run/forced/forced_replay.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <span>

#include <fmt/format.h>

#include "scenarios/run/forced/dataset.h"
#include "sim/redis/text.h"
#include "sim/tripwire.h"
#include "sim/world.h"

namespace interlock::scenarios::real {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::int64_t kSecondUs = 1'000'000;
/// Patience for anything that a server does at once.
constexpr Duration kPatience = std::chrono::seconds(2);
/// Time added to a real key when less than half of this is left: no delay of ours may end a lease
/// before its time. The key is ended when its time comes.
constexpr std::int64_t kGraceMs = 500;
/// Pause between polls for an expiry that the simulated server has seen, and the real one has not
/// yet.
constexpr Duration kPollPause = microseconds(200);

Result<std::int64_t> ClockOf(sim::machine::Admin& admin) {
  const Result<Reply> time = admin.Call({"TIME"});
  if (!time.ok()) return time.status();
  std::int64_t parts[2] = {};
  for (std::size_t i = 0; i < 2 && i < time->elements.size(); ++i) {
    const std::string& text = time->elements[i].text;
    std::from_chars(text.data(), text.data() + text.size(), parts[i]);
  }
  return parts[0] * 1'000'000 + parts[1];
}

}  // namespace

ForcedReplay::ForcedReplay(Runtime& runtime, std::vector<ForcedServer> servers,
                           const std::atomic<bool>& stop, int haste)
    : runtime_(runtime), stop_(stop), haste_(haste) {
  nodes_.resize(servers.size());
  for (std::size_t i = 0; i < servers.size(); ++i) nodes_[i].server = std::move(servers[i]);
  for (Node& one : nodes_) {
    std::vector<const Alike*> others;
    for (const Node& other : nodes_) {
      if (&other != &one) others.push_back(&other.alike);
    }
    one.alike.SetOthers(others);
  }
}

ForcedReplay::~ForcedReplay() = default;

Duration ForcedReplay::took() const { return began_ ? runtime_.Now() - *began_ : Duration{}; }

std::int64_t ForcedReplay::SimulatedUs(Duration now) {
  return sim::WorldOptions().server_epoch_us +
         std::chrono::duration_cast<microseconds>(now).count();
}

void ForcedReplay::Differ(const Client& client, std::string_view what, std::string simulated,
                          std::string real, Duration now) {
  if (Over()) return;
  ForcedDifference difference;
  difference.at = now;
  difference.node = client.node;
  difference.process = client.process;
  const auto link = node(client.node).links.find(client.link);
  if (link != node(client.node).links.end()) difference.command = link->second.command;
  difference.what = what;
  difference.simulated = std::move(simulated);
  difference.real = std::move(real);
  difference_ = std::move(difference);
}

bool ForcedReplay::Until(const std::function<bool()>& done) {
  const MonotonicTime limit = AddSaturating(runtime_.Now(), kPatience);
  while (!done()) {
    if (stop_ || runtime_.Now() >= limit) return false;
    runtime_.NewEvent()->WaitUntil(AddSaturating(runtime_.Now(), kPollPause));
  }
  return true;
}

/// Begins at the same fraction of a second as the simulated clock shows, because some locks count
/// in seconds.
bool ForcedReplay::Begin(Duration now) {
  for (int reading = 0; reading < 2; ++reading) {
    const Result<std::int64_t> clock = ClockOf(*nodes_.front().admin);
    if (!clock.ok()) {
      Differ({}, "clock", "", clock.status().message(), now);
      return false;
    }
    began_ = runtime_.Now();
    began_us_ = *clock;
    const std::int64_t ahead = (SimulatedUs(now) - *clock) % kSecondUs;
    const auto rest = microseconds((ahead + kSecondUs) % kSecondUs);
    if (reading == 0) runtime_.NewEvent()->WaitUntil(AddSaturating(runtime_.Now(), rest));
  }
  late_ = -Scaled(now);
  for (Node& one : nodes_) one.settled_late = late_;
  return true;
}

Duration ForcedReplay::Late(Duration now) const {
  return began_ ? std::max(late_, runtime_.Now() - *began_ - Scaled(now)) : late_;
}

Duration ForcedReplay::SettledLate() const {
  Duration least = late_;
  for (const Node& one : nodes_) least = std::min(least, one.settled_late);
  return least;
}

void ForcedReplay::WaitFor(Duration now) {
  if (!began_ && !Begin(now)) return;
  const MonotonicTime due = AddSaturating(*began_, Scaled(now) + late_);
  while (!stop_ && runtime_.Now() < due) {
    const MonotonicTime soon = AddSaturating(runtime_.Now(), milliseconds(100));
    runtime_.NewEvent()->WaitUntil(std::min(due, soon));
  }
  const Duration passed = runtime_.Now() - *began_;
  late_ = std::max(late_, passed - Scaled(now));
  const auto us = [](Duration time) {
    return std::chrono::duration_cast<microseconds>(time).count();
  };
  const TwoClocks clocks = {SimulatedUs(now), began_us_ + us(passed)};
  for (Node& one : nodes_) one.alike.SetClocks(clocks, us(late_ - SettledLate()));
}

std::vector<std::int64_t> ForcedReplay::LeftOf(const Node& node, Duration now) {
  std::vector<std::int64_t> left_ms;
  for (const auto& [key, end_ms] : node.ends) left_ms.push_back(end_ms - SimulatedUs(now) / 1'000);
  return left_ms;
}

/// Ends keys whose simulated time is over, because real servers cut times to whole milliseconds in
/// other places than the simulated ones did.
void ForcedReplay::AwaitEnds(Node& node, Duration now) {
  const std::int64_t now_ms = SimulatedUs(now) / 1'000;
  // Each end is awaited once, because a key of that name may be another one later.
  std::erase_if(node.ends, [&](const auto& end) {
    if (end.second >= now_ms) return false;
    (void)node.admin->Call({"PEXPIRE", end.first, "1"});
    const bool gone = Until([&] {
      const Result<Reply> exists = node.admin->Call({"EXISTS", end.first});
      return !exists.ok() || exists->integer == 0;
    });
    if (!gone) Differ(latest_, "data of " + end.first, "expired", "still there", now);
    return true;
  });
  late_ = Late(now);
}

void ForcedReplay::OnConnect(const Client& client, int database, Duration now) {
  if (Over()) return;
  const sim::TripwireExemption this_is_real;
  WaitFor(now);
  Link& link = node(client.node).links[client.link];
  HiredisOptions options = node(client.node).server.options;
  options.database = database;
  auto connector = MakeHiredisConnector(runtime_, options);
  if (!connector.ok()) return Differ(client, "connect", "ok", connector.status().message(), now);
  link.connector = *std::move(connector);
  auto made = link.connector->Connect(AddSaturating(runtime_.Now(), kPatience));
  if (!made.ok()) return Differ(client, "connect", "ok", made.status().message(), now);
  link.connection = *std::move(made);
  const std::vector<std::string_view> ask = {"CLIENT", "ID"};
  const Result<Reply> id = link.connection->Call(ask, AddSaturating(runtime_.Now(), kPatience));
  if (!id.ok()) return Differ(client, "connect", "ok", id.status().message(), now);
  link.id = std::to_string(id->integer);
}

void ForcedReplay::OnCommand(const Client& client, const sim::redis::Argv& argv, bool forged,
                             Duration now) {
  if (Over()) return;
  const sim::TripwireExemption this_is_real;
  latest_ = client;
  Node& its_node = node(client.node);
  WaitFor(now);
  AwaitEnds(its_node, now);
  Link& link = its_node.links[client.link];
  link.command = sim::redis::ToText(argv);
  if (forged || KnowsFromOthers(its_node, argv)) {
    forged_ += forged ? 1 : 0;
    link.forged = true;
    return;
  }
  ++commands_;
  const std::string name = sim::redis::ToLower(argv.front());
  if (name == "watch") link.watches = true;
  if (name == "exec" || name == "discard" || name == "unwatch") link.watches = false;
  std::vector<std::string> words;
  for (const std::string& word : argv) words.push_back(its_node.alike.Translated(word));
  const std::vector<std::string_view> views(words.begin(), words.end());
  const Status sent = link.connection->Send(views, AddSaturating(runtime_.Now(), kPatience));
  link.unanswered = true;
  if (!sent.ok()) Differ(client, "send", "ok", sent.message(), now);
}

bool ForcedReplay::KnowsFromOthers(Node& node, const sim::redis::Argv& argv) {
  if (argv.size() < 2) return false;
  const std::string name = sim::redis::ToLower(argv[0]);
  if (name == "eval") node.scripts.insert(sim::redis::Sha1Hex(argv[1]));
  if (name == "script" && argv.size() > 2) node.scripts.insert(sim::redis::Sha1Hex(argv[2]));
  if (name != "evalsha" || node.server.own != nullptr) return false;
  const std::string sha = sim::redis::ToLower(argv[1]);
  if (node.scripts.contains(sha)) return false;
  const Result<Reply> exists = node.admin->Call({"SCRIPT", "EXISTS", sha});
  return exists.ok() && !exists->elements.empty() && exists->elements.front().integer == 1;
}

void ForcedReplay::OnMessage(const Client& client, const sim::redis::Value& value, Duration now) {
  if (Over()) return;
  const sim::TripwireExemption this_is_real;
  Link& link = node(client.node).links[client.link];
  if (std::exchange(link.forged, false)) return;
  WaitFor(now);  // for a time-out in the server
  link.unanswered = false;
  const Result<Reply> reply = link.connection->Receive(AddSaturating(runtime_.Now(), kPatience));
  if (!reply.ok()) {
    return Differ(client, "no reply", sim::redis::ToText(value), reply.status().message(), now);
  }
  ++replies_;
  Alike& alike = node(client.node).alike;
  alike.SetLeft(LeftOf(node(client.node), now));
  const bool is_time = sim::redis::EqualsIgnoreCase(link.command, "time");
  if (is_time ? alike.TimeReplies(value, *reply) : alike.Replies(value, *reply)) return;
  Differ(client, "reply", sim::redis::ToText(value), ToText(*reply), now);
}

void ForcedReplay::OnDisconnect(const Client& client, Duration now) {
  if (Over()) return;
  const sim::TripwireExemption this_is_real;
  Node& its_node = node(client.node);
  const auto link = its_node.links.find(client.link);
  if (link == its_node.links.end()) return;
  WaitFor(now);
  const std::string id = link->second.id;
  its_node.links.erase(link);
  // A client that is blocked in the server must be gone before the next command.
  if (!its_node.serves) return;
  const bool gone = Until([&] {
    const Result<Reply> list = its_node.admin->Call({"CLIENT", "LIST", "ID", id});
    return list.ok() && list->text.empty();
  });
  if (!gone) Differ(client, "connection", "closed", "still in CLIENT LIST", now);
}

/// A command without an answer by now is blocked in the simulated server, and must be so in the
/// real one before the next command goes out.
void ForcedReplay::AwaitSleep(const Client& client, Duration now) {
  Node& its_node = node(client.node);
  const auto link = its_node.links.find(client.link);
  if (link == its_node.links.end() || !link->second.unanswered) return;
  const bool sleeps = Until([&] {
    const Result<Reply> list = its_node.admin->Call({"CLIENT", "LIST", "ID", link->second.id});
    const std::size_t flags = list.ok() ? list->text.find(" flags=") : std::string::npos;
    return flags != std::string::npos &&
           list->text.substr(flags, list->text.find(' ', flags + 1) - flags).find('b') !=
               std::string::npos;
  });
  if (!sleeps) Differ(client, "reply", "none yet: it waits in the server", "it does not wait", now);
}

void ForcedReplay::OnSettled(int number, sim::redis::Server& server, Duration now) {
  if (Over() || !node(number).serves) return;
  const sim::TripwireExemption this_is_real;
  AwaitEnds(node(number), now);
  if (latest_.node == number) AwaitSleep(latest_, now);
  if (!Over()) CompareData(number, server, now);
}

void ForcedReplay::CompareData(int number, sim::redis::Server& server, Duration now) {
  Node& its_node = node(number);
  const Dataset simulated = DataOf(server, database_, SimulatedUs(now) / 1'000);
  const Result<Dataset> real = DataOf(*its_node.admin);
  if (!real.ok()) return Differ(latest_, "data", "", real.status().message(), now);
  its_node.ends.clear();
  for (const auto& [key, entry] : simulated) {
    if (entry.left_ms) {
      its_node.ends.emplace_back(key, SimulatedUs(now) / 1'000 + *entry.left_ms);
    }
  }
  its_node.alike.SetLeft(LeftOf(its_node, now));
  // Scripts derive ends of keys from those of other keys.
  std::erase_if(its_node.prolonged,
                [now](const auto& one) { return one.second < SimulatedUs(now) / 1'000; });
  const bool longer = !its_node.prolonged.empty();
  const Duration late = Late(now);
  const std::int64_t least =
      -(late - its_node.settled_late + Alike::kToleranceUs * microseconds(1)) / milliseconds(1);
  its_node.settled_late = late;
  const auto differ = [&](const std::string& key, const DataEntry* a, const DataEntry* b) {
    Differ(latest_, "data of " + key, a != nullptr ? ToText(*a) : "absent",
           b != nullptr ? ToText(*b) : "absent", now);
  };
  for (const auto& [key, entry] : simulated) {
    its_node.made.insert(key);
    const auto found = real->find(key);
    if (found == real->end()) return differ(key, &entry, nullptr);
    const DataEntry& other = found->second;
    const bool words =
        std::equal(entry.words.begin(), entry.words.end(), other.words.begin(), other.words.end(),
                   [&its_node](const std::string& a, const std::string& b) {
                     return its_node.alike.Texts(a, b);
                   });
    const std::int64_t more = other.left_ms.value_or(0) - entry.left_ms.value_or(0);
    const bool ends = entry.left_ms.has_value() == other.left_ms.has_value() && more >= least &&
                      more <= (longer ? Alike::kMoreLeftUs : Alike::kLittleUs) / 1'000;
    if (!words || !ends) return differ(key, &entry, &other);
    if (entry.left_ms && *other.left_ms < *entry.left_ms + kGraceMs / 2) {
      its_node.prolonged[key] = SimulatedUs(now) / 1'000 + *entry.left_ms;
      GiveGrace(its_node, key, *entry.left_ms);
    }
  }
  for (const auto& [key, entry] : *real) {
    if (!simulated.contains(key)) return differ(key, nullptr, &entry);
  }
}

/// No grace is given while a transaction watches keys, because it would see a change.
void ForcedReplay::GiveGrace(Node& node, const std::string& key, std::int64_t left_ms) {
  for (const auto& [number, link] : node.links) {
    if (link.watches) return;
  }
  const std::string until = std::to_string(left_ms + kGraceMs);
  (void)node.admin->Call({"PEXPIRE", key, until});
}

}  // namespace interlock::scenarios::real
