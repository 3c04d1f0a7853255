// SPDX-License-Identifier: MIT
//
// The options of SORT and SORT_RO.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/redis/context.h"

namespace interlock::sim::redis {

struct SortOptions {
  bool descending = false;
  bool alphabetic = false;
  std::int64_t offset = 0;  ///< Negative: from the first one on.
  std::int64_t count = -1;  ///< Negative: all of them.
  /// Where the weights are; empty: the elements are their own.
  std::optional<std::string_view> by;
  /// BY a text without a star: in the order in which the elements are stored.
  bool unsorted = false;
  std::vector<std::string_view> gets;
  std::optional<std::string_view> store;
};

/// Replies an error and returns false if they are none, or name keys of other slots in a Cluster.
bool ParseSortOptions(Context& c, SortOptions* options);

/// The value that a BY or GET pattern names for this element: "#" is the element, "w_*" a string,
/// "h_*->f" a field of a hash. nullopt: there is none.
std::optional<std::string_view> FindBySortPattern(Context& c, std::string_view pattern,
                                                  std::string_view element);

}  // namespace interlock::sim::redis
