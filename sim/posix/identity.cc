// SPDX-License-Identifier: MIT
#include "sim/posix/identity.h"

#include <cstdint>
#include <cstdlib>

namespace interlock::sim::posix {

namespace {

// Apart enough that no thread of one process has the number of another.
constexpr int kFirstProcessId = 1000;
constexpr int kBetweenProcesses = 1000;
constexpr int kMostProcesses = 64;

}  // namespace

int Identity::ProcessId() const {
  const int place = process_.id + kMostProcesses * incarnation_;
  return kFirstProcessId + kBetweenProcesses * place;
}

int Identity::ThreadId(std::uint32_t ordinal) const {
  return ProcessId() + static_cast<int>(ordinal);
}

std::string Identity::HostName() const { return "client-" + std::to_string(process_.id); }

long Identity::Rand() { return rand_r(&seed_); }

void Identity::Forget() {
  if (!process_.same_identity) ++incarnation_;
  seed_ = kFirstSeed;
}

}  // namespace interlock::sim::posix
