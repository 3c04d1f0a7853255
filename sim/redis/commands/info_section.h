// SPDX-License-Identifier: MIT
//
// What the sections of INFO are made of. Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sim/redis/dialect.h"

namespace interlock::sim::redis {

class Engine;

/// The lines of one section, each "name:value". What follows In(), up to the next, is only of those
/// servers.
class InfoSection {
 public:
  explicit InfoSection(const Dialect& dialect) : dialect_(dialect) {}
  InfoSection& Add(std::string_view name, std::string_view value) {
    if (printed_) text_.append(name).append(":").append(value).append("\r\n");
    return *this;
  }
  InfoSection& Add(std::string_view name, std::int64_t value) {
    return Add(name, std::to_string(value));
  }
  InfoSection& Add(std::string_view name, std::size_t value) {
    return Add(name, std::to_string(value));
  }
  /// One value for many names.
  InfoSection& AddAll(std::initializer_list<std::string_view> names, std::string_view value) {
    for (const std::string_view name : names) Add(name, value);
    return *this;
  }
  InfoSection& In(DialectSet servers) {
    printed_ = dialect_.IsIn(servers);
    return *this;
  }
  InfoSection& InAll() {
    printed_ = true;
    return *this;
  }
  std::string Take() { return std::move(text_); }

 private:
  const Dialect& dialect_;
  bool printed_ = true;
  std::string text_;
};

struct InfoSectionRow {
  std::string_view name;
  std::string_view title;
  std::string (*print)(Engine&);
  bool by_default = true;
  DialectSet in = kAllDialects;
};
/// All, in the order in which they are printed.
std::span<const InfoSectionRow> InfoSections();

std::string MemorySection(Engine& engine);
std::string StatsSection(Engine& engine);

}  // namespace interlock::sim::redis
