// SPDX-License-Identifier: MIT
#include "scenarios/cli/replay_case.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "reports/json_writer.h"
#include "scenarios/cases/generators.h"
#include "scenarios/cases/kind_model.h"
#include "scenarios/cases/server_words.h"
#include "scenarios/cli/values.h"
#include "scenarios/judge/property.h"
#include "scenarios/log/words.h"
#include "scenarios/search/shrink/trial.h"

namespace interlock::scenarios::cli {
namespace {

constexpr std::size_t kDigest = 8;  // hexadecimal digits

Result<reports::Counterexample> ReadFile(const std::string& name) {
  const auto text = ReadWholeFile(name);
  if (!text.ok()) return text.status();
  auto read = reports::ReadCounterexample(*text);
  if (!read.value.has_value()) return Invalid(fmt::format("{}: {}", name, read.error));
  return *std::move(read.value);
}

/// The token in a file's replay line: quoted, or bare if no program was known.
Result<std::string> TokenIn(const std::string& name, const std::string& replay) {
  const auto open = replay.find('\'');
  const auto close = replay.rfind('\'');
  if (open != std::string::npos && close > open) return replay.substr(open + 1, close - open - 1);
  if (replay.starts_with('v') && replay.find(' ') == std::string::npos) return replay;
  if (replay.find(" drive --replay ") != std::string::npos) {
    return Invalid(
        fmt::format("{0} is a case of foreign clients: use interlock drive --replay {0}", name));
  }
  return Invalid(fmt::format("{}: its \"replay\" line holds no token", name));
}

std::uint64_t DigestAt(std::string_view digests, std::size_t index) {
  std::uint64_t value = 0;
  const std::string_view text = digests.substr(index * kDigest, kDigest);
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

/// What the workload needs and the lock does not have; empty: nothing.
std::string WhatItLacks(const Workload& workload, const std::string& lock,
                        const harness::Traits& traits) {
  const Extras extras = ExtrasOf(traits);
  const bool keeps_limit = LimitStands(traits.kind).has_value();
  if (workload.permits > 1 && !ModelOf(traits.kind).permits) {
    return fmt::format("the token asks for {} permits of {}, which is not a semaphore",
                       workload.permits, lock);
  }
  if (HasReaders(workload) && !ModelOf(traits.kind).shares) {
    return fmt::format("the token asks {} for readers, which it does not have", lock);
  }
  if (HasOwnLeases(workload) && !traits.own_leases && !keeps_limit) {
    return fmt::format("the token has clients with leases of their own, but {} has one for all",
                       lock);
  }
  if (HasOwnLimits(workload) && !keeps_limit) {
    return fmt::format("the token has clients with limits of their own, but {} keeps none", lock);
  }
  if (SetsLimits(workload) && !MaySetLimits(traits.kind)) {
    return fmt::format("the token has the limit of {} set, which is only that of its permits",
                       lock);
  }
  if (std::ranges::any_of(workload.clients, &ClientPlan::shares_objects) && !traits.concurrent) {
    return fmt::format(
        "the token has several tasks use one object of {}, which does not say that they may", lock);
  }
  if (HasStops(workload) && !extras.stops) {
    return fmt::format("the token stops waits of {}, which cannot be", lock);
  }
  if (HasOperators(workload) && !extras.operators) {
    return fmt::format("the token has operators of {}, which has no operations for them", lock);
  }
  return "";
}

std::string Quoted(std::string_view text) {
  std::string quoted;
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') quoted.push_back('\\');
    quoted.push_back(letter);
  }
  return quoted;
}

std::string CamelCase(std::string_view words) {
  std::string camel;
  bool up = true;
  for (const char letter : words) {
    const bool lower = letter >= 'a' && letter <= 'z';
    const bool other = (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9');
    if (lower || other) {
      camel.push_back(lower && up ? static_cast<char>(letter - 'a' + 'A') : letter);
    }
    up = !lower;
  }
  return camel;
}

}  // namespace

sim::Choices ReplayCase::Choices() const {
  if (const auto* packed = std::get_if<PackedRun>(&token.run)) {
    return sim::Choices::FromTape(packed->tape);
  }
  return ChoicesOfRun(std::get<std::uint64_t>(token.run));
}

RunResult ReplayCase::Run(sim::Universe& universe, bool keep_events) const {
  sim::Choices choices = Choices();
  return RunOnce(universe, run_case(), workload, choices, keep_events);
}

void ReplayCase::PutOn(const sim::redis::Dialect& server) {
  if (unit.scenario->server == &server) return;
  unit.scenario = &OnServer(*unit.scenario, server);
  token.scenario = unit.scenario->name;
  token_text = Encode(token);
  if (file.has_value()) file->record.reset();
}

Result<ReplayCase> ReadReplayCase(const std::string& what, const Registry& registry) {
  std::error_code error;
  if (!std::filesystem::exists(what, error)) {
    // Of any version: decoding reports what is wrong with a token.
    if (what.starts_with('v') && what.find(':') != std::string::npos) {
      return ReplayCaseOf(what, registry);
    }
    return Invalid(
        fmt::format("\"{}\" is neither a replay token (v2:...) nor an existing file", what));
  }
  auto file = ReadFile(what);
  if (!file.ok()) return file.status();
  const auto token = TokenIn(what, file->replay);
  if (!token.ok()) return token.status();
  auto replayed = ReplayCaseOf(*token, registry);
  if (replayed.ok()) replayed->file = *std::move(file);
  return replayed;
}

Result<ReplayCase> ReplayCaseOf(std::string_view token, const Registry& registry) {
  ReplayCase replayed;
  replayed.token_text = token;
  auto decoded = DecodeReplayToken(token);
  if (!decoded.ok()) return decoded.status();
  replayed.token = *std::move(decoded);
  Unit& unit = replayed.unit;
  unit.entry = registry.Find(replayed.token.lock);
  if (unit.entry == nullptr) {
    const auto missing = registry.Select(replayed.token.lock);
    return Invalid("the token names an " + std::string(missing.status().message()));
  }
  unit.scenario = FindScenario(replayed.token.scenario);
  if (unit.scenario == nullptr) {
    const auto missing = SelectScenarios(replayed.token.scenario);
    return Invalid("the token names an " + std::string(missing.status().message()));
  }
  unit.synchrony = replayed.token.synchrony;
  if (const auto* packed = std::get_if<PackedRun>(&replayed.token.run)) {
    replayed.workload = packed->workload;
  } else {
    const std::uint64_t seed = std::get<std::uint64_t>(replayed.token.run);
    replayed.workload =
        Generator(*unit.scenario, ExtrasOf(unit.entry->subject->traits())).Draw(seed);
  }
  const std::string lacks =
      WhatItLacks(replayed.workload, replayed.token.lock, unit.entry->subject->traits());
  if (!lacks.empty()) return Invalid(lacks);
  return replayed;
}

std::optional<std::string> Divergence(const reports::Record& record, const RunResult& run) {
  if (run.trace_hash == record.trace_hash) return std::nullopt;
  const std::size_t digests = record.digests.size() / kDigest;
  const std::uint64_t stride = std::max<std::uint64_t>(record.stride, 1);
  std::uint64_t same = 0;  // the last step known to be as recorded
  for (const sim::TraceEvent& event : run.events) {
    if (event.step == 0 || event.step % stride != 0) continue;
    const std::uint64_t index = event.step / stride - 1;
    if (index >= digests) {
      return fmt::format("the recorded run ended at step {}; this one goes on", record.steps);
    }
    if (DigestAt(record.digests, index) == (event.hash & 0xffffffffU)) {
      same = event.step;
      continue;
    }
    const std::string where = stride == 1 ? fmt::format("at step {}", event.step)
                                          : fmt::format("in steps {} to {}", same + 1, event.step);
    return fmt::format("the first difference to the recorded run is {}, at {}: {} \"{}\"", where,
                       Instant(event.time), ClientName(event.process), event.text);
  }
  return fmt::format("this run ends after step {}; the recorded one has {} steps", same,
                     record.steps);
}

std::string AsTest(const ReplayCase& replayed, const RunResult& run, bool shipped) {
  std::string code = "LK000";
  std::string what = "It violated nothing when this test was made.";
  std::string name = "Holds";
  const auto asked =
      replayed.file.has_value() ? JudgedFromSlug(replayed.file->property) : std::nullopt;
  const Violation* naming = asked.has_value() ? run.Find(*asked) : nullptr;
  if (naming == nullptr) naming = NamingViolation(run, replayed.run_case());
  if (naming != nullptr) {
    code = Code(naming->property);
    what = naming->what;
    name = code + CamelCase(Slug(naming->property));
  }
  std::string text = fmt::format(
      "// A regression test, made by `interlock replay --as-test`. The run that it repeats "
      "violated {}:\n// {}\n",
      code, what);
  if (const auto why = WhyUnproven(*replayed.unit.scenario->server)) text += "// " + *why + "\n";
  text += "#include <interlock/harness/replay.h>\n\n#include <gtest/gtest.h>\n\n";
  std::string subject;
  if (!shipped) {
    text +=
        "// The lock under test: yours to define, beside the adapter of the lock.\n"
        "std::shared_ptr<const interlock::harness::Subject> SubjectUnderTest();\n\n";
    subject = "SubjectUnderTest(), ";
  }
  text += fmt::format("TEST({}Regression, {}) {{\n", CamelCase(replayed.token.lock), name);
  text += fmt::format(
      "  const interlock::harness::ReplayVerdict verdict = interlock::harness::Replay(\n"
      "      {}\"{}\");\n",
      subject, Quoted(replayed.token_text));
  text += "  ASSERT_TRUE(verdict.replayed) << verdict.text;\n";
  text += fmt::format("  EXPECT_FALSE(verdict.Violates(\"{}\")) << verdict.text;\n}}\n", code);
  return text;
}

}  // namespace interlock::scenarios::cli
