// SPDX-License-Identifier: MIT
#include "tests/redis/differential/shrink.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/redis/text.h"
#include "tests/redis/differential/scripts.h"

namespace interlock::testing {

namespace {

using sim::redis::Argv;
using sim::redis::EqualsIgnoreCase;

// With fewer words these would wait, hold every client up or reach for the control connection.
bool MustStay(const Argv& argv) {
  for (const std::string_view name : {"client", "debug", "wait", "config"}) {
    if (std::any_of(argv.begin(), argv.end(),
                    [name](const std::string& word) { return EqualsIgnoreCase(word, name); })) {
      return true;
    }
  }
  return false;
}

bool IsGenericScript(const Argv& argv) {
  const auto bodies = GenericScriptBodies();
  return argv.size() > 3 && std::find(bodies.begin(), bodies.end(), argv[1]) != bodies.end();
}

rc::Seq<Step> ShrinkStep(const Step& step) {
  std::vector<Step> simpler;
  if (IsGenericScript(step.argv)) {
    simpler.push_back({step.connection, Argv(step.argv.begin() + 3, step.argv.end())});
  }
  if (!MustStay(step.argv)) {
    for (std::size_t i = step.argv.size(); i-- > 1;) {
      Argv shorter = step.argv;
      shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(i));
      simpler.push_back({step.connection, std::move(shorter)});
    }
    for (std::size_t i = 1; i < step.argv.size(); ++i) {
      if (step.argv[i].size() <= 1) continue;
      Argv plainer = step.argv;
      plainer[i] = "a";
      simpler.push_back({step.connection, std::move(plainer)});
    }
  }
  if (step.connection > 0) simpler.push_back({step.connection - 1, step.argv});
  return rc::seq::fromContainer(std::move(simpler));
}

Case WithSteps(std::vector<Step> steps) { return {std::move(steps)}; }

}  // namespace

rc::Seq<Case> ShrinkCase(const Case& sequence) {
  return rc::seq::map(rc::seq::concat(rc::shrink::removeChunks(sequence.steps),
                                      rc::shrink::eachElement(sequence.steps, &ShrinkStep)),
                      &WithSteps);
}

}  // namespace interlock::testing
