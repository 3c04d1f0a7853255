// SPDX-License-Identifier: MIT
#include <interlock/harness/replay.h>

#include <fmt/format.h>

#include "scenarios/cli/replay_case.h"
#include "scenarios/judge/property.h"
#include "scenarios/log/words.h"

namespace interlock::harness {
namespace {

ReplayVerdict ReplayWith(const Result<scenarios::cli::Registry>& registry, std::string_view token) {
  ReplayVerdict verdict;
  if (!registry.ok()) {
    verdict.text = registry.status().message();
    return verdict;
  }
  const auto replayed = scenarios::cli::ReplayCaseOf(token, *registry);
  if (!replayed.ok()) {
    verdict.text = replayed.status().message();
    return verdict;
  }
  sim::Universe universe;
  const scenarios::RunResult run = replayed->Run(universe);
  verdict.replayed = true;
  for (const scenarios::Violation& violation : run.violations) {
    const std::string code(scenarios::Code(violation.property));
    if (!verdict.Violates(code)) verdict.codes.push_back(code);
    verdict.text += fmt::format("{} {} at {}: {}\n", code, scenarios::Slug(violation.property),
                                scenarios::Instant(violation.at), violation.what);
  }
  if (run.inconclusive.has_value()) verdict.text += "inconclusive: " + *run.inconclusive + "\n";
  return verdict;
}

}  // namespace

ReplayVerdict Replay(std::shared_ptr<const Subject> subject, std::string_view token) {
  if (subject == nullptr) {
    ReplayVerdict verdict;
    verdict.text = "the subject is null";
    return verdict;
  }
  const std::string name(subject->name());
  const auto decoded = scenarios::DecodeReplayToken(token);
  if (decoded.ok() && decoded->lock != name) {
    ReplayVerdict verdict;
    verdict.text = fmt::format("the token is of {}, not of {}", decoded->lock, name);
    return verdict;
  }
  return ReplayWith(scenarios::cli::Registry::Make({std::move(subject)}), token);
}

ReplayVerdict Replay(std::string_view token) {
  return ReplayWith(scenarios::cli::Registry::Make({}), token);
}

}  // namespace interlock::harness
