// SPDX-License-Identifier: MIT
//
// The main loop of a served Redis, and how it ends.
#pragma once

#include <functional>
#include <string_view>

#include <boost/asio/io_context.hpp>

#include "sim/serve/options.h"

namespace interlock::sim::serve {

/// Runs the handlers of `io`, and `due` after each, until one of them has set `reason`: kStopped.
/// kFailed if nothing is left to run before that, which is a bug, since a server always waits for
/// somebody. Either is the last notice to `output`. Throws nothing of its own.
ServeEnd RunLoop(boost::asio::io_context& io, const std::string_view& reason,
                 const std::function<void()>& due, const ServeOutput& output);

}  // namespace interlock::sim::serve
