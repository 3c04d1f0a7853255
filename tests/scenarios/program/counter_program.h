// SPDX-License-Identifier: MIT
//
// The smallest program that can be right or wrong: clients that count together.
#pragma once

#include <cstddef>
#include <string>

#include <interlock/harness/program.h>

namespace interlock::harness {

inline void Count(SimulatedClient& client) {
  if (client.Call({"INCR", "count"}).ok()) client.Note("counted");
}

/// Reads, adds one and writes, which loses an update if two do so at once.
inline void CountBadly(SimulatedClient& client) {
  const auto count = client.Call({"GET", "count"});
  if (!count.ok()) return;
  const int next = count->IsNil() ? 1 : std::stoi(count->text) + 1;
  if (client.Call({"SET", "count", std::to_string(next)}).ok()) client.Note("counted");
}

inline std::string LostCounts(const ProgramView& view) {
  const std::string count = view.server.String("count").value_or("0");
  if (std::stoul(count) >= view.Count("counted")) return "";
  return std::to_string(view.Count("counted")) + " were counted, and the count is " + count;
}

inline Program Counter(const ClientProgram& client, int clients = 2) {
  Program program{.name = "test.counter"};
  program.clients.assign(static_cast<std::size_t>(clients), client);
  program.invariants = {{"every count is kept", LostCounts}};
  return program;
}

}  // namespace interlock::harness
