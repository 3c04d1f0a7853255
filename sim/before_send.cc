// SPDX-License-Identifier: MIT
#include "sim/before_send.h"

#include <cstddef>

#include "sim/hash.h"

namespace interlock::sim {

namespace {

/// The key of a command, taken from where nearly all commands have it; empty if there is none.
std::string_view KeyOf(std::span<const std::string_view> argv) {
  const bool script = argv[0].starts_with("EVAL") || argv[0].starts_with("eval");
  const std::size_t at = script ? 3 : 1;
  if (argv.size() <= at || (script && argv[2] == "0")) return {};
  return argv[at];
}

/// The part of a key in braces, which all keys of one resource share; without braces the whole key.
std::string_view HashTag(std::string_view key) {
  const std::size_t open = key.find('{');
  if (open == std::string_view::npos) return key;
  const std::size_t close = key.find('}', open);
  if (close == std::string_view::npos || close == open + 1) return key;
  return key.substr(open + 1, close - open - 1);
}

PendingEvent PendingSend(const Engine& engine, const Process& process,
                         std::span<const std::string_view> argv) {
  PendingEvent pending;
  if (!engine.choices.sees_candidates()) return pending;
  const auto seed = static_cast<std::uint64_t>(process.database) + 1;
  pending.what = seed;
  for (const std::string_view word : argv) pending.what = HashBytes(word, pending.what);
  const std::string_view key = argv.empty() ? std::string_view() : HashTag(KeyOf(argv));
  if (!key.empty()) pending.resource = HashBytes(key, seed);
  return pending;
}

}  // namespace

bool StepBeforeSend(Engine& engine, Process& process, std::span<const std::string_view> argv) {
  constexpr StepKind kKind = StepKind::kBeforeSend;
  if (engine.instant()) {
    return engine.StepInSight(process, kKind, PendingSend(engine, process, argv));
  }
  if (!engine.Step(process, kKind)) return false;
  if (engine.scheduler.others_are_ready()) {
    engine.scheduler.YieldPoint(PendingSend(engine, process, argv));
  }
  return !engine.scheduler.tearing_down();
}

}  // namespace interlock::sim
