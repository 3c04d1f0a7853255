// SPDX-License-Identifier: MIT
#include "sim/serve/alarm.h"

namespace interlock::sim::serve {

Alarm::Alarm(boost::asio::io_context& io) : timer_(io.get_executor()) {}

void Alarm::Set(std::optional<Time> at) {
  if (at == at_) return;
  at_ = at;
  if (!at) {
    timer_.cancel();
    return;
  }
  timer_.expires_at(*at);
  timer_.async_wait([](const boost::system::error_code&) {});
}

}  // namespace interlock::sim::serve
