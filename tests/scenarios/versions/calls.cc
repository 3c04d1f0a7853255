// SPDX-License-Identifier: MIT
#include "tests/scenarios/versions/calls.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <interlock/options.h>

#include "src/scripts/fair_scripts.h"
#include "src/scripts/latch_scripts.h"
#include "src/scripts/mutex_scripts.h"
#include "src/scripts/permit_scripts.h"
#include "src/scripts/quorum_scripts.h"
#include "src/scripts/reentrant_scripts.h"
#include "src/scripts/shared_scripts.h"
#include "src/scripts/single_file_scripts.h"

namespace interlock::scenarios::testing {
namespace {

using namespace std::chrono_literals;
using internal::ScriptCall;

constexpr auto kLease = 1000ms;
constexpr internal::LineRule kRule = {.grace = 200ms, .look_again = 500ms};

/// Adds lines about one kind.
class Lines {
 public:
  Lines(std::string kind, std::vector<std::string>& lines)
      : kind_(std::move(kind)), lines_(lines) {}

  void Add(const ScriptCall& call) {
    std::string line = kind_ + ": " + std::string(call.script->name) + " KEYS";
    for (std::size_t i = 0; i < call.keys.size(); ++i) line += ' ' + Shown(call.keys[i]);
    line += " ARGV";
    for (std::size_t i = 0; i < call.arguments.size(); ++i) line += ' ' + Shown(call.arguments[i]);
    lines_.push_back(std::move(line));
  }
  void Add(const std::string& what, const std::string& word) {
    lines_.push_back(kind_ + ": " + what + ' ' + Shown(word));
  }

  void AddAll(const internal::LockScripts& scripts) {
    Add(scripts.Acquire("t"));
    Add(scripts.AcquireWaiting("t", {.standing = "", .patience = 700ms, .again = false}));
    Add(scripts.AcquireWaiting("t", {.standing = "u", .patience = 0ms, .again = true}));
    Add(scripts.Extend("t", 900ms));
    Add(scripts.Release("t", 17));
    Add(scripts.ForceRelease("t", 17));
    Add(scripts.Abandon("t"));
    if (const std::optional<ScriptCall> call = scripts.HandOn()) Add(*call);
    Add(scripts.Inspect());
    Add("sleeps on", scripts.signal());
  }
  void AddLine(const internal::LineScripts& scripts) {
    AddAll(scripts);
    Add(scripts.Queue("t"));
    Add("sleeps in line on", scripts.Turn("t"));
  }

 private:
  static std::string Shown(std::string_view word) {
    return word.empty() ? "''" : std::string(word);
  }

  const std::string kind_;
  std::vector<std::string>& lines_;
};

void AddPrefixes(std::vector<std::string>& lines) {
  const auto add = [&](const std::string& kind, const std::string& prefix) {
    Lines(kind, lines).Add("prefix", prefix);
  };
  add("count-down-latch", CountDownLatchOptions().key_prefix);
  add("fair-mutex", FairMutexOptions().key_prefix);
  add("mutex", MutexOptions().key_prefix);
  add("redlock", RedlockOptions().key_prefix);
  add("reentrant-mutex", ReentrantMutexOptions().key_prefix);
  add("semaphore", SemaphoreOptions().key_prefix);
  add("shared-mutex", SharedMutexOptions().key_prefix);
  add("single-file", SingleFileOptions().key_prefix);
}

}  // namespace

std::vector<const internal::Script*> TodaysScripts() {
  std::vector<const internal::Script*> all;
  for (const auto& some :
       {internal::FairScripts::All(), internal::LatchScripts::All(), internal::MutexScripts::All(),
        internal::PermitScripts::All(), internal::QuorumScripts::All(),
        internal::ReaderScripts::All(), internal::ReentrantScripts::All(),
        internal::SingleFileScripts::All(), internal::WriterScripts::All()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

std::vector<std::string> CallsOfAllKinds() {
  std::vector<std::string> lines;
  Lines latch("count-down-latch", lines);
  const internal::LatchScripts latches("P:", "n", kLease);
  latch.Add(latches.Close(3));
  latch.Add(latches.CountDown("i"));
  latch.Add(latches.Look());
  latch.Add(latches.Remove());
  latch.Add("sleeps on", latches.signal());

  Lines("fair-mutex", lines).AddLine(internal::FairScripts("P:", "n", kLease, kRule));
  Lines("mutex", lines).AddAll(internal::MutexScripts("P:", "n", kLease));
  Lines("mutex with a lock-delay", lines).AddAll(internal::MutexScripts("P:", "n", kLease, 100ms));
  Lines("redlock", lines).Add(internal::QuorumScripts("P:", "n", kLease).RaiseFence("t", 17));
  Lines("reentrant-mutex", lines).AddAll(internal::ReentrantScripts("P:", "n", kLease, "o"));

  Lines semaphore("semaphore", lines);
  const internal::PermitScripts permits("P:", "n", kLease, 2);
  semaphore.AddAll(permits);
  semaphore.Add(permits.SetLimit(3));
  semaphore.Add(permits.Count());

  Lines("shared-mutex, readers", lines).AddAll(internal::ReaderScripts("P:", "n", kLease));
  Lines("shared-mutex, writers", lines).AddAll(internal::WriterScripts("P:", "n", kLease, true));
  Lines("shared-mutex, writers without preference", lines)
      .AddAll(internal::WriterScripts("P:", "n", kLease, false));
  Lines("shared-mutex", lines).Add(internal::InspectBoth(internal::SharedKeys("P:", "n")));
  Lines("single-file", lines).AddLine(internal::SingleFileScripts("P:", "n", kLease, kRule, 2));
  AddPrefixes(lines);
  return lines;
}

}  // namespace interlock::scenarios::testing
