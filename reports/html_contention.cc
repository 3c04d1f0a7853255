// SPDX-License-Identifier: MIT
#include "reports/html_contention.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/contention_figures.h"
#include "reports/contention_text.h"
#include "reports/escape.h"
#include "reports/headline.h"
#include "reports/html_page.h"
#include "reports/html_timeline.h"
#include "reports/svg_chart.h"
#include "reports/text_layout.h"

namespace interlock::reports {
namespace {

using Points = std::vector<const ContentionPoint*>;

/// "wait_p99_ns", which may be broken at its underscores.
std::string Breakable(std::string_view name) {
  std::string text;
  for (const char letter : name) {
    text += letter;
    if (letter == '_') text += "<wbr>";
  }
  return text;
}

std::string Cell(std::string_view text) { return fmt::format("<td class=\"n\">{}</td>", text); }

double Log(double value) { return std::log10(std::max(value, 1.0)); }

/// With several measurements on one page, each lock says which kind of time was measured.
ContentionReport JoinedMeasurements(const std::vector<NamedMeasurement>& all) {
  ContentionReport joined;
  std::map<std::string, int> times;
  for (const NamedMeasurement& one : all) ++times[std::string(TimeOf(*one.report))];
  for (const NamedMeasurement& one : all) {
    const std::string time(TimeOf(*one.report));
    const std::string label = times[time] > 1 ? time + ", " + one.name : time;
    for (const ContentionPoint& point : one.report->points) {
      joined.points.push_back(point);
      joined.points.back().lock += " (" + label + ")";
    }
    joined.gates.insert(joined.gates.end(), one.report->gates.begin(), one.report->gates.end());
    if (one.report->status == RunStatus::kPartial) joined.status = RunStatus::kPartial;
  }
  return joined;
}

class ContentionPage {
 public:
  /// `report`: all of them joined.
  ContentionPage(const ContentionReport& report, std::vector<NamedMeasurement> runs)
      : report_(report), runs_(std::move(runs)), locks_(ByLock(report)) {
    for (const ContentionPoint& point : report_.points) clients_.insert(point.clients);
  }

  std::string Write() {
    out_ = PageHead("contention: " + std::string(Headline(report_)));
    Verdict();
    Tables();
    Percentiles();
    OverClients();
    for (const Points& points : locks_) Lock(points);
    Raw();
    return out_ + PageEnd();
  }

 private:
  void Verdict() {
    const std::string_view headline = Headline(report_);
    out_ += fmt::format("<h1><span class=\"{}\">{}</span></h1>\n", StyleOf(headline), headline);
    for (const NamedMeasurement& run : runs_) Head(run);
    Gates();
    std::set<std::string> told;
    for (const NamedMeasurement& run : runs_) {
      for (const std::string& note : run.report->notes) {
        if (!told.insert(note).second) continue;
        out_ += fmt::format("<p class=\"soft\">{}</p>\n", EscapeXmlText(Excerpt(note, 1000, true)));
      }
    }
  }

  void Head(const NamedMeasurement& run) {
    const ContentionReport& report = *run.report;
    const ToolInfo& tool = report.tool;
    if (runs_.size() > 1) {
      out_ += fmt::format("<h3>{}: {} time, {}</h3>", HtmlText(run.name), TimeOf(report),
                          Headline(report));
    }
    out_ += fmt::format(
        "<p>{}</p><p class=\"soft\">Interlock {} ({}, {}) · seed {:#x} · backend {} · {} in "
        "{}</p>\n",
        EscapeXmlText(InWords(report)), HtmlText(tool.version), HtmlText(tool.commit),
        HtmlText(tool.compiler), report.seed, HtmlText(report.backend),
        Count(report.points.size(), "point"), ShortSeconds(report.wall_time));
    if (report.status == RunStatus::kPartial) {
      out_ += "<p class=\"doubt\"><strong>Partial: it was interrupted.</strong></p>\n";
    }
  }

  void Gates() {
    if (report_.gates.empty()) return;
    out_ +=
        "<table><caption>Gates</caption><thead><tr><th>verdict</th><th>threshold</th>"
        "<th>found</th><th>what to do</th></tr></thead><tbody>\n";
    // Gates that need attention come first.
    std::vector<const GateResult*> gates;
    for (const GateResult& gate : report_.gates) gates.push_back(&gate);
    const auto rank = [](const GateResult* gate) {
      return !gate->measured ? 1 : gate->pass ? 2 : 0;
    };
    std::stable_sort(gates.begin(), gates.end(),
                     [&rank](const auto* a, const auto* b) { return rank(a) < rank(b); });
    for (const GateResult* one : gates) {
      const GateResult& gate = *one;
      const bool good = gate.measured && gate.pass;
      out_ += fmt::format("<tr><td class=\"{}\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                          good            ? "pass"
                          : gate.measured ? "fail"
                                          : "doubt",
                          good            ? "pass"
                          : gate.measured ? "FAIL"
                                          : "inconclusive",
                          HtmlText(gate.name), HtmlText(gate.what), HtmlText(gate.hint, 500));
    }
    out_ += "</tbody></table>\n";
  }

  /// Modelled on perf's table of locks: the lock that made clients wait longest is first. Windows
  /// of several runs may differ in length, so each has its own table.
  void Tables() {
    out_ += "<h2>Locks</h2>";
    std::size_t first = 0;
    for (const NamedMeasurement& run : runs_) {
      const std::size_t end = first + run.report->points.size();
      Points points;
      for (; first < end; ++first) points.push_back(&report_.points[first]);
      Table(runs_.size() > 1 ? run.name : "", std::move(points));
    }
  }

  void Table(const std::string& caption, Points points) {
    constexpr std::string_view kShown[] = {"grants_per_s",       "wait_total_ns", "wait_p50_ns",
                                           "wait_p99_ns",        "wait_max_ns",   "contended_share",
                                           "commands_per_grant", "herd_factor",   "utilisation",
                                           "lost_unnoticed",     "jain_grants"};
    out_ += "<div class=\"wide\"><table>";
    if (!caption.empty()) out_ += "<caption>" + HtmlText(caption) + "</caption>";
    out_ += "<thead><tr><th>lock</th><th>clients</th>";
    for (const std::string_view name : kShown) {
      out_ += fmt::format("<th title=\"{}\">{}</th>", FindFigure(name)->meaning, Breakable(name));
    }
    out_ += "</tr></thead><tbody>\n";
    std::stable_sort(points.begin(), points.end(),
                     [](const ContentionPoint* a, const ContentionPoint* b) {
                       return a->wait.sum() > b->wait.sum();
                     });
    for (const ContentionPoint* point : points) {
      out_ += fmt::format("<tr><td class=\"lock\">{}</td>{}", HtmlText(point->lock),
                          Cell(std::to_string(point->clients)));
      for (const std::string_view name : kShown) out_ += Cell(FigureText(name, *point));
      out_ += "</tr>\n";
    }
    out_ += "</tbody></table></div>\n";
  }

  int Most() const { return clients_.empty() ? 0 : *clients_.rbegin(); }

  /// With the number of clients, if it differs from the others'.
  std::string NameOf(const ContentionPoint& point) const {
    std::string name = HtmlText(point.lock);
    if (point.clients != Most()) name += fmt::format(" at {}", point.clients);
    return name;
  }

  /// The line of one histogram: x is the number of nines, y the logarithm of the time.
  static ChartLine Curve(const Histogram& histogram) {
    ChartLine line;
    std::uint64_t seen = 0;
    const auto whole = static_cast<double>(histogram.count());
    for (const auto& [value, count] : histogram.counts()) {
      seen += count;
      const auto above = static_cast<double>(histogram.count() - seen);
      // The last has none above it, and is placed as if half a value were.
      const double nines = -std::log10(std::max(above, 0.5) / whole);
      line.points.push_back({nines, Log(static_cast<double>(value))});
    }
    return line;
  }

  void Percentiles() {
    out_ += "<h2>How long they waited, and held it</h2><div class=\"charts\">\n";
    const std::pair<std::string_view, Histogram ContentionPoint::*> kinds[] = {
        {"wait", &ContentionPoint::wait},
        {"wait from when it should have asked", &ContentionPoint::wait_from_intended},
        {"given up after", &ContentionPoint::abandoned_wait},
        {"hold", &ContentionPoint::hold}};
    for (const auto& [name, member] : kinds) {
      Chart chart;
      chart.title = fmt::format("{}, by percentile, of the most clients", name);
      chart.x_name = fmt::format("percentile ({} at {} clients)", name, Most());
      chart.y_name = "time";
      double least = 1e18;
      double greatest = 1;
      std::uint64_t count = 1;
      for (std::size_t i = 0; i < locks_.size(); ++i) {
        const Histogram& histogram = locks_[i].back()->*member;
        if (histogram.count() == 0) continue;
        ChartLine line = Curve(histogram);
        line.name = NameOf(*locks_[i].back());
        line.look = static_cast<int>(i);
        chart.lines.push_back(std::move(line));
        least = std::min(least, std::max(1.0, static_cast<double>(histogram.least())));
        greatest = std::max(greatest, static_cast<double>(histogram.greatest()));
        count = std::max(count, histogram.count());
      }
      if (chart.lines.empty()) continue;
      chart.y_ticks = DecadesOfTime(least, greatest);
      chart.x_ticks = {{0, "0"}};
      const double most = std::ceil(std::log10(2 * static_cast<double>(count)));
      for (double nines = 1; nines <= most; ++nines) {
        chart.x_ticks.push_back({nines, fmt::format("{:.6g} %", 100 - std::pow(10.0, 2 - nines))});
      }
      out_ += ToSvg(chart);
    }
    out_ += "</div>\n";
  }

  void OverClients() {
    if (std::all_of(locks_.begin(), locks_.end(),
                    [](const Points& points) { return points.size() < 2; })) {
      return;
    }
    out_ += "<h2>More clients</h2><div class=\"charts\">\n";
    std::vector<Tick> clients;
    for (const int count : clients_) {
      clients.push_back({std::log2(count), std::to_string(count)});
    }
    const std::string knees = Throughput(clients);
    Waits(clients);
    out_ += "</div>\n" + knees;
  }

  /// Shows where each is highest.
  std::string Throughput(const std::vector<Tick>& clients) {
    Chart chart{"throughput over clients", "clients", "grants/s", clients, {}, {}};
    double greatest = 0;
    std::string knees;
    for (std::size_t i = 0; i < locks_.size(); ++i) {
      ChartLine line{HtmlText(locks_[i].front()->lock), {}, true, false, static_cast<int>(i)};
      for (const ContentionPoint* point : locks_[i]) {
        const double rate = FindFigure("grants_per_s")->of(*point).value_or(0);
        line.points.push_back({std::log2(point->clients), rate});
        greatest = std::max(greatest, rate);
      }
      chart.lines.push_back(std::move(line));
      const auto law = Fit(locks_[i]);
      if (!law) continue;
      ChartLine fitted{"", {}, false, true, static_cast<int>(i)};
      for (double x = clients.front().at; x <= clients.back().at; x += 0.1) {
        const double n = std::exp2(x);
        const double y = law->lambda * n / (1 + law->sigma * (n - 1) + law->kappa * n * (n - 1));
        if (y > 0) fitted.points.push_back({x, y});
        greatest = std::max(greatest, y);
      }
      chart.lines.push_back(std::move(fitted));
      knees += fmt::format(
          "<li>{}: {}</li>", HtmlText(locks_[i].front()->lock),
          law->knee ? fmt::format("highest at some {:.0f} clients", std::max(1.0, *law->knee))
                    : std::string("no knee within these numbers"));
    }
    chart.y_ticks = RoundSteps(greatest);
    out_ += ToSvg(chart);
    if (knees.empty()) return knees;
    return "<p class=\"soft\">Thin lines: the universal scalability law, fitted.</p><ul>" + knees +
           "</ul>\n";
  }

  void Waits(const std::vector<Tick>& clients) {
    Chart chart{
        "99th percentile of the waits over clients", "clients", "wait, p99", clients, {}, {}};
    double least = 1e18;
    double greatest = 1;
    for (std::size_t i = 0; i < locks_.size(); ++i) {
      ChartLine line{HtmlText(locks_[i].front()->lock), {}, true, false, static_cast<int>(i)};
      for (const ContentionPoint* point : locks_[i]) {
        const auto wait = FindFigure("wait_p99_ns")->of(*point);
        if (!wait) continue;
        line.points.push_back({std::log2(point->clients), Log(*wait)});
        least = std::min(least, std::max(1.0, *wait));
        greatest = std::max(greatest, *wait);
      }
      chart.lines.push_back(std::move(line));
    }
    if (least > greatest) return;
    chart.y_ticks = DecadesOfTime(least, greatest);
    out_ += ToSvg(chart);
  }

  /// For the most clients: who had it when, what each got, and what it cost.
  void Lock(const Points& points) {
    const ContentionPoint& point = *points.back();
    out_ += fmt::format("<h2>{} at {}</h2>\n", HtmlText(point.lock),
                        Count(static_cast<std::uint64_t>(point.clients), "client"));
    out_ += OwnerTimeline(point);
    out_ += ClientTable(point);
    Commands(points);
  }

  void Commands(const Points& points) {
    out_ +=
        "<div class=\"wide\"><table><caption>Commands per "
        "grant</caption><thead><tr><th>clients</th><th>asking</th>"
        "<th>releasing</th><th>at other times</th><th>bytes</th><th>round trips</th>"
        "<th>errors, in all</th><th>no reply, in all</th></tr></thead><tbody>\n";
    for (const ContentionPoint* point : points) {
      const auto each = [point](std::uint64_t count) {
        return point->grants == 0 ? std::string("n/a")
                                  : fmt::format("{:.2f}", static_cast<double>(count) /
                                                              static_cast<double>(point->grants));
      };
      const CommandMix& mix = point->commands;
      out_ += "<tr>" + Cell(std::to_string(point->clients)) + Cell(each(mix.acquiring)) +
              Cell(each(mix.releasing)) + Cell(each(mix.beside)) + Cell(each(mix.bytes_sent)) +
              Cell(FigureText("round_trips_per_grant", *point)) +
              Cell(FigureText("command_errors", *point)) +
              Cell(FigureText("commands_without_reply", *point)) + "</tr>\n";
    }
    out_ += "</tbody></table></div>\n";
  }

  void Raw() {
    out_ += "<h2>Every figure</h2>\n";
    for (const Points& points : locks_) {
      out_ += fmt::format(
          "<details><summary>{}</summary><div class=\"wide\"><table><thead><tr>"
          "<th>figure</th>",
          HtmlText(points.front()->lock));
      for (const ContentionPoint* point : points) {
        out_ +=
            fmt::format("<th>{}</th>", Count(static_cast<std::uint64_t>(point->clients), "client"));
      }
      out_ += "<th>what it is</th></tr></thead><tbody>\n";
      for (const Figure& figure : Figures()) {
        out_ += fmt::format("<tr><td>{}</td>", figure.name);
        for (const ContentionPoint* point : points) {
          out_ += Cell(FigureText(figure, figure.of(*point)));
        }
        out_ += fmt::format("<td>{}</td></tr>\n", figure.meaning);
      }
      out_ += "</tbody></table></div></details>\n";
    }
  }

  const ContentionReport& report_;
  const std::vector<NamedMeasurement> runs_;
  const std::vector<Points> locks_;
  std::set<int> clients_;
  std::string out_;
};

}  // namespace

std::string ToHtml(const ContentionReport& report) {
  return ContentionPage(report, {{"", &report}}).Write();
}

std::string ToHtml(const std::vector<NamedMeasurement>& measurements) {
  const ContentionReport joined = JoinedMeasurements(measurements);
  return ContentionPage(joined, measurements).Write();
}

}  // namespace interlock::reports
