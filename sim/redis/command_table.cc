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

namespace interlock::sim::redis {

namespace {

constexpr std::size_t kMaxName = 40;

// Open addressing over the lower-cased names: a look-up costs one hash of the name, one comparison,
// and no allocation.
class Table {
 public:
  Table() {
    for (const auto rows :
         {catalogue::KeyRows(), catalogue::StringRows(), catalogue::CollectionRows(),
          catalogue::StreamRows(), catalogue::ConnectionRows(), catalogue::MessagingRows(),
          catalogue::ServerRows(), catalogue::ClusterRows()}) {
      commands_.insert(commands_.end(), rows.begin(), rows.end());
    }
    std::sort(commands_.begin(), commands_.end(),
              [](const Command& a, const Command& b) { return a.name < b.name; });
    for (Command& command : commands_) DeriveKeyRange(&command);
    for (std::size_t i = 0; i < commands_.size(); ++i) {
      commands_[i].place = static_cast<std::uint16_t>(i + 1);
      std::size_t slot = Slot(commands_[i].name);
      while (slots_[slot] != 0) slot = (slot + 1) % kSlots;
      slots_[slot] = static_cast<std::uint16_t>(i + 1);
    }
    for (const auto rows : {
             // clang-format off
             StringCommands(),
             StringNumberCommands(),
             StringRangeCommands(),
             KeyCommands(),
             ExpireCommands(),
             ScanCommands(),
             ObjectCommands(),
             DumpCommands(),
             ListCommands(),
             ListPopCommands(),
             HashCommands(),
             SetCommands(),
             SetAlgebraCommands(),
             SortedSetCommands(),
             SortedSetRangeCommands(),
             SortedSetPopCommands(),
             SortedSetAlgebraCommands(),
             PubSubCommands(),
             ScriptCommands(),
             TransactionCommands(),
             ConfigCommands(),
             ServerCommands(),
             CommandCommands(),
             ClusterCommands(),
             PersistenceCommands(),
             ReplicationCommands(),
             ConnectionCommands(),
             ClientCommands(),
             DebugCommands(),
             InfoCommands(),
             // clang-format on
         }) {
      for (const HandlerRow& row : rows) {
        const_cast<Command*>(Find(row.name))->handler = row.handler;
      }
    }
  }

  std::span<const Command> commands() const { return commands_; }

  const Command* Find(std::string_view lower_case) const {
    for (std::size_t slot = Slot(lower_case); slots_[slot] != 0; slot = (slot + 1) % kSlots) {
      const Command& command = commands_[slots_[slot] - 1U];
      if (command.name == lower_case) return &command;
    }
    return nullptr;
  }

 private:
  static constexpr std::size_t kSlots = 2048;
  static std::size_t Slot(std::string_view name) {
    std::uint32_t hash = 2166136261U;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    return (hash ^ (hash >> 15)) % kSlots;
  }

  std::vector<Command> commands_;
  std::array<std::uint16_t, kSlots> slots_{};
};

const Table& TheTable() {
  static const Table table;
  return table;
}

// Appends the lower-cased text; false if it is too long for any name.
bool Append(std::string_view text, std::array<char, kMaxName>* buffer, std::size_t* length) {
  if (*length + text.size() > buffer->size()) return false;
  for (const char c : text) {
    (*buffer)[(*length)++] = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return true;
}

}  // namespace

std::span<const Command> KnownCommands() { return TheTable().commands(); }

std::uint32_t AclCategories(const Command& command) {
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

const Command* FindCommand(std::string_view name, std::string_view sub, bool has_sub,
                           bool* known_container) {
  *known_container = false;
  std::array<char, kMaxName> buffer;
  std::size_t length = 0;
  if (!Append(name, &buffer, &length)) return nullptr;
  if (name.find('|') != std::string_view::npos) return nullptr;
  const Command* command = TheTable().Find({buffer.data(), length});
  if (command == nullptr || (command->flags & kContainer) == 0) return command;
  *known_container = true;
  if (!has_sub) return command;
  if (!Append("|", &buffer, &length) || !Append(sub, &buffer, &length)) return nullptr;
  return TheTable().Find({buffer.data(), length});
}

}  // namespace interlock::sim::redis
