// SPDX-License-Identifier: MIT
#include "sim/redis/journal.h"

#include <string>
#include <utility>

namespace interlock::sim::redis {

namespace {

std::int64_t Digits(std::size_t number) {
  return static_cast<std::int64_t>(std::to_string(number).size());
}

// "*2\r\n$3\r\nDEL\r\n$1\r\nk\r\n"
std::int64_t EncodedSize(const Argv& argv) {
  std::int64_t size = 3 + Digits(argv.size());
  for (const std::string& argument : argv) {
    size += 5 + Digits(argument.size()) + static_cast<std::int64_t>(argument.size());
  }
  return size;
}

}  // namespace

void Journal::Reset() {
  active_ = false;
  muted_ = false;
  keep_all_ = false;
  stream_is_foreign_ = false;
  open_ = Unit();
  units_.clear();
  first_index_ = 0;
  offset_ = 0;
  commands_ = 0;
  last_database_ = -1;
}

void Journal::Add(int database, std::span<const std::string_view> argv) {
  if (active_ && !muted_) open_.effects.push_back({database, Argv(argv.begin(), argv.end())});
}

void Journal::EndUnit() {
  if (open_.effects.empty()) return;
  if (stream_is_foreign_) {
    open_.readers = Unit::Readers::kFile;
    open_.end_offset = offset_;
    units_.push_back(std::exchange(open_, Unit()));
    return;
  }
  for (const Effect& effect : open_.effects) {
    if (effect.database != last_database_) {
      offset_ += EncodedSize({"SELECT", std::to_string(effect.database)});
      last_database_ = effect.database;
    }
    offset_ += EncodedSize(effect.argv);
  }
  const bool several = open_.effects.size() > 1;
  if (several) offset_ += EncodedSize({"MULTI"}) + EncodedSize({"EXEC"});
  commands_ += static_cast<std::int64_t>(open_.effects.size()) + (several ? 2 : 0);
  open_.end_offset = offset_;
  units_.push_back(std::exchange(open_, Unit()));
}

void Journal::Append(const Unit& unit) {
  if (!active_) return;
  units_.push_back(unit);
  offset_ = unit.end_offset;
}

void Journal::AddLinkCommand(std::initializer_list<std::string_view> argv) {
  EndUnit();
  Unit unit;
  unit.effects.push_back({last_database_, Argv(argv.begin(), argv.end())});
  unit.end_offset = offset_ += EncodedSize(unit.effects.front().argv);
  unit.readers = Unit::Readers::kLinks;
  units_.push_back(std::move(unit));
}

void Journal::TrimBefore(std::uint64_t index) {
  while (!keep_all_ && first_index_ < index && !units_.empty()) {
    units_.pop_front();
    ++first_index_;
  }
}

}  // namespace interlock::sim::redis
