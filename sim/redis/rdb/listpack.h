// SPDX-License-Identifier: MIT
//
// Redis' listpack: a list of short texts and integers in one byte string, as used in dumps for
// small collections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace interlock::sim::redis {

class ListpackWriter {
 public:
  /// A text that is an integer in its shortest form is stored as one.
  void Append(std::string_view text);
  /// The size of the whole listpack so far.
  std::size_t size() const;
  std::size_t count() const { return count_; }
  std::string Finish() const;

 private:
  std::string entries_;
  std::size_t count_ = 0;
};

/// The elements as texts; nullopt: not a listpack.
std::optional<std::vector<std::string>> ReadListpack(std::string_view bytes);

}  // namespace interlock::sim::redis
