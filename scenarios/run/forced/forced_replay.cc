// SPDX-License-Identifier: MIT
#include "scenarios/run/forced/forced_replay.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "scenarios/run/forced/absolute_times.h"
#include "sim/redis/text.h"
#include "sim/tripwire.h"

namespace interlock::scenarios::real {

ForcedReplay::ForcedReplay(Runtime& runtime, std::vector<ForcedServer> servers,
                           const std::atomic<bool>& stop, int haste)
    : pace_(runtime, stop, haste), stop_(stop) {
  nodes_.reserve(servers.size());  // they refer to each other
  for (ForcedServer& server : servers) nodes_.emplace_back(std::move(server));
  for (ForcedNode& one : nodes_) {
    std::vector<const Alike*> others;
    for (const ForcedNode& other : nodes_) {
      if (&other != &one) others.push_back(&other.alike);
    }
    one.alike.SetOthers(others);
  }
}

Status ForcedReplay::Open(const sim::redis::Dialect& dialect, int database, bool replicated) {
  database_ = database;
  replicated_ = replicated;
  for (ForcedNode& one : nodes_) {
    const auto version = one.Open(pace_.runtime(), database, dialect);
    if (!version.ok()) return version.status();
    backend_ = version->text();
  }
  for (std::size_t i = 1; replicated && i < nodes_.size(); ++i) {
    ForcedNode& replica = nodes_[i];
    if (Status followed = replica.Follow(node(primary_)); !followed.ok()) return followed;
    if (!replica.CatchUp(node(primary_), pace_)) {
      return Status(StatusCode::kUnavailable, "a replica does not follow");
    }
    replica.in_step = 0;  // nothing is written yet
  }
  return Status();
}

void ForcedReplay::Differ(const Client& client, const std::optional<Unlike>& unlike, Duration now) {
  if (Over() || !unlike) return;
  const auto link = node(client.node).links.find(client.link);
  const bool known = link != node(client.node).links.end();
  difference_ = {*unlike, now, client.node, client.process, known ? link->second.command : ""};
}

void ForcedReplay::DifferIfFailed(int number, std::string_view what, const Status& failed,
                                  Duration now) {
  if (!failed.ok()) Differ({number, 0, -1}, Unlike{std::string(what), "ok", failed.message()}, now);
}

Duration ForcedReplay::SettledLate() const {
  Duration least = pace_.late();
  for (const ForcedNode& one : nodes_) least = std::min(least, one.data.settled_late());
  return least;
}

void ForcedReplay::WaitFor(Duration now) {
  if (!pace_.begun()) {
    const Status begun = pace_.Begin(*nodes_.front().admin, now);
    if (!begun.ok()) return Differ({}, Unlike{"clock", "", begun.message()}, now);
    for (ForcedNode& one : nodes_) one.data.BeginAt(pace_.late());
  }
  const TwoClocks clocks = pace_.WaitFor(now);
  const auto unsettled =
      std::chrono::duration_cast<std::chrono::microseconds>(pace_.late() - SettledLate());
  for (ForcedNode& one : nodes_) one.alike.SetClocks(clocks, unsettled.count());
}

void ForcedReplay::AwaitEnds(ForcedNode& node, Duration now) {
  Differ(latest_, node.data.AwaitEnds(*node.admin, pace_, now), now);
}

void ForcedReplay::OnConnect(const Client& client, int database, Duration now) {
  if (Over()) return;
  const sim::TripwireExemption this_is_real;
  WaitFor(now);
  ForcedNode& its_node = node(client.node);
  const Status connected =
      its_node.Connect(pace_.runtime(), database, pace_.Patience(), its_node.links[client.link]);
  if (!connected.ok()) Differ(client, Unlike{"connect", "ok", connected.message()}, now);
}

void ForcedReplay::OnCommand(const Client& client, const sim::redis::Argv& argv, bool forged,
                             Duration now) {
  if (Over()) return;
  const sim::TripwireExemption this_is_real;
  latest_ = client;
  ForcedNode& its_node = node(client.node);
  WaitFor(now);
  AwaitEnds(its_node, now);
  ForcedLink& link = its_node.links[client.link];
  link.command = sim::redis::ToText(argv);
  if (forged || its_node.KnowsFromOthers(argv)) {
    forged_ += forged ? 1 : 0;
    link.forged = true;
    return;
  }
  const std::string name = sim::redis::ToLower(argv.front());
  if (name == "hello" && argv.size() > 1 && argv[1] == "3") {
    obstacle_ = "a client says HELLO 3; expected HELLO 2, as real servers' replies are RESP2 here";
    return;
  }
  ++commands_;
  if (name == "watch") link.watches = true;
  if (name == "exec" || name == "discard" || name == "unwatch") link.watches = false;
  std::vector<std::string> words;
  for (const std::string& word : argv) words.push_back(its_node.alike.Translated(word));
  const auto end = AbsoluteTimeIn(argv);
  if (end && words[end->word] == argv[end->word]) {
    words[end->word] = its_node.alike.Shifted(argv[end->word], end->unit_us);
  }
  const std::vector<std::string_view> views(words.begin(), words.end());
  const Status sent = link.connection->Send(views, pace_.Patience());
  link.unanswered = true;
  if (!sent.ok()) Differ(client, Unlike{"send", "ok", sent.message()}, now);
}

void ForcedReplay::OnMessage(const Client& client, const sim::redis::Value& value, Duration now) {
  if (Over()) return;
  const sim::TripwireExemption this_is_real;
  ForcedNode& its_node = node(client.node);
  ForcedLink& link = its_node.links[client.link];
  if (std::exchange(link.forged, false)) return;
  WaitFor(now);  // for a time-out in the server
  link.unanswered = false;
  const Result<Reply> reply = link.connection->Receive(pace_.Patience());
  if (!reply.ok()) {
    return Differ(client, Unlike{"no reply", sim::redis::ToText(value), reply.status().message()},
                  now);
  }
  ++replies_;
  Alike& alike = its_node.alike;
  alike.SetLeft(its_node.data.LeftOf(now));
  const bool is_time = sim::redis::EqualsIgnoreCase(link.command, "time");
  if (is_time ? alike.TimeReplies(value, *reply) : alike.Replies(value, *reply)) return;
  Differ(client, Unlike{"reply", sim::redis::ToText(value), ToText(*reply)}, now);
}

void ForcedReplay::OnDisconnect(const Client& client, Duration now) {
  if (Over()) return;
  const sim::TripwireExemption this_is_real;
  ForcedNode& its_node = node(client.node);
  const auto link = its_node.links.find(client.link);
  if (link == its_node.links.end()) return;
  WaitFor(now);
  const std::string id = link->second.id;
  its_node.links.erase(link);
  // A client that is blocked in the server must be gone before the next command.
  if (its_node.serves && !its_node.Closes(id, pace_)) {
    Differ(client, Unlike{"connection", "closed", "still in CLIENT LIST"}, now);
  }
}

void ForcedReplay::OnAdmin(int number, int /*database*/, const sim::redis::Argv& argv,
                           const Client* victim, Duration now) {
  if (Over()) return;
  const sim::TripwireExemption this_is_real;
  ForcedNode& its_node = node(number);
  WaitFor(now);
  AwaitEnds(its_node, now);
  sim::redis::Argv words = argv;
  if (victim != nullptr) words.back() = its_node.links[victim->link].id;
  DifferIfFailed(number, "operator", its_node.admin->Call({words.begin(), words.end()}).status(),
                 now);
}

void ForcedReplay::OnServer(int number, Happening happening, Duration now) {
  if (Over()) return;
  const sim::TripwireExemption this_is_real;
  ForcedNode& its_node = node(number);
  WaitFor(now);
  // A replica serves no clients, and ignores how full it is.
  const bool replica = replicated_ && number != primary_;
  const bool of_process = happening == Happening::kStopped || happening == Happening::kResumed ||
                          happening == Happening::kFull || happening == Happening::kNotFull;
  if (replica && of_process) return;
  if (happening == Happening::kFollows) {
    return DifferIfFailed(number, "REPLICAOF", its_node.Follow(node(primary_)), now);
  }
  const bool starts = happening == Happening::kStarted;
  DifferIfFailed(number, starts ? "restart" : "CONFIG",
                 its_node.Undergo(happening, pace_.runtime(), database_), now);
  if (starts) pace_.NoteLate(now);
}

void ForcedReplay::OnInStep(int number, std::int64_t offset, Duration now) {
  ForcedNode& replica = node(number);
  if (Over() || replica.serves || replica.in_step == offset) return;
  const sim::TripwireExemption this_is_real;
  WaitFor(now);
  replica.in_step = offset;
  replica.data.NoteInStep(node(primary_).data);
  if (!replica.CatchUp(node(primary_), pace_)) {
    Differ({number, 0, -1}, Unlike{"replica", "in step", "behind"}, now);
  }
}

void ForcedReplay::OnPromoted(int number, std::int64_t offset, Duration now) {
  if (Over()) return;
  const sim::TripwireExemption this_is_real;
  ForcedNode& replica = node(number);
  if (offset != replica.in_step) {
    obstacle_ =
        "the replica has taken a part of what its primary had: a real one takes all or nothing "
        "here";
    return;
  }
  WaitFor(now);
  primary_ = number;
  DifferIfFailed(number, "REPLICAOF", replica.Promote(), now);
}

void ForcedReplay::OnSettled(int number, sim::redis::Server& server, Duration now) {
  ForcedNode& its_node = node(number);
  if (Over() || !its_node.serves) return;
  const sim::TripwireExemption this_is_real;
  AwaitEnds(its_node, now);
  // A command without an answer by now is blocked in the simulated server, and must be so in the
  // real one before the next command goes out.
  const auto link = its_node.links.find(latest_.link);
  if (latest_.node == number && link != its_node.links.end() && link->second.unanswered &&
      !its_node.FallsAsleep(link->second, pace_)) {
    Differ(latest_, Unlike{"reply", "none yet: it waits in the server", "it does not wait"}, now);
  }
  if (Over()) return;
  Differ(latest_,
         its_node.data.Compare(server, database_, its_node.AnyWatches(), *its_node.admin,
                               its_node.alike, pace_, now),
         now);
}

void ForcedReplay::CleanUp() {
  for (ForcedNode& one : nodes_) {
    one.links.clear();
    if (one.server.own != nullptr || !one.admin) continue;
    for (const std::string& key : one.data.made()) (void)one.admin->Call({"UNLINK", key});
  }
}

}  // namespace interlock::scenarios::real
