// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/real/case_steps.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sim/redis/resp.h"

namespace interlock::scenarios::drive {
namespace {

using reports::RowKind;
using reports::TableRow;
using StepKind = CaseStep::Kind;
using std::string_view;

/// The text between the two; nullopt: it does not begin and end so.
std::optional<std::string> Between(string_view text, string_view begin, string_view end) {
  if (text.size() < begin.size() + end.size() || !text.starts_with(begin) || !text.ends_with(end)) {
    return std::nullopt;
  }
  return std::string(text.substr(begin.size(), text.size() - begin.size() - end.size()));
}

/// The rows with those that were folded; see search/foreign/drive_rows.cc.
std::vector<TableRow> Unfolded(const std::vector<TableRow>& rows) {
  constexpr std::size_t kPair = 2;  // a command and its answer
  constexpr std::uint64_t kMost = 1'000'000;
  std::vector<TableRow> all;
  for (const TableRow& row : rows) {
    const auto times = Between(row.text, "... and so ", " more times");
    if (!times || all.size() < kPair) {
      all.push_back(row);
      continue;
    }
    std::uint64_t more = 0;
    std::from_chars(times->data(), times->data() + times->size(), more);
    for (std::uint64_t i = 0; i < std::min(more, kMost); ++i) {
      all.push_back(all[all.size() - kPair]);
      all.push_back(all[all.size() - kPair]);
    }
  }
  return all;
}

class Reader {
 public:
  explicit Reader(std::size_t clients) : lost_(clients, false) {}

  CaseSteps Read(const std::vector<TableRow>& rows) {
    for (const TableRow& row : rows) {
      if (row.kind == RowKind::kViolation || !read_.impossible.empty()) break;
      at_ = Duration(row.time_ns);
      client_ = static_cast<int>(row.column);
      if (row.column >= lost_.size()) {
        ReadServer(row.text);
      } else if (row.kind == RowKind::kFault) {
        ReadFault(row.text);
      } else {
        ReadClient(row.text);
      }
    }
    return std::move(read_);
  }

 private:
  CaseStep& Add(StepKind kind) {
    CaseStep step;
    step.kind = kind;
    step.client = client_;
    step.at = at_;
    return read_.steps.emplace_back(std::move(step));
  }

  /// The client's last command; null: there is none.
  CaseStep* LastCommand() {
    const auto last =
        std::find_if(read_.steps.rbegin(), read_.steps.rend(), [this](const CaseStep& step) {
          return step.kind == StepKind::kCommand && step.client == client_;
        });
    return last == read_.steps.rend() ? nullptr : &*last;
  }

  void Impossible(std::string why) { read_.impossible = std::move(why); }

  void ReadServer(string_view text) {
    if (auto key = Between(text, "", " expired")) {
      CaseStep& step = Add(StepKind::kExpiry);
      step.key = *std::move(key);
      step.forced = forced_;
    } else if (auto lapsed = Between(text, "the time in ", " has passed")) {
      CaseStep& step = Add(StepKind::kLapse);
      step.key = *std::move(lapsed);
      step.forced = forced_;
    } else {
      Impossible(fmt::format("its row \"{}\" is not known", text));
    }
  }

  void ReadClient(string_view text) {
    forced_ = false;
    if (text.starts_with("= ")) {
      CaseStep* const command = LastCommand();
      if (command != nullptr && !command->reply) command->reply = text.substr(2);
      return;
    }
    if (text == "ended" || text.starts_with("ended with exit code ")) {
      Add(StepKind::kEnd);
      return;
    }
    sim::redis::Argv argv = WordsOf(text);
    if (argv.empty()) return Impossible(fmt::format("its row \"{}\" is no command", text));
    CaseStep& step = Add(StepKind::kCommand);
    step.argv = std::move(argv);
    const auto client = static_cast<std::size_t>(client_);
    if (lost_[client]) step.outcome = Gate::Outcome::kReplyLost;
    lost_[client] = false;
  }

  void ReadFault(string_view text) {
    forced_ = text.starts_with("pause, ") && text.ends_with(", until a key has expired");
    CaseStep* const command = LastCommand();
    if (text == "goes on") {
      Add(StepKind::kGoOn);
    } else if (text.starts_with("pause, ")) {
      Add(StepKind::kStop);
    } else if (text == "crash, before the reply" && command != nullptr) {
      command->outcome = Gate::Outcome::kReplyLost;
      command->crashes = true;
    } else if (text.starts_with("crash, before ")) {
      Add(StepKind::kCrash);
    } else if (text.starts_with("reset-before") && command != nullptr) {
      command->outcome = Gate::Outcome::kRequestLost;
    } else if (text.starts_with("reset-after")) {
      lost_[static_cast<std::size_t>(client_)] = true;
    } else if (text.starts_with("delay-reply") && command != nullptr) {
      command->outcome = Gate::Outcome::kReplyWithheld;
    } else if (text == "the reply arrives") {
      Add(StepKind::kHandOver);
    } else if (text == "script-flush") {
      Add(StepKind::kForgetScripts);
    } else if (text.starts_with("its clock ")) {
      Impossible(
          "a client's clock is set wrong in it, and a client as it is goes by the machine's");
    } else if (text != "the command arrives" && !text.ends_with(" is on its way")) {
      // Those two are made by the order alone.
      Impossible(fmt::format("its fault \"{}\" is not known", text));
    }
  }

  CaseSteps read_;
  std::vector<bool> lost_;  // by client: the reply to its next command is
  bool forced_ = false;
  Duration at_{};
  int client_ = 0;
};

}  // namespace

sim::redis::Argv WordsOf(std::string_view text) {
  sim::redis::RequestParser parser;
  parser.Feed(std::string(text) + "\r\n");
  if (parser.Next(true) != sim::redis::RequestParser::Outcome::kCommand) return {};
  return std::move(parser.command());
}

CaseSteps CaseStepsOf(const reports::Counterexample& example) {
  if (example.columns.empty()) return {{}, "it has no table"};
  return Reader(example.columns.size() - 1).Read(Unfolded(example.rows));
}

}  // namespace interlock::scenarios::drive
