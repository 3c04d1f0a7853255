// SPDX-License-Identifier: MIT
#include "scenarios/cases/replay_token.h"

#include <array>
#include <charconv>
#include <vector>

#include <fmt/format.h>

namespace interlock::scenarios {
namespace {

constexpr std::string_view kVersion = "v2";
constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
// A made-up token must neither ask for all memory nor overflow a sum of its lengths.
constexpr std::uint64_t kMostElements = 10'000;
constexpr std::uint64_t kMostChoices = 10'000'000;
constexpr Duration kLongestLease = std::chrono::hours(24);
constexpr std::int64_t kMostRatePpm = 500'000;
// What came later stands in bits that were always 0: older tokens of this version read as before.
constexpr unsigned kResourceBits = 2;
constexpr unsigned kAskBit = 1;
constexpr unsigned kStallBit = 4;
constexpr unsigned kSetsLimitBit = 7;
constexpr unsigned kLastBit = 11;
struct Flag {
  unsigned bit;
  bool Operation::*flag;
};
constexpr auto kFlags = std::to_array<Flag>({{0, &Operation::extend},
                                             {3, &Operation::heedless},
                                             {5, &Operation::inside},
                                             {6, &Operation::shared},
                                             {8, &Operation::stops},
                                             {9, &Operation::forces},
                                             {10, &Operation::outlives},
                                             {kLastBit, &Operation::drops}});
// Behind a client's number of operations.
constexpr unsigned kLimitBit = 14;
constexpr unsigned kLeaseBit = 15;
constexpr unsigned kSharesObjectsBit = 16;
static_assert(kMostElements < 1 << kLimitBit);
// Behind the resources and what is guarded.
constexpr unsigned kLifeBit = kResourceBits + 2;
static_assert(static_cast<unsigned>(GuardKind::kCheckAndSet) < 1U << (kLifeBit - kResourceBits));
constexpr std::uint64_t kMostPermits = 1000;
static_assert(kMostResources < 1 << kResourceBits);
constexpr std::uint64_t kLongest = 20'000'000'000'000'000;  // zigzag ns: more than 100 days

std::uint64_t Bit(bool set, unsigned bit) { return std::uint64_t{set} << bit; }

bool HasBit(std::uint64_t word, unsigned bit) { return (word >> bit & 1U) != 0; }

std::string ToBase64(const std::string& bytes) {
  std::string text;
  std::uint32_t buffer = 0;
  int bits = 0;
  for (const char byte : bytes) {
    buffer = (buffer << 8) | static_cast<unsigned char>(byte);
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      text.push_back(kAlphabet[buffer >> bits & 63U]);
    }
  }
  if (bits > 0) text.push_back(kAlphabet[buffer << (6 - bits) & 63U]);
  return text;
}

std::optional<std::string> FromBase64(std::string_view text) {
  std::string bytes;
  std::uint32_t buffer = 0;
  int bits = 0;
  for (const char letter : text) {
    const auto value = kAlphabet.find(letter);
    if (value == std::string_view::npos) return std::nullopt;
    buffer = (buffer << 6) | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes.push_back(static_cast<char>(buffer >> bits & 255U));
    }
  }
  return bytes;
}

class Packer {
 public:
  void Number(std::uint64_t value) {
    while (value >= 128) {
      bytes_.push_back(static_cast<char>(128U | (value & 127U)));
      value >>= 7;
    }
    bytes_.push_back(static_cast<char>(value));
  }
  void Length(Duration length) {  // zigzag: a fault's length may be negative
    const auto value = static_cast<std::uint64_t>(length.count());
    Number(value << 1 ^ (length.count() < 0 ? ~std::uint64_t{0} : 0));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t Number(std::uint64_t most) {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 127U) << shift;
      if (byte < 128) {
        if (value > most) ok_ = false;
        return value > most ? 0 : value;
      }
    }
    ok_ = false;
    return 0;
  }
  Duration Length() {
    const std::uint64_t value = Number(kLongest);
    return Duration(static_cast<std::int64_t>(value >> 1 ^ (0 - (value & 1U))));
  }
  int Index(std::uint64_t most) { return static_cast<int>(Number(most)); }
  bool ok_and_done() const { return ok_ && rest_.empty(); }
  bool ok() const { return ok_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

std::string Pack(const PackedRun& run) {
  Packer packer;
  packer.Length(run.workload.lease);
  packer.Number(static_cast<std::uint64_t>(run.workload.permits));
  const bool lives = run.workload.life.count() != 0;
  packer.Number(Bit(lives, kLifeBit) |
                static_cast<std::uint64_t>(run.workload.guard) << kResourceBits |
                static_cast<std::uint64_t>(run.workload.resources));
  if (lives) packer.Length(run.workload.life);
  packer.Length(run.workload.latency_max);
  packer.Number(static_cast<std::uint64_t>(run.workload.topology));
  packer.Number(static_cast<std::uint64_t>(run.workload.nodes));
  packer.Number(static_cast<std::uint64_t>(run.workload.persistence));
  packer.Number(run.workload.clients.size());
  for (const ClientPlan& client : run.workload.clients) {
    packer.Length(client.clock_offset);
    packer.Length(Duration(client.clock_rate_ppm));
    const bool own_lease = client.lease.count() != 0;
    packer.Number(client.operations.size() | Bit(client.limit.has_value(), kLimitBit) |
                  Bit(own_lease, kLeaseBit) | Bit(client.shares_objects, kSharesObjectsBit));
    if (client.limit.has_value()) packer.Number(static_cast<std::uint64_t>(*client.limit));
    if (own_lease) packer.Length(client.lease);
    for (const Operation& operation : client.operations) {
      const bool stalls = operation.stall.count() != 0;
      std::uint64_t word = static_cast<std::uint64_t>(operation.ask) << kAskBit |
                           Bit(stalls, kStallBit) | Bit(operation.sets_limit > 0, kSetsLimitBit);
      for (const Flag& one : kFlags) word |= Bit(operation.*one.flag, one.bit);
      packer.Number(word);
      if (operation.sets_limit > 0) packer.Number(static_cast<std::uint64_t>(operation.sets_limit));
      if (stalls) packer.Length(operation.stall);
      if (operation.stops) packer.Length(operation.stop_after);
      packer.Length(operation.think);
      packer.Length(operation.wait);
      packer.Length(operation.hold);
      packer.Length(operation.overstay);
      packer.Number(static_cast<std::uint64_t>(operation.resource));
    }
    packer.Number(client.faults.size());
    for (const PlannedFault& fault : client.faults) {
      packer.Number(static_cast<std::uint64_t>(fault.kind));
      packer.Number(static_cast<std::uint64_t>(fault.step));
      packer.Length(fault.length);
      packer.Number(static_cast<std::uint64_t>(fault.node));
    }
  }
  for (const auto& lane : run.tape.lanes) {
    packer.Number(lane.size());
    for (const std::uint32_t choice : lane) packer.Number(choice);
  }
  return packer.bytes();
}

ClientPlan UnpackClient(Unpacker& from) {
  ClientPlan client;
  client.clock_offset = from.Length();
  client.clock_rate_ppm = from.Length().count();
  const std::uint64_t size = from.Number((2U << kSharesObjectsBit) - 1);
  if (HasBit(size, kLimitBit)) client.limit = from.Index(kMostPermits);
  if (HasBit(size, kLeaseBit)) client.lease = from.Length();
  client.shares_objects = HasBit(size, kSharesObjectsBit);
  for (std::uint64_t left = size & ((1U << kLimitBit) - 1); left > 0 && from.ok(); --left) {
    Operation operation;
    const std::uint64_t word = from.Number((2U << kLastBit) - 1);
    operation.ask = static_cast<Ask>(word >> kAskBit & 3U);
    for (const Flag& one : kFlags) operation.*one.flag = HasBit(word, one.bit);
    if (HasBit(word, kSetsLimitBit)) operation.sets_limit = from.Index(kMostPermits);
    if (HasBit(word, kStallBit)) operation.stall = from.Length();
    if (operation.stops) operation.stop_after = from.Length();
    operation.think = from.Length();
    operation.wait = from.Length();
    operation.hold = from.Length();
    operation.overstay = from.Length();
    operation.resource = from.Index(kMostResources - 1);
    client.operations.push_back(operation);
  }
  for (std::uint64_t left = from.Number(kMostElements); left > 0 && from.ok(); --left) {
    PlannedFault fault;
    fault.kind = static_cast<sim::FaultKind>(from.Index(255));
    fault.step = from.Index(1'000'000);
    fault.length = from.Length();
    fault.node = from.Index(kMostNodes - 1);
    client.faults.push_back(fault);
  }
  return client;
}

std::optional<PackedRun> Unpack(std::string_view bytes) {
  Unpacker from(bytes);
  PackedRun run;
  run.workload.lease = from.Length();
  run.workload.permits = from.Index(kMostPermits);
  const auto word = static_cast<unsigned>(from.Index((2U << kLifeBit) - 1));
  run.workload.resources = static_cast<int>(word & ((1U << kResourceBits) - 1));
  run.workload.guard =
      static_cast<GuardKind>(word >> kResourceBits & ((1U << (kLifeBit - kResourceBits)) - 1));
  if (HasBit(word, kLifeBit)) run.workload.life = from.Length();
  run.workload.latency_max = from.Length();
  run.workload.topology = static_cast<sim::Topology>(from.Index(5));
  run.workload.nodes = from.Index(kMostNodes);
  run.workload.persistence = static_cast<sim::Persistence>(from.Index(3));
  for (std::uint64_t left = from.Number(100); left > 0 && from.ok(); --left) {
    run.workload.clients.push_back(UnpackClient(from));
  }
  for (auto& lane : run.tape.lanes) {
    for (std::uint64_t left = from.Number(kMostChoices); left > 0 && from.ok(); --left) {
      lane.push_back(static_cast<std::uint32_t>(from.Number(0xffffffffU)));
    }
  }
  if (!from.ok_and_done()) return std::nullopt;
  return run;
}

/// What no run can be made of, whatever the check sum says; empty: all is well.
std::string_view Flaw(const Workload& workload) {
  if (workload.lease < std::chrono::milliseconds(1)) return "its lease is shorter than 1 ms";
  if (workload.lease > kLongestLease) return "its lease is longer than 24 hours";
  if (workload.clients.empty()) return "it has no clients";
  if (workload.permits < 1) return "it has no permits";
  if (workload.latency_max.count() < 0) return "its latency is negative";
  if (workload.life.count() != 0 && workload.life < std::chrono::milliseconds(1)) {
    return "its latch lives for less than 1 ms";
  }
  if (workload.resources < 1) return "it has no resources";
  const bool alone = workload.topology == sim::Topology::kStandalone;
  const bool paired = workload.topology == sim::Topology::kShards;
  const int least = 1 + sim::SentinelsOf(workload.topology);
  if (workload.nodes < least || (alone && workload.nodes != 1) ||
      (paired && workload.nodes % 2 != 0)) {
    return "its number of servers does not fit its topology";
  }
  for (const ClientPlan& client : workload.clients) {
    if (client.clock_rate_ppm < -kMostRatePpm || client.clock_rate_ppm > kMostRatePpm) {
      return "a client's clock runs at no rate that a clock can have";
    }
    const bool own_lease = client.lease.count() != 0;
    if (own_lease &&
        (client.lease < std::chrono::milliseconds(1) || client.lease > workload.lease)) {
      return "a client's own lease is shorter than 1 ms, or longer than that of all";
    }
    for (const Operation& operation : client.operations) {
      if (operation.ask > Ask::kWait) return "an operation asks in a way that is not known here";
      if (operation.resource >= workload.resources) return "an operation names no resource of it";
    }
    for (const PlannedFault& fault : client.faults) {
      if (sim::FindFault(fault.kind) == nullptr) return "it has a fault that is not known here";
      if (fault.node >= workload.nodes) return "a fault names no server of it";
    }
  }
  return {};
}

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto colon = text.find(':');
    parts.push_back(text.substr(0, colon));
    if (colon == std::string_view::npos) return parts;
    text.remove_prefix(colon + 1);
  }
}

Status Bad(std::string message) { return Status(StatusCode::kInvalidArgument, std::move(message)); }

std::optional<SynchronyClass> ClassFrom(std::string_view text) {
  for (const SynchronyClass synchrony :
       {SynchronyClass::kNone, SynchronyClass::kBounded, SynchronyClass::kArbitrary}) {
    if (ToString(synchrony) == text) return synchrony;
  }
  return std::nullopt;
}

}  // namespace

std::uint32_t TokenCheckSum(std::string_view bytes) {
  std::uint32_t crc = 0xffffffffU;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xedb88320U & (0U - (crc & 1U)));
  }
  return ~crc;
}

std::string Encode(const ReplayToken& token) {
  std::string run;
  if (const auto* seed = std::get_if<std::uint64_t>(&token.run)) {
    run = fmt::format("r{:x}", *seed);
  } else {
    run = "p" + ToBase64(Pack(std::get<PackedRun>(token.run)));
  }
  const std::string body = fmt::format("{}:{}:{}:{}:{}", kVersion, token.lock, token.scenario,
                                       ToString(token.synchrony), run);
  return fmt::format("{}:{:08x}", body, TokenCheckSum(body));
}

Result<ReplayToken> DecodeReplayToken(std::string_view text) {
  const std::vector<std::string_view> parts = Split(text);
  if (parts.size() < 2 || parts[0].size() < 2 || parts[0][0] != 'v') {
    return Bad("this is not a replay token: it should begin with \"v2:\"");
  }
  if (parts[0] != kVersion) {
    return Bad(fmt::format("the token is of version {}; this program replays {} only", parts[0],
                           kVersion));
  }
  if (parts.size() != 6) {
    return Bad(fmt::format("the token has {} parts instead of 6; was it cut?", parts.size()));
  }
  const std::string_view body = text.substr(0, text.size() - parts[5].size() - 1);
  if (fmt::format("{:08x}", TokenCheckSum(body)) != parts[5]) {
    return Bad("the token is damaged: its check sum does not fit; was it cut or mistyped?");
  }
  ReplayToken token;
  token.lock = parts[1];
  token.scenario = parts[2];
  const auto synchrony = ClassFrom(parts[3]);
  if (!synchrony.has_value())
    return Bad(fmt::format("unknown class \"{}\" in the token", parts[3]));
  token.synchrony = *synchrony;
  const std::string_view run = parts[4];
  if (run.starts_with('r')) {
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(run.data() + 1, run.data() + run.size(), seed, 16);
    if (error != std::errc() || end != run.data() + run.size()) return Bad("bad seed in the token");
    token.run = seed;
    return token;
  }
  const auto bytes = run.starts_with('p') ? FromBase64(run.substr(1)) : std::nullopt;
  auto packed = bytes.has_value() ? Unpack(*bytes) : std::nullopt;
  if (!packed.has_value()) return Bad("the packed run in the token cannot be read");
  if (const std::string_view flaw = Flaw(packed->workload); !flaw.empty()) {
    return Bad(fmt::format("the packed run in the token makes no sense: {}", flaw));
  }
  token.run = std::move(*packed);
  return token;
}

std::optional<PackedRun> PackedRunIn(std::string_view token) {
  auto decoded = DecodeReplayToken(token);
  if (!decoded.ok() || !std::holds_alternative<PackedRun>(decoded->run)) return std::nullopt;
  return std::get<PackedRun>(std::move(decoded->run));
}

}  // namespace interlock::scenarios
