// SPDX-License-Identifier: MIT
#include "scenarios/cli/audit_file.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <sstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "scenarios/cli/toml_file.h"
#include "scenarios/cli/values.h"
#include "scenarios/judge/property.h"
#include "sim/unknown_name.h"

namespace interlock::scenarios::cli {
namespace {

namespace fs = std::filesystem;
using audit::KnownBreak;
using audit::Library;

constexpr std::string_view kAuditFile = "audit.toml";
// Large libraries load for a long time on a busy machine.
constexpr auto kLoadingTime = std::chrono::seconds(30);
constexpr auto kLongestAuditRun = std::chrono::seconds(180);
constexpr int kMostOfAFault = 1'000;
constexpr int kMostRunsOfAnAudit = 1'000'000;

/// How each field of a table is read.
using Field = std::pair<std::string_view, std::function<void(const toml::node&)>>;

void ReadFields(const toml::table& table, std::string_view what, const std::vector<Field>& fields) {
  for (const auto& [key, node] : table) {
    const auto field = std::ranges::find(fields, key.str(), &Field::first);
    if (field != fields.end()) {
      field->second(node);
      continue;
    }
    std::vector<std::string_view> names;
    for (const Field& one : fields) names.push_back(one.first);
    FailAt(node, fmt::format("{}; {} has {}", sim::UnknownName("field", key.str(), names), what,
                             fmt::join(names, ", ")));
  }
}

Field TextField(std::string_view name, std::string& value) {
  return {name, [name, &value](const toml::node& node) {
            value = TextIn(node, name);
            if (value.empty()) FailAt(node, fmt::format("{} must not be empty", name));
          }};
}

Field FlagField(std::string_view name, bool& value) {
  return {name, [name, &value](const toml::node& node) {
            if (!node.is_boolean()) FailAt(node, fmt::format("{} must be true or false", name));
            value = *node.value<bool>();
          }};
}

template <typename Number>
Field NumberField(std::string_view name, int least, int most, Number& value) {
  return {name, [name, least, most, &value](const toml::node& node) {
            const auto number = node.value<std::int64_t>();
            if (!node.is_integer() || *number < least || *number > most) {
              FailAt(node,
                     fmt::format("{} must be a whole number from {} to {}", name, least, most));
            }
            value = static_cast<Number>(*number);
          }};
}

Field TextsField(std::string_view name, std::vector<std::string>& values) {
  return {name, [name, &values](const toml::node& node) {
            if (!node.is_array()) FailAt(node, fmt::format("{} must be a list of strings", name));
            for (const toml::node& one : *node.as_array()) values.push_back(TextIn(one, name));
          }};
}

std::vector<std::string> Words(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream rest(line);
  for (std::string word; rest >> word;) words.push_back(word);
  return words;
}

KnownBreak BreakIn(const toml::table& table) {
  KnownBreak known;
  ReadFields(table, "[[breaks]]",
             {TextField("property", known.property), TextField("why", known.why),
              TextField("contradicts", known.contradicts), FlagField("limit", known.limit)});
  if (known.property.empty() || known.why.empty()) {
    FailAt(table, "[[breaks]] needs property and why");
  }
  if (FindProperties(known.property).empty()) {
    FailAt(table, fmt::format("unknown property \"{}\"; `interlock list properties` names them",
                              Shown(known.property)));
  }
  return known;
}

std::vector<KnownBreak> BreaksIn(const toml::node& node) {
  if (!node.is_array_of_tables()) FailAt(node, "breaks must be [[breaks]]");
  std::vector<KnownBreak> all;
  for (const toml::node& one : *node.as_array()) all.push_back(BreakIn(*one.as_table()));
  return all;
}

void ReadDrive(const toml::node& node, Library& library) {
  if (!node.is_table()) FailAt(node, "drive must be a table, [drive]");
  drive::DriveOptions& drive = library.drive;
  const auto fault = [](std::string_view name, int& value) {
    return NumberField(name, 0, kMostOfAFault, value);
  };
  ReadFields(*node.as_table(), "[drive]",
             {NumberField("clients", 2, drive::kMostClients, drive.clients),
              NumberField("masters", 1, drive::kMostNodes, drive.nodes),
              NumberField("permits", 1, drive::kMostClients, drive.permits),
              NumberField("runs", 1, kMostRunsOfAnAudit, library.runs),
              fault("crashes", drive.crashes), fault("pauses", drive.pauses),
              fault("expiries", drive.expiries), fault("lost_replies", drive.lost_replies),
              fault("delays", drive.delays), fault("script_flushes", drive.script_flushes),
              fault("clocks", drive.clocks), TextField("locks", drive.pattern)});
}

Library LibraryIn(const toml::table& table) {
  Library library;
  std::string client;
  ReadFields(table, kAuditFile,
             {TextField("library", library.name),
              TextField("version", library.version),
              TextField("language", library.language),
              TextField("npm", library.npm),
              TextsField("debian", library.debian),
              TextField("client", client),
              TextField("promise", library.promise),
              TextField("promised_in", library.promised_in),
              TextsField("notes", library.notes),
              {"drive", [&library](const toml::node& node) { ReadDrive(node, library); }},
              {"breaks", [&library](const toml::node& node) { library.breaks = BreaksIn(node); }}});
  const std::array<std::pair<std::string_view, const std::string*>, 4> needed = {
      {{"library", &library.name},
       {"version", &library.version},
       {"language", &library.language},
       {"client", &client}}};
  for (const auto& [name, value] : needed) {
    if (value->empty()) throw TomlMistake(fmt::format("{} is missing", name));
  }
  if (!library.npm.empty() && !library.debian.empty()) {
    throw TomlMistake("npm and debian do not go together: one library, one package");
  }
  if (library.promise.empty() != library.promised_in.empty()) {
    throw TomlMistake("promise and promised_in go together");
  }
  library.drive.command = Words(client);
  library.drive.patience = kLoadingTime;
  library.drive.bounds.real_time = kLongestAuditRun;
  return library;
}

/// What is wrong with the files that npm needs; empty: nothing.
std::string WhatNpmLacks(const Library& library) {
  for (const std::string_view file : {"package.json", "package-lock.json"}) {
    if (!fs::exists(fs::path(library.path) / file)) return fmt::format("{} is missing", file);
  }
  const auto text = ReadWholeFile(library.path + "/package-lock.json");
  if (!text.ok()) return text.status().message();
  const auto lock = nlohmann::json::parse(*text, nullptr, false);
  const nlohmann::json::json_pointer place("/packages");
  const std::string package = "node_modules/" + library.npm;
  if (!lock.is_object() || !lock.contains(place) || !lock[place].contains(package)) {
    return fmt::format("package-lock.json has no {}", library.npm);
  }
  const auto version = lock[place][package].value("version", std::string());
  if (version == library.version) return "";
  return fmt::format("package-lock.json has {} {}, and audit.toml {}", library.npm, Shown(version),
                     Shown(library.version));
}

}  // namespace

Result<Library> ReadLibrary(const std::string& folder) {
  const std::string path = fmt::format("{}/{}", folder, kAuditFile);
  const auto text = ReadWholeFile(path);
  if (!text.ok()) return text.status();
  auto read = ReadToml<Library>(*text, LibraryIn);
  if (!read.value) return Invalid(fmt::format("{}: {}", path, read.error));
  Library library = *std::move(read.value);
  library.path = folder;
  library.folder = fs::path(folder).filename().string();
  if (!library.npm.empty()) {
    const std::string lacks = WhatNpmLacks(library);
    if (!lacks.empty()) return Invalid(fmt::format("{}: {}", folder, lacks));
  }
  return library;
}

Result<std::vector<Library>> ReadLibraries(const std::string& from,
                                           const std::vector<std::string>& names) {
  std::vector<std::string> there;
  std::error_code failed;
  for (fs::directory_iterator entry(from, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (fs::exists(entry->path() / kAuditFile)) {
      there.push_back(entry->path().filename().string());
    }
  }
  if (failed) return Invalid(fmt::format("--from {}: {}", from, failed.message()));
  if (there.empty()) {
    return Invalid(fmt::format("--from {}: no folder in it has an {}", from, kAuditFile));
  }
  std::ranges::sort(there);
  for (const std::string& name : names) {
    if (std::ranges::count(there, name) > 0) continue;
    return Invalid(fmt::format("{} (there are {})",
                               sim::UnknownName("library", name, {there.begin(), there.end()}),
                               fmt::join(there, ", ")));
  }
  std::vector<Library> libraries;
  for (const std::string& folder : there) {
    if (!names.empty() && std::ranges::count(names, folder) == 0) continue;
    auto library = ReadLibrary(fmt::format("{}/{}", from, folder));
    if (!library.ok()) return library.status();
    libraries.push_back(*std::move(library));
  }
  return libraries;
}

std::string AuditExamples() {
  std::error_code none;
  for (fs::path at = fs::read_symlink("/proc/self/exe", none).parent_path(); at.has_relative_path();
       at = at.parent_path()) {
    for (const std::string_view place :
         {"share/interlock/examples/audit", "scenarios/examples/audit"}) {
      if (fs::is_directory(at / place, none)) return (at / place).string();
    }
  }
  return "";
}

}  // namespace interlock::scenarios::cli
