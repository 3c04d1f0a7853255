// SPDX-License-Identifier: MIT
#include "src/cluster_slots.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "src/key_slot.h"

namespace interlock::internal {
namespace {

constexpr int kMaxPort = std::numeric_limits<std::uint16_t>::max();

std::optional<NodeAddress> ParseNode(const Reply& node, const NodeAddress& asked) {
  if (!node.IsArray() || node.elements.size() < 2 || !node.elements[1].IsInteger()) {
    return std::nullopt;
  }
  const std::int64_t port = node.elements[1].integer;
  if (port < 1 || port > kMaxPort) return std::nullopt;
  const std::string& host = node.elements[0].text;
  const bool nameless = host.empty() || host == "?";
  return NodeAddress{nameless ? asked.host : host, static_cast<int>(port)};
}

}  // namespace

std::optional<SlotTable> ParseSlots(const Reply& reply, const NodeAddress& asked) {
  if (!reply.IsArray()) return std::nullopt;
  SlotTable table;
  for (const Reply& range : reply.elements) {
    if (!range.IsArray() || range.elements.size() < 3) return std::nullopt;
    const std::int64_t first = range.elements[0].integer;
    const std::int64_t last = range.elements[1].integer;
    const std::optional<NodeAddress> node = ParseNode(range.elements[2], asked);
    if (!node || first < 0 || last < first || last >= kSlots) return std::nullopt;
    const auto known = std::find(table.nodes.begin(), table.nodes.end(), *node);
    const auto index = static_cast<std::size_t>(known - table.nodes.begin());
    if (known == table.nodes.end()) table.nodes.push_back(*node);
    table.ranges.push_back({static_cast<int>(first), static_cast<int>(last), index});
  }
  std::ranges::sort(table.ranges, {}, &SlotTable::Range::first);
  return table;
}

std::optional<std::size_t> SlotTable::OwnerOf(int slot) const {
  if (const auto at = moved.find(slot); at != moved.end()) return at->second;
  const auto after = std::ranges::upper_bound(ranges, slot, {}, &Range::first);
  if (after == ranges.begin() || std::prev(after)->last < slot) return std::nullopt;
  return std::prev(after)->node;
}

Result<NodeAddress> ClusterSlots::Owner(int slot, MonotonicTime deadline) {
  Status read;
  if (MustRead()) {
    read = Refresh(deadline);
    if (read.code() == StatusCode::kCancelled) return read;
  }
  MutexGuard guard(mutex_);
  if (table_.nodes.empty()) {
    if (!read.ok()) return read;
    return Status(StatusCode::kUnavailable, "the table of slots is not known yet");
  }
  const std::optional<std::size_t> owner = table_.OwnerOf(slot);
  return owner ? table_.nodes[*owner] : teller_.value_or(table_.nodes.front());
}

bool ClusterSlots::MustRead() {
  MutexGuard guard(mutex_);
  const bool needed = table_.nodes.empty() ||
                      (questioned_ && runtime_.Now() >= AddSaturating(read_, kRefreshPause));
  if (!needed || (reading_ && !table_.nodes.empty())) return false;
  reading_ = true;
  return true;
}

Status ClusterSlots::Refresh(MonotonicTime deadline) {
  Status failure(StatusCode::kUnavailable, "no node told the table of slots");
  for (const NodeAddress& node : Candidates()) {
    const MonotonicTime now = runtime_.Now();
    if (now >= deadline) break;
    Result<SlotTable> table =
        Read(node, std::min(deadline, AddSaturating(now, options_.node_timeout)));
    if (table.ok()) {
      {
        MutexGuard guard(mutex_);
        table_ = std::move(table).value();
        teller_ = node;
        failed_.reset();
        questioned_ = false;
        read_ = runtime_.Now();
        reading_ = false;
      }
      Tell(TopologyEvent::Kind::kSlotsLearned, node);
      return Status();
    }
    failure = table.status();
    if (failure.code() == StatusCode::kCancelled) break;
  }
  MutexGuard guard(mutex_);
  read_ = runtime_.Now();
  reading_ = false;
  return failure;
}

Result<SlotTable> ClusterSlots::Read(const NodeAddress& node, MonotonicTime deadline) {
  Result<std::unique_ptr<Connection>> made = connect_(node, deadline);
  if (!made.ok()) return made.status();
  const std::array<std::string_view, 2> question = {"CLUSTER", "SLOTS"};
  const Result<Reply> reply = (*made)->Call(question, deadline);
  if (!reply.ok()) {
    const bool cancelled = reply.code() == StatusCode::kCancelled;
    if (cancelled) return reply.status();
    return Status(StatusCode::kUnavailable, reply.status().message());
  }
  std::optional<SlotTable> table = ParseSlots(*reply, node);
  if (table && !table->nodes.empty()) return *std::move(table);
  return Status(StatusCode::kUnavailable,
                node.ToString() + " knows no owner of any slot: " + reply->text);
}

std::vector<NodeAddress> ClusterSlots::Candidates() {
  MutexGuard guard(mutex_);
  std::vector<NodeAddress> candidates;
  const auto add = [&](const NodeAddress& node) {
    const bool known = std::find(candidates.begin(), candidates.end(), node) != candidates.end();
    if (!known) candidates.push_back(node);
  };
  if (teller_) add(*teller_);
  for (const NodeAddress& node : table_.nodes) add(node);
  for (const NodeAddress& node : options_.seeds) add(node);
  const std::optional<NodeAddress> last = failed_;
  std::stable_partition(candidates.begin(), candidates.end(),
                        [&](const NodeAddress& node) { return node != last; });
  return candidates;
}

void ClusterSlots::Moved(int slot, const NodeAddress& owner) {
  MutexGuard guard(mutex_);
  questioned_ = true;
  if (slot < 0 || slot >= kSlots || table_.nodes.empty()) return;
  const auto known = std::find(table_.nodes.begin(), table_.nodes.end(), owner);
  table_.moved[slot] = static_cast<std::size_t>(known - table_.nodes.begin());
  if (known == table_.nodes.end()) table_.nodes.push_back(owner);
}

void ClusterSlots::Question(const NodeAddress& node) {
  MutexGuard guard(mutex_);
  questioned_ = true;
  failed_ = node;
}

void ClusterSlots::Tell(TopologyEvent::Kind kind, const NodeAddress& node,
                        std::string detail) const {
  if (options_.observer) options_.observer({kind, node, std::move(detail)});
}

}  // namespace interlock::internal
