// SPDX-License-Identifier: MIT
//
// Whoever gets the lock looks whether the job is done, does it, and says so. In between the worker
// may stand still for longer than its lease, or die. What must happen once therefore happens
// together with saying so, in one step that an older token no longer takes.
#include <interlock/interlock.h>

#include <chrono>
#include <string>

#include "programs.h"

namespace acme {
namespace {

namespace harness = interlock::harness;
using std::chrono::seconds;

constexpr std::string_view kRunOnce =
    "if redis.call('exists', KEYS[1]) == 1 or "
    "tonumber(ARGV[1]) < tonumber(redis.call('get', KEYS[3]) or '0') then return 0 end "
    "redis.call('set', KEYS[3], ARGV[1]) redis.call('set', KEYS[1], ARGV[1]) "
    "return redis.call('incr', KEYS[2])";

void Work(harness::SimulatedClient& client, Guard guard) {
  interlock::Client locks(client.environment().runtime, client.environment().connector);
  auto mutex = interlock::Mutex::Create(locks, "job", {.lease = seconds(1)});
  auto lease = mutex->AcquireFor(seconds(10));
  if (!lease.ok()) return;
  if (guard == Guard::kFence) {
    const std::string token = std::to_string(lease->fencing_token());
    (void)client.Call({"EVAL", kRunOnce, "3", "done", "runs", "job:token", token});
    return;
  }
  const auto done = client.Call({"EXISTS", "done"});
  if (!done.ok() || done->integer == 1 || !lease->valid()) return;
  if (client.Call({"INCR", "runs"}).ok()) (void)client.Call({"SET", "done", "1"});
}

}  // namespace

harness::Program OnceJob(Guard guard) {
  harness::Program program{.name = guard == Guard::kTrust ? "acme.job" : "acme.fenced-job"};
  program.clients.assign(3, [guard](harness::SimulatedClient& client) { Work(client, guard); });
  program.invariants = {{"the job runs once", [](const harness::ProgramView& view) {
                           const std::string runs = view.server.String("runs").value_or("0");
                           return std::stoi(runs) > 1 ? "it has run " + runs + " times" : "";
                         }}};
  return program;
}

}  // namespace acme
