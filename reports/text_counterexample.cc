// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "reports/escape.h"
#include "reports/text_writer.h"
#include "reports/time_table.h"

namespace interlock::reports {
namespace {

constexpr std::size_t kMaxSentence = 2000;  // most characters shown of any one text
constexpr std::size_t kMaxItems = 20;       // most lines shown of any one list
constexpr std::size_t kLabel = 11;          // " Critical: ", and the indent below it
constexpr std::size_t kMaxScriptLines = 40;

class CounterexampleWriter {
 public:
  CounterexampleWriter(const Counterexample& example, const TextOptions& options)
      : example_(example), options_(options), width_(WidthOf(options)) {}

  std::string Write() {
    Title();
    if (!example_.sentence.empty()) Hanging("", example_.sentence);
    Line("");
    if (!example_.rows.empty()) {
      for (const std::string& line : TimeTable(example_, options_)) Line(line);
      Line("");
      Scripts();
    }
    Minimal();
    List("Faults:", example_.faults);
    List("Needed:", example_.needed);
    DoesNotMatter();
    List("Also:", example_.also);
    Frequency();
    if (!example_.critical.empty()) Hanging("Critical:", example_.critical + ".");
    List("Hint:", example_.hints);
    More();
    Replay();
    return DefuseCiCommands(out_);
  }

 private:
  void Title() {
    std::string title = ToUpper(Safe(example_.code + " " + example_.title));
    const std::string where =
        Clip(Safe(fmt::format("{} / {} [{}]", example_.lock, example_.scenario,
                              ToString(example_.synchrony))),
             width_ / 2, options_.utf8);
    // Two rules of two, four blanks, and at least two of the line between.
    const std::size_t room = width_ - DisplayWidth(where) - 10;
    title = Clip(title, room, options_.utf8);
    const std::size_t middle = width_ - DisplayWidth(title) - DisplayWidth(where) - 8;
    const std::string shown = options_.color ? "\x1b[1;31m" + title + "\x1b[0m" : title;
    Line(fmt::format("{} {} {} {} {}", Rule(2, options_.utf8), shown, Rule(middle, options_.utf8),
                     where, Rule(2, options_.utf8)));
  }

  void Minimal() {
    const Shrunk& s = example_.shrunk;
    if (s.now.clients == 0) return;
    std::string text =
        fmt::format("{}, {}, {}, {}", Count(s.now.clients, "client"), Count(s.now.faults, "fault"),
                    Count(s.now.operations, "operation"), Switches(s.now.switches));
    if (s.shrinks > 0) {
      text +=
          fmt::format(" (was {}, {}, {}, {}; {})", Count(s.original.clients, "client"),
                      Count(s.original.faults, "fault"), Count(s.original.operations, "operation"),
                      Switches(s.original.switches), Count(s.shrinks, "shrink"));
    }
    // Without one it may be as small as can be, or its search was stopped.
    Hanging(s.shrinks > 0 ? "Minimal:" : "Size:", text + ".");
  }

  static std::string Switches(std::uint64_t count) {
    return fmt::format("{} {}", GroupDigits(count), count == 1 ? "switch" : "switches");
  }

  void DoesNotMatter() {
    if (example_.irrelevant.empty()) return;
    std::string text = "Does not matter: ";
    for (std::size_t i = 0; i < example_.irrelevant.size(); ++i) {
      if (i == kMaxItems) {
        text += fmt::format(", and {} more", example_.irrelevant.size() - i);
        break;
      }
      text += (i > 0 ? ", " : "") + Safe(example_.irrelevant[i]);
    }
    std::string first = " ";
    for (const std::string& line : Wrap(text, width_ - kLabel)) {
      Line(first + line);
      first = std::string(kLabel, ' ');
    }
  }

  void Frequency() {
    std::string text;
    if (example_.total_runs > 0) {
      // Tenths of a percent, in integers; something that happened is never shown as 0.0 %.
      const double share = static_cast<double>(example_.violating_runs) * 100.0 /
                           static_cast<double>(example_.total_runs);
      const bool tiny = example_.violating_runs > 0 && share < 0.05;
      text = fmt::format("in {} of {} ({})", GroupDigits(example_.violating_runs),
                         Count(example_.total_runs, "run"),
                         tiny ? "< 0.1 %" : fmt::format("{:.1f} %", share));
    }
    if (!example_.nearest.empty()) {
      text += fmt::format("{}the nearest passing run differs only in {}", text.empty() ? "" : "; ",
                          example_.nearest);
    }
    if (!text.empty()) Hanging("Fails:", text + ".");
  }

  /// The scripts that the table calls S1, S2, ...: once, line by line, as written.
  void Scripts() {
    for (std::size_t i = 0; i < example_.scripts.size(); ++i) {
      std::string label = fmt::format(" S{} ", i + 1);
      std::string_view rest = example_.scripts[i];
      for (std::size_t line = 0; !rest.empty(); ++line) {
        if (line == kMaxScriptLines) {
          Line("      ... counterexample.json has all.");
          break;
        }
        const std::size_t end = rest.find('\n');
        const std::string text = Excerpt(rest.substr(0, end), width_ - 6, options_.utf8);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        if (text.empty()) continue;
        Line(PadRight(label, 6) + text);
        label.clear();
      }
      Line("");
    }
  }

  void More() {
    if (!example_.caller.empty()) Hanging("More:", example_.caller + " explain " + example_.code);
  }

  // Never wrapped or cut, as it is copied from here into a shell.
  void Replay() {
    if (example_.replay.empty()) return;
    Line(example_.caller.empty() ? " Replay, with a program that knows this lock:" : " Replay:");
    Line("   " + SafeForTerminal(example_.replay, options_.utf8));
    if (example_.debug.empty()) return;
    Line(" Debug:");
    Line("   " + SafeForTerminal(example_.debug, options_.utf8));
  }

  void List(std::string_view label, const std::vector<std::string>& items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i == kMaxItems) {
        Hanging("", fmt::format("and {} more; counterexample.json has all.", items.size() - i));
        return;
      }
      Hanging(i == 0 ? label : " ", items[i]);
    }
  }

  /// `label`, then `text` wrapped beside it; without a label the text begins at the left edge.
  void Hanging(std::string_view label, std::string_view text) {
    const std::size_t indent = label.empty() ? 0 : kLabel;
    std::string first = label.empty() ? "" : PadRight(" " + std::string(label), kLabel);
    for (const std::string& line : Wrap(Safe(text), width_ - indent)) {
      Line(first + line);
      first = std::string(indent, ' ');
    }
  }

  std::string Safe(std::string_view text) const {
    return Excerpt(text, kMaxSentence, options_.utf8);
  }

  void Line(std::string_view text) {
    out_ += text;
    out_.push_back('\n');
  }

  const Counterexample& example_;
  const TextOptions& options_;
  std::size_t width_;
  std::string out_;
};

}  // namespace

std::string ToText(const Counterexample& counterexample, const TextOptions& options) {
  return CounterexampleWriter(counterexample, options).Write();
}

}  // namespace interlock::reports
