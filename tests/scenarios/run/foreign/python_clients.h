// SPDX-License-Identifier: MIT
//
// Small clients in Python, driven.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/scenarios/child_process.h"

namespace interlock::scenarios {

/// Of which each client is made.
inline const std::string kTools = R"(
import os, sys, threading, time, subprocess, redis
server = redis.Redis.from_url(os.environ["REDIS_URL"])
me = int(os.environ["INTERLOCK_CLIENT"])
def enter(): server.execute_command("INTERLOCK.ENTER", "stock")
def leave(): server.execute_command("INTERLOCK.LEAVE", "stock")
def acquire(times=1000000, ttl=None):
    for _ in range(times):
        if server.set("lock:stock", "me", nx=True, px=ttl): return True
        time.sleep(0.01)
    return False
def release(): server.delete("lock:stock")
)";

inline testing::ChildResult DriveFor(const std::string& client,
                                     const std::vector<std::string>& options,
                                     std::optional<testing::LateSignal> late = {}) {
  std::vector<std::string> words = {INTERLOCK_PROGRAM, "drive"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", "/usr/bin/python3", "-c", kTools + client});
  return testing::RunChild(words, late);
}

}  // namespace interlock::scenarios
