// SPDX-License-Identifier: MIT
#include "scenarios/search/real/lanes.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "reports/json_writer.h"
#include "scenarios/run/forks.h"

namespace interlock::scenarios::real {

Result<std::vector<reports::RunReport>> RunInLanes(std::size_t lanes, const LaneWork& work,
                                                   const std::atomic<bool>* stop) {
  const auto told = [&work](std::size_t index, const std::atomic<bool>& stops) {
    const Result<reports::RunReport> done = work(index, stops);
    return done.ok() ? Result<std::string>(reports::ToJson(*done)) : done.status();
  };
  const Result<std::vector<ForkEnd>> ends = RunInForks(lanes, told, stop);
  if (!ends.ok()) return ends.status();
  std::vector<reports::RunReport> all;
  std::vector<std::string> missing;
  for (const ForkEnd& end : *ends) {
    if (!end.answer) {
      missing.push_back(fmt::format("a process of the check ended early ({})", end.wait_status));
    } else if (!end.answer->ok()) {
      missing.emplace_back(end.answer->status().message());
    } else {
      auto read = reports::ReadRunReport(**end.answer);
      if (!read.value) return Status(StatusCode::kProtocolError, read.error);
      all.push_back(*std::move(read.value));
    }
  }
  if (all.empty() && !missing.empty()) {
    return Status(StatusCode::kUnavailable, missing.front());
  }
  for (const std::string& why : missing) {
    all.front().status = reports::RunStatus::kPartial;
    all.front().notes.push_back("what one process was to try is missing: " + why);
  }
  return all;
}

}  // namespace interlock::scenarios::real
