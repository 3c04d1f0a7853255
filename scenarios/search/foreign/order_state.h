// SPDX-License-Identifier: MIT
//
// A search of all orders that was not finished, as a file: what is left to do, and what was found.
// It belongs to one version of this program and one set of options; a file of another one is
// refused, and the difference named.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/result.h>

#include "scenarios/search/foreign/drive_report.h"
#include "scenarios/search/foreign/order_search.h"
#include "scenarios/search/foreign/order_walk.h"
#include "sim/choices.h"

namespace interlock::scenarios::drive {

/// A violation, to be repeated by its choices.
struct OrderCase {
  std::string slug;
  std::string key;  ///< see Finding
  sim::Tape tape;   ///< the schedule's lane only
  std::uint64_t first_run = 0;
};

struct OrderState {
  std::vector<OrderPrefix> left;
  OrderTotals totals;
  DriveSum sum;
  std::vector<OrderCase> found;
};

/// `version`: of this program.
std::string ToJson(const OrderState& state, const DriveOptions& options, bool reduce,
                   std::string_view version);
/// kInvalidArgument, with what is wrong, or how it belongs to another search.
Result<OrderState> ReadOrderState(std::string_view json, const DriveOptions& options, bool reduce,
                                  std::string_view version);

}  // namespace interlock::scenarios::drive
