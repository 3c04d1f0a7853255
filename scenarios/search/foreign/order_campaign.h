// SPDX-License-Identifier: MIT
//
// The campaign of `interlock drive --explore`: a search of all orders (see order_search.h), its
// limits, what it found, and what its verdicts are worth. Before the search a few random runs tell
// about how long it will be.
//
// Guarantee: a row holds only if the search was complete. Of several violations of a property the
// one with the fewest commands is kept. Thread safety: that of ForeignProcess.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <interlock/result.h>

#include "reports/run_report.h"
#include "scenarios/search/foreign/drive_report.h"
#include "scenarios/search/foreign/order_search.h"

namespace interlock::scenarios::drive {

struct OrderOptions {
  bool reduce = true;  ///< of steps that commute, one order
  std::optional<std::uint64_t> runs;
  std::optional<std::chrono::seconds> budget;
  std::uint64_t seed = 1;  ///< of the random runs before the search
  std::string resume;      ///< a state to go on from, as JSON; empty: from the start
  std::string version;     ///< of this program: a state of another one is refused
  /// Called with a state every few seconds, so that little is lost with the process.
  std::function<void(const std::string&)> save = [](const std::string&) {};
  /// Called with a sentence about what is to be expected.
  std::function<void(const std::string&)> announce = [](const std::string&) {};
  /// Called with the number of runs done, and of all as it looks now.
  std::function<void(std::uint64_t, std::uint64_t)> progress = [](std::uint64_t, std::uint64_t) {};
};

class OrderCampaign {
 public:
  /// The others outlive it; adds to both.
  OrderCampaign(const OrderOptions& options, const DriveOptions& drive, DriveSum& sum,
                std::vector<DriveFound>& found);

  /// Fails as RunClients does; kInvalidArgument: it cannot go on from that state.
  Status Search();

  /// Makes the verdicts those of a search. REQUIRES: after Search.
  void Judge(std::vector<reports::ResultRow>& rows) const;
  /// "complete: all orders of ..." or why it is not.
  std::string Sentence() const;
  /// To go on from later; empty: there is nothing left to do.
  std::string State() const;

 private:
  Status Resume();
  Status Estimate();
  void Announce(std::chrono::steady_clock::time_point began) const;
  bool GoesOn();
  void SaveNowAndThen();
  void Take(OrderRun made, std::uint64_t number);
  void Note(const OrderRun& made, std::uint64_t number);
  bool complete() const;
  std::string Bounds() const;
  std::string WhyNot() const;

  const OrderOptions& options_;
  const DriveOptions& drive_;
  DriveSum& sum_;
  std::vector<DriveFound>& found_;
  OrderSearch search_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point next_save_;
  std::string ended_by_;  // what has ended it before its end
};

}  // namespace interlock::scenarios::drive
