// SPDX-License-Identifier: MIT
#include "sim/serve/loop.h"

#include <string>

namespace interlock::sim::serve {

ServeEnd RunLoop(boost::asio::io_context& io, const std::string_view& reason,
                 const std::function<void()>& due, const ServeOutput& output) {
  while (reason.empty() && io.run_one() > 0) due();
  if (reason.empty()) {
    output.notice("internal error: the server's loop ended although nothing had stopped it");
    return ServeEnd::kFailed;
  }
  output.notice("stopped by " + std::string(reason));
  return ServeEnd::kStopped;
}

}  // namespace interlock::sim::serve
