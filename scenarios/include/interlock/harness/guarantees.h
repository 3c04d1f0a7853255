// SPDX-License-Identifier: MIT
//
// The guarantee table as a function call: a lock under each class of faults on each topology,
// beside what its Subject::Promises say. As Check (interlock/harness/check.h), it needs no Redis
// and has no watchdog. Thread safety: may be called from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <interlock/harness/lock.h>

namespace interlock::harness {

struct GuaranteesOptions {
  std::uint64_t seed = 1;
  std::uint64_t runs = 1000;  ///< for each cell of the table, at least 1
  int jobs = 1;               ///< threads; the table does not depend on it
  std::string faults = "*";   ///< glob over the classes of faults; on a server as there
  std::string program = {};   ///< as CheckOptions::program
};

struct GuaranteesVerdict {
  bool kept = false;     ///< everything that it promises was put to the test and is as it says
  bool broken = false;   ///< something that it promises does not hold
  std::string text;      ///< the table; or what is wrong with the promises or the options
  std::string json;      ///< guarantees.json; empty if there is no table
  std::string markdown;  ///< guarantees.md; likewise
};

GuaranteesVerdict Guarantees(std::shared_ptr<const Subject> subject,
                             const GuaranteesOptions& options = {});

}  // namespace interlock::harness
