// SPDX-License-Identifier: MIT
//
// CLUSTER MIGRATESLOTS, GETSLOTMIGRATIONS and CANCELSLOTMIGRATIONS of Valkey 9.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/redis/commands/in_cluster.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

struct Group {
  std::vector<SlotRange> ranges;
  std::string target;
};

std::string Dashed(const SlotRange& range) {
  return std::to_string(range.first) + "-" + std::to_string(range.last);
}

bool Overlap(const SlotRange& a, const SlotRange& b) {
  return a.first <= b.last && b.first <= a.last;
}

/// The words of MIGRATESLOTS one after another. Once something is wrong it has been replied.
class Reader {
 public:
  Reader(Context& c, Cluster& cluster) : c_(c), cluster_(cluster) {}

  /// nullopt: something was wrong.
  std::optional<std::vector<Group>> Read() {
    std::vector<Group> groups;
    while (at_ < c_.args.size()) {
      Group group;
      if (!Skip("slotsrange") || !ReadRanges(group) || !CheckSlots(group)) return std::nullopt;
      for (const Group& earlier : groups) {
        for (const SlotRange& a : earlier.ranges) {
          const bool overlaps =
              std::ranges::any_of(group.ranges, [&a](const SlotRange& b) { return Overlap(a, b); });
          if (overlaps) return Wrong("ERR Slot ranges in migrations overlap"), std::nullopt;
        }
      }
      if (!Skip("node") || !ReadNode(group)) return std::nullopt;
      groups.push_back(std::move(group));
    }
    return groups;
  }

 private:
  bool Wrong(std::string_view error) {
    c_.Error(error);
    return false;
  }

  bool Skip(std::string_view word) {
    if (at_ >= c_.args.size() || !EqualsIgnoreCase(c_.args[at_], word)) return Wrong(kSyntax);
    ++at_;
    return true;
  }

  bool ReadSlot(std::size_t* slot) {
    std::int64_t number = 0;
    const bool right = ParseInteger(c_.args[at_], &number) && number >= 0 &&
                       number < static_cast<std::int64_t>(kSlots);
    if (!right) return Wrong("ERR Invalid or out of range slot");
    *slot = static_cast<std::size_t>(number);
    ++at_;
    return true;
  }

  // A range begins with a number; what follows the last one is no number.
  bool ReadRanges(Group& group) {
    std::int64_t number = 0;
    while (at_ < c_.args.size() && ParseInteger(c_.args[at_], &number)) {
      if (at_ + 1 == c_.args.size()) return Wrong("ERR No end slot for final slot range");
      SlotRange range;
      if (!ReadSlot(&range.first) || !ReadSlot(&range.last)) return false;
      if (range.first > range.last) {
        return Wrong("ERR Start slot number " + std::to_string(range.first) +
                     " is greater than end slot number " + std::to_string(range.last) + ".");
      }
      for (const SlotRange& earlier : group.ranges) {
        if (!Overlap(earlier, range)) continue;
        return Wrong("ERR Slot range " + Dashed(range) + " overlaps with previous range " +
                     Dashed(earlier) + ".");
      }
      group.ranges.push_back(range);
    }
    return !group.ranges.empty() || Wrong("ERR No slot ranges specified");
  }

  bool CheckSlots(const Group& group) {
    const ClusterView& view = cluster_.view();
    const std::int16_t owner = view.owner[group.ranges.front().first];
    for (const SlotRange& range : group.ranges) {
      for (std::size_t slot = range.first; slot <= range.last; ++slot) {
        if (view.owner[slot] == kNoNode) {
          return Wrong("ERR Slot " + std::to_string(slot) + " has no node served.");
        }
        if (view.owner[slot] != owner) return Wrong("ERR Requested slots span multiple shards");
      }
    }
    if (owner != static_cast<std::int16_t>(view.myself)) {
      return Wrong("ERR Slots are not served by this node.");
    }
    for (const SlotRange& range : group.ranges) {
      for (std::size_t slot = range.first; slot <= range.last; ++slot) {
        if (!cluster_.migrations().Exports(slot)) continue;
        return Wrong("ERR I am already migrating slot " + std::to_string(slot) + ".");
      }
    }
    return true;
  }

  bool ReadNode(Group& group) {
    if (at_ >= c_.args.size()) return Wrong(kSyntax);
    const std::string name(c_.args[at_++]);
    constexpr std::size_t kNameSize = 40;
    if (name.size() != kNameSize) {
      return Wrong(OneLine("ERR Invalid node name: " + std::string(UntilNul(name))));
    }
    const std::optional<std::size_t> node = cluster_.FindNode(name);
    if (!node) return Wrong(OneLine("ERR Unknown node name: " + std::string(UntilNul(name))));
    if (*node == cluster_.view().myself) return Wrong("ERR Target node can not be this node.");
    if (!cluster_.view().nodes[*node].master_id.empty()) {
      c_.Unmodelled("CLUSTER MIGRATESLOTS to a replica");
      return false;
    }
    group.target = name;
    return true;
  }

  Context& c_;
  Cluster& cluster_;
  std::size_t at_ = 2;
};

void MigrateSlots(Context& c, Cluster& cluster) {
  if (!cluster.myself().master_id.empty()) {
    return c.Error("ERR Slot migration can only be used on primary nodes.");
  }
  if (!cluster.migrating().empty() || !cluster.importing().empty()) {
    return c.Error("ERR Slots are being manually migrated");
  }
  std::optional<std::vector<Group>> groups = Reader(c, cluster).Read();
  if (!groups) return;
  for (Group& group : *groups) {
    cluster.migrations().Export(std::move(group.ranges), cluster.myself().id,
                                std::move(group.target));
  }
  c.Ok();
}

void GetSlotMigrations(Context& c, Cluster& cluster) {
  std::vector<Value>& all = c.Array();
  for (const SlotMigration& one : cluster.migrations().all()) {
    all.push_back(MapValue({StringValue("name"),
                            StringValue(one.name),
                            StringValue("operation"),
                            StringValue(one.exports ? "EXPORT" : "IMPORT"),
                            StringValue("slot_ranges"),
                            StringValue(ToText(one.ranges)),
                            StringValue("target_node"),
                            StringValue(one.target),
                            StringValue("source_node"),
                            StringValue(one.source),
                            StringValue("create_time"),
                            IntegerValue(one.created_s),
                            StringValue("last_update_time"),
                            IntegerValue(one.updated_s),
                            StringValue("last_ack_time"),
                            IntegerValue(one.updated_s),
                            StringValue("state"),
                            StringValue(ToString(one.state)),
                            StringValue("message"),
                            StringValue(one.message),
                            StringValue("cow_size"),
                            IntegerValue(0),
                            StringValue("remaining_repl_size"),
                            IntegerValue(0)}));
  }
}

void CancelSlotMigrations(Context& c, Cluster& cluster) {
  if (!cluster.migrations().CancelAll()) return c.Error("ERR No migrations ongoing");
  c.Ok();
}

constexpr HandlerRow kSlotMigrationCommands[] = {
    {"cluster|migrateslots", &InCluster<&MigrateSlots>},
    {"cluster|getslotmigrations", &InCluster<&GetSlotMigrations>},
    {"cluster|cancelslotmigrations", &InCluster<&CancelSlotMigrations>},
};

}  // namespace

std::span<const HandlerRow> SlotMigrationCommands() { return kSlotMigrationCommands; }

}  // namespace interlock::sim::redis
