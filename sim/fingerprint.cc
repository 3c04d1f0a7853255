// SPDX-License-Identifier: MIT
#include "sim/fingerprint.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "sim/engine.h"
#include "sim/redis/state.h"

namespace interlock::sim {

namespace {

constexpr std::uint64_t kPlainMark = 0x70;
constexpr std::uint64_t kSelfMark = 0x73;
constexpr std::uint64_t kOtherMark = 0x6f;
constexpr std::uint64_t kRankMark = 0x72;

/// Whether the connection can still have any effect.
bool IsDescribed(const Link& link) { return !link.client_gone || link.server_open; }

/// The link's index among its process's connections, in the order of DescribeLinks.
std::uint64_t PlaceOf(const Network& network, const Link& wanted) {
  std::uint64_t place = 0;
  for (const auto& link : network.links()) {
    if (link.get() == &wanted) break;
    if (link->process == wanted.process && IsDescribed(*link)) ++place;
  }
  return place;
}

/// Sums the digests of the parts of the servers' state.
class ServerWriter final : public redis::StateSink {
 public:
  /// Names processes as `part` does.
  ServerWriter(const Engine& engine, FingerprintWriter part)
      : engine_(engine), part_(std::move(part)) {}

  /// The parts that follow belong to this server.
  void BeginNode(int node) {
    BeginPart();
    node_ = node;
  }

  void Number(std::uint64_t number) override { part_.Number(number); }
  void Text(std::string_view bytes) override { part_.Text(bytes); }
  void OfClient(redis::ClientId client) override {
    const Link* link = engine_.network.FindLink(node_, client);
    part_.Process(link == nullptr ? -1 : link->process->id);
    if (link != nullptr) part_.Number(PlaceOf(engine_.network, *link));
  }
  void BeginPart() override {
    sum_.Sum(part_.digest());
    part_.Clear();
    if (node_ > 0) part_.Number(static_cast<std::uint64_t>(node_));
  }
  Digest Finish() {
    BeginPart();
    return sum_;
  }

 private:
  const Engine& engine_;
  int node_ = 0;
  FingerprintWriter part_;
  Digest sum_;
};

void DescribeTasks(Engine& engine, const Process& process, FingerprintWriter& writer) {
  for (const auto& task : engine.scheduler.tasks()) {
    if (task->group != process.id) continue;
    const bool waits = task->state == ScheduledTask::State::kWaiting;
    writer.Number(static_cast<std::uint64_t>(task->state) | (task->at_yield_point ? 0x100U : 0U) |
                  (waits ? static_cast<std::uint64_t>(task->wait) << 16 : 0U));
    if (waits) writer.Time(task->wait_until);
  }
}

/// The effects of an executed request are in the server's state; the fate of its reply is not. In
/// requests other than commands only the kind means anything: the rest is left over from an earlier
/// use of the object.
void DescribeRequest(const Request& request, bool executed, FingerprintWriter& writer) {
  writer.Number(static_cast<std::uint64_t>(request.kind) | (executed ? 0x100U : 0U));
  const bool command = request.kind == Request::Kind::kCommand;
  if (command) {
    writer.Number(request.reply_faults.size());
    for (const Fault& fault : request.reply_faults) {
      writer.Number(static_cast<std::uint64_t>(fault.kind));
      writer.Time(fault.length);
    }
  }
  if (executed) return;
  if (command) {
    writer.Number(request.argv.size());
    for (const std::string& argument : request.argv) writer.Text(argument);
  }
  writer.Time(request.arrival);
}

void DescribeLinks(Engine& engine, const Process& process, FingerprintWriter& writer) {
  for (const auto& link : engine.network.links()) {
    if (link->process != &process || !IsDescribed(*link)) continue;
    writer.Number((link->server_open ? 1U : 0U) | (link->blocked ? 2U : 0U) |
                  (link->established ? 4U : 0U) | (link->client_gone ? 8U : 0U) |
                  (link->close_sent ? 16U : 0U) | (link->silent ? 32U : 0U) |
                  (link->broke != nullptr ? 64U : 0U) | (link->delayed ? 128U : 0U) |
                  (link->machine_off ? 256U : 0U) | static_cast<std::uint64_t>(link->node) << 16);
    if (link->broke != nullptr) writer.Text(link->broke);
    if (link->silent) writer.Time(link->silent_since);
    writer.Number(link->requests.size());
    for (std::size_t i = 0; i < link->requests.size(); ++i) {
      DescribeRequest(link->requests[i], i < link->executed, writer);
    }
    writer.Number(link->messages.size());
    for (std::size_t i = 0; i < link->messages.size(); ++i) {
      const Message& message = link->messages[i];
      writer.Number(static_cast<std::uint64_t>(message.kind));
      const bool has_value =
          message.kind == Message::Kind::kReply || message.kind == Message::Kind::kPush;
      if (has_value) writer.Value(message.value);
      writer.Time(std::max(message.arrival, engine.now()));
    }
  }
}

void DescribeNoted(const FingerprintWriter& noted, FingerprintWriter& writer) {
  writer.Number(noted.digest().low);
  writer.Number(noted.digest().high);
  for (const int other : noted.others()) writer.Process(other);
}

FingerprintWriter OfProcess(Engine& engine, const Process& process, const ScenarioState& scenario) {
  FingerprintWriter writer(engine.names, process.id);
  DescribeNoted(process.undescribed, writer);
  writer.Number(process.crashed ? 1 : 0);
  scenario.DescribeProcess(process.id, writer);
  DescribeLinks(engine, process, writer);
  for (const VirtualTime arrival : engine.network.UnderWayElsewhere(process)) writer.Time(arrival);
  if (process.crashed) return writer;
  DescribeNoted(process.observed, writer);
  writer.Time(process.frozen_until);
  for (const Fault& fault : process.armed) {
    writer.Number(static_cast<std::uint64_t>(fault.kind));
    if (fault.length != Duration{}) writer.Time(fault.length);
  }
  for (const Partition& one : process.partitions) {
    if (one.until <= engine.now()) continue;
    writer.Number((one.to_server ? 1U : 0U) | (one.from_server ? 2U : 0U) |
                  static_cast<std::uint64_t>(one.node) << 16);
    writer.Time(one.until);
  }
  DescribeTasks(engine, process, writer);
  return writer;
}

/// Describes the state that belongs to no process; `names` determines how processes are named in
/// it.
void DescribeShared(Engine& engine, const ScenarioState& scenario, FingerprintWriter names,
                    FingerprintWriter& writer) {
  ServerWriter server(engine, std::move(names));
  for (int node = 0; node < engine.servers.count(); ++node) {
    server.BeginNode(node);
    redis::Engine& its = engine.servers.at(node).engine();
    engine.servers.InStep(node) ? redis::DescribeStateButKeys(its, server)
                                : redis::DescribeState(its, server);
    engine.servers.Describe(node, server);
    if (redis::AnnouncesExpiry(its)) writer.Time(engine.network.last_expiry(node));
  }
  const Digest data = server.Finish();
  writer.Number(data.low);
  writer.Number(data.high);
  engine.server_faults.Describe(writer);
  scenario.DescribeRest(writer);
}

/// How the rest of the world refers to one process.
Digest ViewOf(Engine& engine, const ScenarioState& scenario, int process,
              const std::vector<FingerprintWriter>& parts) {
  FingerprintWriter writer(engine.names, process);
  DescribeShared(engine, scenario, FingerprintWriter(engine.names, process), writer);
  Digest view = writer.digest();
  for (const FingerprintWriter& part : parts) {
    Digest relation = part.digest();
    for (const int other : part.others()) relation.Add(other == process ? 1U : 0U);
    view.Sum(relation);
  }
  return view;
}

// Orders the processes by their own digests, and equal ones by how the rest of the world refers to
// them. Those that are still equal are treated as interchangeable; if they are not, one state may
// have several fingerprints, which costs extra visits but never misses a state.
std::vector<int> CanonicalOrder(Engine& engine, const ScenarioState& scenario,
                                const std::vector<FingerprintWriter>& parts) {
  std::vector<std::pair<Digest, Digest>> keys(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    keys[i].first = parts[i].digest();
    for (std::size_t j = 0; j < parts.size(); ++j) {
      if (j == i || !(parts[j].digest() == parts[i].digest())) continue;
      keys[i].second = ViewOf(engine, scenario, static_cast<int>(i), parts);
      break;
    }
  }
  std::vector<int> order(parts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&keys](int a, int b) {
    return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
  });
  return order;
}

}  // namespace

void Digest::Add(std::string_view bytes) {
  low = HashBytes(bytes, low);
  high = HashBytes(bytes, high);
}

void Digest::Sum(const Digest& part) {
  const auto mixed = [](std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  };
  low += mixed(part.low ^ std::rotl(part.high, 7));
  high += mixed(part.high ^ std::rotl(part.low, 41));
}

// A form that is already known, as when random bytes repeat, keeps its first name.
void RandomNames::Add(std::string form, Name name) {
  std::uint32_t* last = &first_[PlaceOf(form.data())];
  while (*last != 0) last = &known_[*last - 1].next;
  *last = static_cast<std::uint32_t>(known_.size()) + 1;
  known_.push_back({std::move(form), name});
}

void RandomNames::Learn(int process, std::string_view bytes) {
  if (bytes.size() < kLeast) return;
  const auto index = static_cast<std::size_t>(process);
  if (counts_.size() <= index) counts_.resize(index + 1);
  std::uint32_t& count = counts_[index];
  if (known_.empty()) known_.reserve(kFew);
  std::string digits(2 * bytes.size(), '\0');
  char* digit = digits.data();
  for (const char byte : bytes) {
    *digit++ = "0123456789abcdef"[static_cast<unsigned char>(byte) >> 4U];
    *digit++ = "0123456789abcdef"[static_cast<unsigned char>(byte) & 15U];
  }
  // The two forms of one block get different names: they are different texts.
  Add(std::string(bytes), {process, count});
  Add(std::move(digits), {process, count + 1});
  count += 2;
}

const RandomNames::Known* RandomNames::Find(std::string_view text) const {
  for (std::uint32_t at = first_[PlaceOf(text.data())]; at != 0; at = known_[at - 1].next) {
    if (text.starts_with(known_[at - 1].form)) return &known_[at - 1];
  }
  return nullptr;
}

void FingerprintWriter::Process(int process) {
  if (ranks_ != nullptr) {
    digest_.Add(kRankMark);
    digest_.Add(process < 0
                    ? ~std::uint64_t{0}
                    : static_cast<std::uint64_t>((*ranks_)[static_cast<std::size_t>(process)]));
  } else if (process == self_) {
    digest_.Add(kSelfMark);
  } else {
    digest_.Add(kOtherMark);
    others_.push_back(process);
  }
}

void FingerprintWriter::Text(std::string_view bytes) {
  names_.Split(
      bytes,
      [this](std::string_view plain) {
        digest_.Add(kPlainMark);
        digest_.Add(plain);
      },
      [this](const RandomNames::Name& name) {
        Process(name.process);
        digest_.Add(name.count);
      });
  digest_.Add(bytes.size());
}

void FingerprintWriter::Value(const redis::Value& value) {
  digest_.Add(static_cast<std::uint64_t>(value.type));
  digest_.Add(static_cast<std::uint64_t>(value.integer));
  Text(value.text);
  digest_.Add(value.elements.size());
  for (const redis::Value& element : value.elements) Value(element);
}

void NoteUndescribed(const Network& network, const Link& link, std::uint64_t before,
                     const redis::Argv& argv) {
  FingerprintWriter& noted = link.process->undescribed;
  noted.Number(before);
  noted.Number(PlaceOf(network, link));
  noted.Number(argv.size());
  for (const std::string& argument : argv) noted.Text(argument);
}

Digest FingerprintOf(Engine& engine, const ScenarioState& scenario, std::vector<int>& ranks) {
  std::vector<FingerprintWriter> parts;
  parts.reserve(engine.processes().size());
  for (const auto& process : engine.processes()) {
    parts.push_back(OfProcess(engine, *process, scenario));
  }
  const std::vector<int> order = CanonicalOrder(engine, scenario, parts);
  ranks.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    ranks[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  }
  FingerprintWriter writer(engine.names, ranks);
  writer.Time(engine.now());
  for (const int process : order) {
    const FingerprintWriter& part = parts[static_cast<std::size_t>(process)];
    writer.Number(part.digest().low);
    writer.Number(part.digest().high);
    for (const int other : part.others()) writer.Process(other);
  }
  DescribeShared(engine, scenario, FingerprintWriter(engine.names, ranks), writer);
  return writer.digest();
}

}  // namespace interlock::sim
