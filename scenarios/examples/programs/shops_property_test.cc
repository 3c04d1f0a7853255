// SPDX-License-Identifier: MIT
//
// A RapidCheck property of a program: however the shops order and whatever goes wrong, the stock
// book adds up. Steps and faults are drawn and shrunk together.
#include <gtest/gtest.h>
#include <interlock/harness/rapidcheck.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <ostream>
#include <string>
#include <utility>

namespace acme {

namespace harness = interlock::harness;

/// A delivery of so many, or a sale of one.
struct Booking {
  int delivered = 0;  ///< 0: it is a sale
};

std::ostream& operator<<(std::ostream& out, const Booking& booking) {
  return booking.delivered > 0 ? out << "+" << booking.delivered : out << "-1";
}

}  // namespace acme

template <>
struct rc::Arbitrary<acme::Booking> {
  static Gen<acme::Booking> arbitrary() {
    return gen::map(gen::inRange(0, 3), [](int count) { return acme::Booking{count}; });
  }
};

namespace acme {

/// Looks and sells in one script, so that no other shop comes in between.
void Book(harness::SimulatedClient& client, const Booking& booking) {
  if (booking.delivered > 0) {
    (void)client.Call({"INCRBY", "stock", std::to_string(booking.delivered)});
    return;
  }
  (void)client.Call({"EVAL",
                     "if tonumber(redis.call('get', KEYS[1]) or '0') > 0 then "
                     "return redis.call('decr', KEYS[1]) end return -1",
                     "1", "stock"});
}

std::string Oversold(const harness::ProgramView& view) {
  const std::string stock = view.server.String("stock").value_or("0");
  return std::stoi(stock) < 0 ? "the stock is " + stock : "";
}

RC_GTEST_PROP(ShopsProperty, NeverOversell,
              (const harness::ClientSteps<Booking>& bookings, const harness::FaultPlan& plan)) {
  const harness::Program program =
      harness::ProgramOf<Booking>("acme.shops", bookings, Book, {{"stock is left", Oversold}});
  harness::RequireOk(harness::Simulate(
      program, plan, {.runs = 10, .faults = {{"crash", 1}, {"pause", 1}, {"lost-reply", 1}}}));
}

}  // namespace acme
