// SPDX-License-Identifier: MIT
#include "scenarios/search/explore/checkpoint.h"

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "scenarios/judge/property.h"
#include "sim/trace.h"

namespace interlock::scenarios {
namespace {

constexpr std::string_view kMagic = "interlock.explore/5\n";

class Writer {
 public:
  void Number(std::uint64_t number) {
    for (int i = 0; i < 8; ++i) text_.push_back(static_cast<char>(number >> (8 * i)));
  }
  void Text(std::string_view text) {
    Number(text.size());
    text_.append(text);
  }
  std::string Take() && { return std::move(text_); }

 private:
  std::string text_;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::uint64_t Number() {
    const std::string_view bytes = Bytes(8);
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      number |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    }
    return number;
  }
  std::string Text() { return std::string(Bytes(Number())); }

 private:
  std::string_view Bytes(std::uint64_t size) {
    if (size > text_.size()) throw std::runtime_error("the checkpoint ends in the middle");
    const std::string_view bytes = text_.substr(0, size);
    text_.remove_prefix(size);
    return bytes;
  }
  std::string_view text_;
};

void Write(Writer& writer, const std::vector<std::uint64_t>& numbers) {
  writer.Number(numbers.size());
  for (const std::uint64_t number : numbers) writer.Number(number);
}

std::vector<std::uint64_t> ReadNumbers(Reader& reader) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t left = reader.Number(); left > 0; --left) numbers.push_back(reader.Number());
  return numbers;
}

void Write(Writer& writer, const Prefix& prefix) {
  writer.Text(prefix.path);
  writer.Text(prefix.rest);
  writer.Number(prefix.calm_only ? 1 : 0);
  writer.Number(prefix.asleep.sleepers().size());
  for (const Sleeper& sleeper : prefix.asleep.sleepers()) {
    writer.Number(static_cast<std::uint64_t>(sleeper.task.process));
    writer.Number(sleeper.task.ordinal);
    Write(writer, sleeper.footprint.reads());
    Write(writer, sleeper.footprint.writes());
  }
}

Prefix ReadPrefix(Reader& reader) {
  Prefix prefix;
  prefix.path = reader.Text();
  prefix.rest = reader.Text();
  prefix.calm_only = reader.Number() != 0;
  for (std::uint64_t left = reader.Number(); left > 0; --left) {
    Sleeper sleeper;
    sleeper.task.process = static_cast<int>(reader.Number());
    sleeper.task.ordinal = static_cast<std::uint32_t>(reader.Number());
    std::vector<std::uint64_t> reads = ReadNumbers(reader);
    sleeper.footprint = sim::redis::Footprint::Of(std::move(reads), ReadNumbers(reader));
    prefix.asleep.Add(std::move(sleeper));
  }
  return prefix;
}

/// The file to which a checkpoint is written before it replaces the last one.
std::string BesideOf(const std::string& path) { return path + ".new"; }

std::string Body(const std::string& key, const Search::Saved& saved) {
  Writer writer;
  writer.Text(key);
  const Exploration& result = saved.result;
  writer.Number(result.progress.runs);
  writer.Number(std::bit_cast<std::uint64_t>(result.progress.done));
  writer.Number(result.commands);
  for (const Judged property : kAllJudged) writer.Number(result.exercised[property]);
  writer.Text(result.inconclusive);
  writer.Number(result.outcomes.size());
  for (const std::string& outcome : result.outcomes) writer.Text(outcome);
  writer.Number(saved.visited.size());
  for (const Visited::State& state : saved.visited) {
    writer.Number(state.digest.low);
    writer.Number(state.digest.high);
    writer.Number(state.asleep);
  }
  writer.Number(saved.left.size());
  for (const Prefix& prefix : saved.left) Write(writer, prefix);
  return std::move(writer).Take();
}

Search::Saved Read(Reader& reader) {
  Search::Saved saved;
  Exploration& result = saved.result;
  result.progress.runs = reader.Number();
  result.progress.done = std::bit_cast<double>(reader.Number());
  result.commands = reader.Number();
  for (const Judged property : kAllJudged) result.exercised[property] = reader.Number();
  result.inconclusive = reader.Text();
  for (std::uint64_t left = reader.Number(); left > 0; --left) {
    result.outcomes.insert(reader.Text());
  }
  for (std::uint64_t left = reader.Number(); left > 0; --left) {
    Visited::State& state = saved.visited.emplace_back();
    state.digest.low = reader.Number();
    state.digest.high = reader.Number();
    state.asleep = reader.Number();
  }
  for (std::uint64_t left = reader.Number(); left > 0; --left) {
    saved.left.push_back(ReadPrefix(reader));
  }
  return saved;
}

}  // namespace

std::string CheckpointKey(const ExploreOptions& options) {
  const RunCase& run_case = options.run_case;
  std::string properties;
  for (const Judged property : LookedFor(options)) properties += fmt::format(" {}", Slug(property));
  return fmt::format("{} {} {} {} {},{}{}{}", options.version, run_case.subject->name(),
                     run_case.scenario->name, ToString(run_case.synchrony), ToText(options.bounds),
                     properties, options.symmetry ? "" : ", no symmetry",
                     options.reduce ? "" : ", no reduction");
}

void RequireWritable(const std::string& path) {
  const std::string beside = BesideOf(path);
  if (!std::ofstream(beside, std::ios::binary | std::ios::trunc) ||
      !std::filesystem::is_regular_file(beside)) {
    throw std::runtime_error("cannot write the checkpoint " + path);
  }
  std::error_code error;
  std::filesystem::remove(beside, error);
}

std::optional<Search::Saved> LoadCheckpoint(const std::string& path, const std::string& key) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  if (!std::filesystem::is_regular_file(path)) throw std::runtime_error(path + " is no file");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream stream;
  stream << file.rdbuf();
  if (!file || !stream) throw std::runtime_error(path + " cannot be read");
  const std::string text = stream.str();
  if (!text.starts_with(kMagic) || text.size() < kMagic.size() + 8) {
    throw std::runtime_error(path + " is no checkpoint of this version");
  }
  const std::string_view body =
      std::string_view(text).substr(kMagic.size(), text.size() - kMagic.size() - 8);
  Reader sum(std::string_view(text).substr(text.size() - 8));
  if (sum.Number() != sim::HashBytes(body, 0)) throw std::runtime_error(path + " is damaged");
  Reader reader(body);
  const std::string found = reader.Text();
  if (found != key) {
    throw std::runtime_error(
        fmt::format("{} is of another exploration: \"{}\", not \"{}\"", path, found, key));
  }
  return Read(reader);
}

void SaveCheckpoint(const std::string& path, const std::string& key, const Search::Saved& saved) {
  const std::string body = Body(key, saved);
  Writer sum;
  sum.Number(sim::HashBytes(body, 0));
  const std::string beside = BesideOf(path);
  std::ofstream file(beside, std::ios::binary | std::ios::trunc);
  file << kMagic << body << std::move(sum).Take();
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(beside, path, error);
  if (!file || error) throw std::runtime_error("cannot write the checkpoint " + path);
}

}  // namespace interlock::scenarios
