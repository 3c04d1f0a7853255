// SPDX-License-Identifier: MIT
#include "scenarios/cli/registry.h"
#include "scenarios/cases/scenario.h"
#include "scenarios/cli/server_option.h"
#include "scenarios/cli/values.h"

#include <fnmatch.h>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scenarios/judge/property.h"
#include "sim/unknown_name.h"

namespace interlock::scenarios::cli {
namespace {

constexpr std::size_t kLongestName = 64;

bool Matches(std::string_view pattern, std::string_view name) {
  return fnmatch(std::string(pattern).c_str(), std::string(name).c_str(), 0) == 0;
}

bool IsValidName(std::string_view name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789./_-";
  return !name.empty() && name.size() <= kLongestName &&
         name.find_first_not_of(kAllowed) == std::string_view::npos;
}

Status Unknown(std::string_view kind, std::string_view given,
               const std::vector<std::string_view>& known, std::string_view where_they_stand) {
  std::string text = sim::UnknownName(kind, given, known);
  if (!text.ends_with('?')) text += fmt::format("; {}", where_they_stand);
  return Invalid(std::move(text));
}

/// Those whose name matches any of the comma-separated patterns, in order.
template <typename T, typename NameOf>
Result<std::vector<T>> Choose(std::string_view kind, std::string_view patterns,
                              const std::vector<T>& all, const NameOf& name_of,
                              std::string_view where_they_stand) {
  std::vector<std::string_view> names;
  for (const T& one : all) names.push_back(name_of(one));
  std::vector<bool> matched(all.size());
  for (const std::string_view pattern : SplitAtCommas(patterns)) {
    bool any = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!Matches(pattern, names[i])) continue;
      matched[i] = any = true;
    }
    if (!any) return Unknown(kind, pattern, names, where_they_stand);
  }
  std::vector<T> chosen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (matched[i]) chosen.push_back(all[i]);
  }
  return chosen;
}

}  // namespace

std::string UnknownProperty(std::string_view given) {
  std::vector<const Property*> by_code(AllProperties().begin(), AllProperties().end());
  std::ranges::stable_sort(by_code, {}, &Property::code);
  std::vector<std::string_view> known;
  for (const Property* property : by_code) {
    known.push_back(property->code);
    known.push_back(property->slug);
  }
  return sim::UnknownName("property", given, known);
}

Result<Registry> Registry::Make(std::vector<std::shared_ptr<const harness::Subject>> own,
                                std::string_view program) {
  Registry registry;
  // Ours is usually called through the wrapper in the root of the checkout.
  const bool ours = program.substr(program.rfind('/') + 1) == "interlock";
  registry.program_ = ours ? "./interlock" : program;
  for (auto& subject : SoundSubjects()) registry.entries_.push_back({subject, false, {}});
  for (auto& subject : DurableSubjects()) registry.entries_.push_back({subject, false, {}});
  for (auto& subject : CompiledSubjects()) {
    registry.entries_.push_back({subject, false, {}});
    registry.entries_.back().sampled = true;
  }
  for (auto& subject : own) {
    if (subject == nullptr) return Invalid("a subject is null");
    if (!IsValidName(subject->name())) {
      return Invalid(fmt::format("invalid lock name \"{}\": use 1 to {} of a-z 0-9 . / _ -",
                                 subject->name(), kLongestName));
    }
    if (registry.Find(subject->name()) != nullptr) {
      return Invalid(fmt::format("two locks are called \"{}\"", subject->name()));
    }
    if (const harness::Traits traits = subject->traits(); traits.os_threads && !traits.posix) {
      return Invalid(
          fmt::format("{} has Traits::os_threads without Traits::posix; expected both, or neither",
                      subject->name()));
    }
    registry.entries_.push_back({std::move(subject), false, {}, true});
  }
  for (Specimen& specimen : Specimens()) {
    if (registry.Find(specimen.subject->name()) != nullptr) {
      return Invalid(fmt::format("two locks are called \"{}\"", specimen.subject->name()));
    }
    registry.entries_.push_back({specimen.subject, true, specimen.expected});
  }
  return registry;
}

Result<std::vector<Entry>> Registry::Select(std::string_view patterns) const {
  return Choose(
      "lock", patterns, entries_, [](const Entry& entry) { return entry.subject->name(); },
      "see `list locks`");
}

const Entry* Registry::Find(std::string_view name) const {
  for (const Entry& entry : entries_) {
    if (entry.subject->name() == name) return &entry;
  }
  return nullptr;
}

Result<std::vector<const Scenario*>> SelectScenarios(std::string_view patterns) {
  const auto server = TakeServer(patterns);
  if (!server.ok()) return server.status();
  std::vector<const Scenario*> all;
  for (const Scenario& scenario : Catalogue()) all.push_back(&scenario);
  auto chosen = Choose(
      "scenario", patterns, all, [](const Scenario* scenario) { return scenario->name; },
      "see `list scenarios`");
  if (chosen.ok()) PutOn(*server, *chosen);
  return chosen;
}

Result<std::vector<const Scenario*>> SelectFaultClasses(std::string_view pattern) {
  const auto server = TakeServer(pattern);
  if (!server.ok()) return server.status();
  std::vector<const Scenario*> selected;
  std::vector<std::string_view> names;
  for (const Scenario& scenario : GuaranteeScenarios()) {
    names.push_back(scenario.fault_class);
    if (Matches(pattern, scenario.fault_class)) selected.push_back(&scenario);
  }
  PutOn(*server, selected);
  if (!selected.empty()) return selected;
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const std::string all = fmt::format("known are {}", fmt::join(names, ", "));
  return Unknown("class of faults", pattern, names, all);
}

}  // namespace interlock::scenarios::cli
