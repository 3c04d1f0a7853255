// SPDX-License-Identifier: MIT
//
// The lock keeps the shops apart for as long as its lease lasts. A shop that is held up between its
// look at the stock and its sale sells what the other one has sold meanwhile, unless the stock
// itself refuses what is late: then both steps show their fencing token.
#include <interlock/interlock.h>

#include <chrono>
#include <string>

#include "programs.h"

namespace acme {
namespace {

namespace harness = interlock::harness;
using std::chrono::seconds;

constexpr std::string_view kLook =
    "if tonumber(ARGV[1]) < tonumber(redis.call('get', KEYS[2]) or '0') then return 0 end "
    "redis.call('set', KEYS[2], ARGV[1]) return tonumber(redis.call('get', KEYS[1]))";
constexpr std::string_view kSell =
    "if tonumber(ARGV[1]) < tonumber(redis.call('get', KEYS[2]) or '0') then return -1 end "
    "return redis.call('decr', KEYS[1])";

void Shop(harness::SimulatedClient& client, Guard guard) {
  interlock::Client locks(client.environment().runtime, client.environment().connector);
  auto mutex = interlock::Mutex::Create(locks, "stock", {.lease = seconds(1)});
  auto lease = mutex->AcquireFor(seconds(10));
  if (!lease.ok()) return;
  if (guard == Guard::kTrust) {
    const auto left = client.Call({"GET", "left"});
    if (!left.ok() || left->text == "0" || !lease->valid()) return;
    (void)client.Call({"DECR", "left"});
    return;
  }
  const std::string token = std::to_string(lease->fencing_token());
  const auto left = client.Call({"EVAL", kLook, "2", "left", "left:token", token});
  if (!left.ok() || left->integer < 1) return;
  (void)client.Call({"EVAL", kSell, "2", "left", "left:token", token});
}

}  // namespace

harness::Program Inventory(Guard guard) {
  harness::Program program{.name =
                               guard == Guard::kTrust ? "acme.inventory" : "acme.fenced-inventory"};
  program.clients.assign(2, [guard](harness::SimulatedClient& client) { Shop(client, guard); });
  program.setup = [](harness::SimulatedClient& client) { (void)client.Call({"SET", "left", "1"}); };
  program.invariants = {{"no item is sold twice", [](const harness::ProgramView& view) {
                           const std::string left = view.server.String("left").value_or("0");
                           return std::stoi(left) < 0 ? left + " items are left" : "";
                         }}};
  return program;
}

}  // namespace acme
