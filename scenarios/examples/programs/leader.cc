// SPDX-License-Identifier: MIT
//
// A leader asks its lease whether it still leads before each entry, which is what it can do. The
// answer may be old when the entry arrives: the process is paused, or the message is late. Only the
// log itself can refuse it then.
#include <interlock/interlock.h>

#include <chrono>
#include <string>

#include "programs.h"

namespace acme {
namespace {

namespace harness = interlock::harness;
using std::chrono::seconds;

constexpr int kEntries = 3;
constexpr std::string_view kAppend =
    "local last = redis.call('lindex', KEYS[1], -1) "
    "if last and tonumber(ARGV[1]) < tonumber(last) then return 0 end "
    "return redis.call('rpush', KEYS[1], ARGV[1])";

void Lead(harness::SimulatedClient& client, Guard guard) {
  interlock::Client locks(client.environment().runtime, client.environment().connector);
  auto mutex = interlock::Mutex::Create(locks, "leader", {.lease = seconds(1)});
  auto lease = mutex->AcquireFor(seconds(10));
  if (!lease.ok()) return;
  const std::string term = std::to_string(lease->fencing_token());
  for (int entry = 0; entry < kEntries && lease->valid(); ++entry) {
    if (guard == Guard::kTrust) {
      (void)client.Call({"RPUSH", "log", term});
    } else {
      (void)client.Call({"EVAL", kAppend, "1", "log", term});
    }
    client.Sleep(std::chrono::milliseconds(100));
  }
}

std::string Stale(const harness::ProgramView& view) {
  std::string last;
  for (const std::string& term : view.server.List("log")) {
    if (!last.empty() && std::stoull(term) < std::stoull(last)) {
      return "an entry of term " + term + " follows one of term " + last;
    }
    last = term;
  }
  return "";
}

}  // namespace

harness::Program Leader(Guard guard) {
  harness::Program program{.name = guard == Guard::kTrust ? "acme.leader" : "acme.fenced-leader"};
  program.clients.assign(2, [guard](harness::SimulatedClient& client) { Lead(client, guard); });
  program.invariants = {{"no leader writes after its successor", Stale}};
  return program;
}

}  // namespace acme
