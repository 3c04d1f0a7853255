// SPDX-License-Identifier: MIT
//
// A program with one lock, "test/mendable", that deletes whatever is there when it releases, until
// it is mended: while the variable MENDED is set. Tests take it for somebody's lock that fails.
#include <interlock/harness/main.h>

#include <cstdlib>

#include "tests/scenarios/plain_subject.h"

int main(int argc, char** argv) {
  const bool mended = std::getenv("MENDED") != nullptr;
  return interlock::harness::Main(argc, argv,
                                  {interlock::scenarios::testing::PlainSubject(
                                      {.name = "test/mendable", .release_blindly = !mended})});
}
