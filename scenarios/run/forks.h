// SPDX-License-Identifier: MIT
//
// Pieces of work in processes of their own, forked from this one, each of which answers with a
// text.
//
// Guarantee: none of the processes outlives the call or the calling thread, and they tear down
// nothing of this one's; only the caller receives Ctrl-C. Thread safety: none; REQUIRES: the
// calling process has one thread, because a fork copies no other.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/result.h>

namespace interlock::scenarios {

/// `stop` is set when the process is to end.
using ForkedWork =
    std::function<Result<std::string>(std::size_t index, const std::atomic<bool>& stop)>;

struct ForkEnd {
  std::optional<Result<std::string>> answer;  ///< nullopt: it ended before it could give one
  int wait_status = 0;                        ///< as of waitpid
};

/// Runs work(0), ..., work(count - 1), each in its own process; the ends are by index, and what a
/// piece of work throws is its failure. The processes are told when `stop`, which may be null, is
/// set. kUnavailable: a process could not be started.
Result<std::vector<ForkEnd>> RunInForks(std::size_t count, const ForkedWork& work,
                                        const std::atomic<bool>* stop);

/// Returns false if nobody reads it, or not all could be written. Safe in a signal handler.
bool SendAll(int fd, std::string_view text);

}  // namespace interlock::scenarios
