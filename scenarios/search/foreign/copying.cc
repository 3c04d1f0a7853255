// SPDX-License-Identifier: MIT
#include "scenarios/search/foreign/copying.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "scenarios/log/words.h"
#include "scenarios/search/foreign/likeness.h"
#include "sim/choices.h"

namespace interlock::scenarios::drive {
namespace {

Result<DriveRun> RunCalmly(const DriveOptions& options) {
  sim::Choices choices = sim::Choices::FromTape({});
  return RunClients(options, choices);
}

}  // namespace

Result<std::unique_ptr<Templates>> TemplatesFor(const DriveOptions& options, const DriveRun& calm,
                                                std::string& why_none) {
  std::unique_ptr<Templates> none;
  if (!options.virtual_clock) {
    why_none = "they go by the machine's clock";
    return none;
  }
  auto templates = Templates::Start(options, calm.ready_after);
  if (!templates.ok() || !(*templates)->CanCopyAny()) return templates;
  DriveOptions copied = options;
  copied.templates = templates->get();
  auto run = RunCalmly(copied);
  if (!run.ok()) return run.status();
  if (!DifferenceOf(*run, calm, calm)) return templates;
  auto again = RunCalmly(options);
  if (!again.ok()) return again.status();
  const auto difference = DifferenceOf(*run, calm, *again);
  if (!difference) return templates;
  why_none = "a copy does something else: " + *difference;
  return none;
}

std::string HowRunsBegin(const Templates* templates, int clients, const std::string& why_none) {
  if (templates == nullptr) {
    return "each run starts the clients anew, because " + why_none;
  }
  std::string sentence;
  for (int client = 0; client < clients; ++client) {
    const std::string& why_not = templates->WhyNot(client);
    if (why_not.empty()) continue;
    sentence += fmt::format("{}{} is started anew for each run, because {}",
                            sentence.empty() ? "" : "; ", ClientName(client), why_not);
  }
  const std::string where = templates->AnyIsReady() ? "where they connect after INTERLOCK.READY"
                                                    : "where they first connect";
  if (sentence.empty()) return "each run copies the clients " + where;
  if (templates->CanCopyAny()) sentence += "; the others are copied " + where;
  return sentence;
}

}  // namespace interlock::scenarios::drive
