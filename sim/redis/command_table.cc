// SPDX-License-Identifier: MIT
#include "sim/redis/command_table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "sim/redis/catalogue/catalogue.h"
#include "sim/redis/command_keys.h"
#include "sim/redis/state.h"

namespace interlock::sim::redis {

namespace {

constexpr std::size_t kMaxName = 40;

// A lower-cased name with its hash; for a subcommand "container|name".
class LowerCased {
 public:
  explicit LowerCased(std::string_view name) { Append(name); }

  void Append(std::string_view name) {
    if (name.size() > kMaxName - length_) {
      too_long_ = true;
      return;
    }
    for (const char c : name) {
      const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      text_[length_++] = lower;
      hash_ = (hash_ ^ static_cast<unsigned char>(lower)) * 16777619U;
    }
  }
  /// No command has a name this long.
  bool too_long() const { return too_long_; }
  std::string_view text() const { return {text_.data(), length_}; }
  std::size_t hash() const { return hash_ ^ (hash_ >> 15); }

 private:
  std::array<char, kMaxName> text_;
  std::size_t length_ = 0;
  std::uint32_t hash_ = 2166136261U;
  bool too_long_ = false;
};

// Open addressing over the lower-cased names: a look-up costs one hash, one comparison, and no
// allocation.
class Table {
 public:
  explicit Table(const Dialect& dialect) {
    for (const auto rows :
         {catalogue::KeyRows(), catalogue::StringRows(), catalogue::CollectionRows(),
          catalogue::StreamRows(), catalogue::ConnectionRows(), catalogue::MessagingRows(),
          catalogue::ServerRows(), catalogue::ClusterRows()}) {
      commands_.insert(commands_.end(), rows.begin(), rows.end());
    }
    catalogue::AddNewer(dialect, &commands_);
    std::sort(commands_.begin(), commands_.end(),
              [](const Command& a, const Command& b) { return a.name < b.name; });
    for (Command& command : commands_) {
      if (command.name.find('|') != std::string_view::npos) command.flags |= kSubcommand;
      if (IsDescribed(command.name)) command.flags |= kShowsInState;
      DeriveKeyRange(&command);
    }
    for (std::size_t i = 0; i < commands_.size(); ++i) {
      commands_[i].place = static_cast<std::uint16_t>(i + 1);
      std::size_t slot = LowerCased(commands_[i].name).hash() % kSlots;
      while (slots_[slot] != 0) slot = (slot + 1) % kSlots;
      slots_[slot] = static_cast<std::uint16_t>(i + 1);
    }
    for (const auto rows : {
             // clang-format off
             StringCommands(),
             ComparedStringCommands(),
             StringNumberCommands(),
             StringRangeCommands(),
             BitCommands(),
             BitFieldCommands(),
             BitOperationCommands(),
             KeyCommands(),
             ExpireCommands(),
             ScanCommands(),
             ObjectCommands(),
             DumpCommands(),
             SortCommands(),
             ListCommands(),
             ListPopCommands(),
             HashCommands(),
             HashTtlCommands(),
             HashExCommands(),
             SetCommands(),
             SetAlgebraCommands(),
             SortedSetCommands(),
             SortedSetRangeCommands(),
             SortedSetPopCommands(),
             SortedSetAlgebraCommands(),
             PubSubCommands(),
             ScriptCommands(),
             FunctionCommands(),
             TransactionCommands(),
             ConfigCommands(),
             ServerCommands(),
             CommandCommands(),
             ClusterCommands(),
             SlotMigrationCommands(),
             PersistenceCommands(),
             ReplicationCommands(),
             ConnectionCommands(),
             ClientCommands(),
             ClientTrackingCommands(),
             DebugCommands(),
             InfoCommands(),
             // clang-format on
         }) {
      for (const HandlerRow& row : rows) {
        const Command* command = Find(LowerCased(row.name));
        if (command != nullptr) commands_[command->place - 1U].handler = row.handler;
      }
    }
  }

  std::span<const Command> commands() const { return commands_; }

  const Command* Find(const LowerCased& name) const {
    for (std::size_t slot = name.hash() % kSlots; slots_[slot] != 0; slot = (slot + 1) % kSlots) {
      const Command& command = commands_[slots_[slot] - 1U];
      if (command.name == name.text()) return &command;
    }
    return nullptr;
  }

 private:
  static constexpr std::size_t kSlots = 2048;

  std::vector<Command> commands_;
  std::array<std::uint16_t, kSlots> slots_{};
};

// Made when it is first asked for: most processes know one dialect.
template <std::size_t id>
const Table& TheTable() {
  static const Table table(Dialects()[id]);
  return table;
}

template <std::size_t... ids>
const Table& TableOf(DialectId id, std::index_sequence<ids...> /*all*/) {
  static constexpr const Table& (*kTables[])() = {&TheTable<ids>...};
  return kTables[static_cast<std::size_t>(id)]();
}

const Table& TableOf(const Dialect& dialect) {
  return TableOf(dialect.id, std::make_index_sequence<kDialects>());
}

// This thread's latest look-ups of names of four to eight characters, exactly as written: nearly
// all that clients send is EVALSHA, EVAL or BLPOP.
class RecentCommands {
 public:
  static bool Suits(std::string_view name) { return name.size() >= 4 && name.size() <= 8; }

  // Null: not known. REQUIRES: Suits(name), here and below.
  const Command* Find(const Dialect& dialect, std::string_view name) const {
    const Known& known = known_[name.size() % kMost];
    const bool same =
        known.size == name.size() && known.name == AsNumber(name) && known.dialect == dialect.id;
    return same ? known.command : nullptr;
  }
  void Note(const Dialect& dialect, std::string_view name, const Command* command) {
    known_[name.size() % kMost] = {AsNumber(name), static_cast<std::uint32_t>(name.size()),
                                   dialect.id, command};
  }

 private:
  static constexpr std::size_t kMost = 8;

  struct Known {
    std::uint64_t name = 0;
    std::uint32_t size = 0;
    DialectId dialect = DialectId::kRedis70;
    const Command* command = nullptr;
  };

  // The first four characters and the last four, which may overlap.
  static std::uint64_t AsNumber(std::string_view name) {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::memcpy(&first, name.data(), sizeof(first));
    std::memcpy(&last, name.data() + name.size() - sizeof(last), sizeof(last));
    return std::uint64_t{last} << 32 | first;
  }

  std::array<Known, kMost> known_{};
};

constinit thread_local RecentCommands recent_commands;

}  // namespace

std::span<const Command> KnownCommands(const Dialect& dialect) {
  return TableOf(dialect).commands();
}

std::span<const std::byte> RecentlyFound() { return std::as_bytes(std::span(&recent_commands, 1)); }

std::uint32_t AclCategories(const Command& command) {
  if ((command.flags & kModule) != 0) return 0;
  std::uint32_t categories = command.categories;
  const auto imply = [&](std::uint32_t flag, std::uint32_t implied) {
    if ((command.flags & flag) != 0) categories |= implied;
  };
  imply(kWrite, kAclWrite);
  // Scripts are not reads, whatever they do.
  if ((categories & kAclScripting) == 0) imply(kReadOnly, kAclRead);
  imply(kAdmin, kAclAdmin | kAclDangerous);
  imply(kPubSub, kAclPubSub);
  imply(kBlocking, kAclBlocking);
  return categories | ((command.flags & kFast) != 0 ? kAclFast : kAclSlow);
}

const Command* FindCommand(const Dialect& dialect, std::string_view name, std::string_view sub,
                           bool has_sub, bool* known_container) {
  *known_container = false;
  const bool may_be_recent = RecentCommands::Suits(name);
  const Command* const recent = may_be_recent ? recent_commands.Find(dialect, name) : nullptr;
  if (recent != nullptr) return recent;
  LowerCased known_as(name);
  if (known_as.too_long()) return nullptr;
  const Table& table = TableOf(dialect);
  const Command* command = table.Find(known_as);
  // A client may not use "client|id" as a name.
  if (command == nullptr || (command->flags & kSubcommand) != 0) return nullptr;
  if ((command->flags & kContainer) == 0) {
    if (may_be_recent) recent_commands.Note(dialect, name, command);
    return command;
  }
  *known_container = true;
  if (!has_sub) return command;
  known_as.Append("|");
  known_as.Append(sub);
  return known_as.too_long() ? nullptr : table.Find(known_as);
}

const Command* FindCommand(const Dialect& dialect, std::span<const std::string_view> words) {
  bool container = false;
  const bool has_sub = words.size() > 1;
  return FindCommand(dialect, words[0], has_sub ? words[1] : std::string_view(), has_sub,
                     &container);
}

const Command* FindCommand(const Dialect& dialect, std::span<const std::string> words) {
  bool container = false;
  const bool has_sub = words.size() > 1;
  return FindCommand(dialect, words[0], has_sub ? std::string_view(words[1]) : std::string_view(),
                     has_sub, &container);
}

}  // namespace interlock::sim::redis
