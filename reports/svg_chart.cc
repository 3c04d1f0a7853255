// SPDX-License-Identifier: MIT
#include "reports/svg_chart.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reports/contention_figures.h"

namespace interlock::reports {
namespace {

constexpr double kChartWidth = 760;
constexpr double kHeight = 320;
constexpr double kChartLeft = 78;
constexpr double kRight = 150;  // for names
constexpr double kChartTop = 14;
constexpr double kBottom = 46;
constexpr int kLooks = 8;

class Drawing {
 public:
  explicit Drawing(const Chart& chart) : chart_(chart) {}

  std::string Draw() {
    out_ = fmt::format(
        "<svg class=\"chart\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
        "aria-label=\"{2}\"><title>{2}</title>",
        kChartWidth, kHeight, chart_.title);
    Axes();
    for (const ChartLine& line : chart_.lines) Line(line);
    Names();
    return out_ + "</svg>\n";
  }

 private:
  double X(double value) const {
    const double from = chart_.x_ticks.front().at;
    const double to = chart_.x_ticks.back().at;
    return kChartLeft + (value - from) / (to - from) * (kChartWidth - kChartLeft - kRight);
  }
  double Y(double value) const {
    const double from = chart_.y_ticks.front().at;
    const double to = chart_.y_ticks.back().at;
    return kHeight - kBottom - (value - from) / (to - from) * (kHeight - kChartTop - kBottom);
  }

  void Axes() {
    for (const Tick& tick : chart_.y_ticks) {
      out_ += fmt::format(
          "<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>"
          "<text class=\"tick\" x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>",
          kChartLeft, kChartWidth - kRight, Y(tick.at), kChartLeft - 6, Y(tick.at) + 4, tick.text);
    }
    for (const Tick& tick : chart_.x_ticks) {
      out_ += fmt::format(
          "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>"
          "<text class=\"tick\" x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4}</text>",
          X(tick.at), kChartTop, kHeight - kBottom, kHeight - kBottom + 16, tick.text);
    }
    out_ += fmt::format(
        "<text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>"
        "<text class=\"tick\" transform=\"translate(12 {}) rotate(-90)\" text-anchor=\"middle\">"
        "{}</text>",
        (kChartLeft + kChartWidth - kRight) / 2, kHeight - 8, chart_.x_name,
        (kChartTop + kHeight - kBottom) / 2, chart_.y_name);
  }

  void Line(const ChartLine& line) {
    if (line.points.empty()) return;
    const int look = line.look % kLooks;
    std::string path;
    for (const ChartPoint& point : line.points) {
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", X(point.x), Y(point.y));
    }
    out_ += fmt::format("<path class=\"line look{}{}\" d=\"{}\"/>", look, line.thin ? " thin" : "",
                        path);
    if (!line.dotted) return;
    for (const ChartPoint& point : line.points) {
      out_ += fmt::format("<circle class=\"look{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>", look,
                          X(point.x), Y(point.y));
    }
  }

  /// At the ends of their lines, without overlap.
  void Names() {
    struct Name {
      double y;
      const ChartLine* line;
    };
    std::vector<Name> names;
    for (const ChartLine& line : chart_.lines) {
      if (!line.thin && !line.points.empty()) names.push_back({Y(line.points.back().y), &line});
    }
    std::stable_sort(names.begin(), names.end(),
                     [](const Name& a, const Name& b) { return a.y < b.y; });
    double least = kChartTop + 8;
    for (Name& name : names) {
      name.y = std::max(name.y, least);
      least = name.y + 14;
    }
    for (const Name& name : names) {
      const double end = X(name.line->points.back().x);
      out_ += fmt::format(
          "<path class=\"line thin look{0}\" d=\"M{1:.1f} {2:.1f}L{3:.1f} {4:.1f}\"/>"
          "<text class=\"name look{0}\" x=\"{5:.1f}\" y=\"{6:.1f}\">{7}</text>",
          name.line->look % kLooks, end, Y(name.line->points.back().y), kChartWidth - kRight + 10,
          name.y, kChartWidth - kRight + 13, name.y + 4, name.line->name);
    }
  }

  const Chart& chart_;
  std::string out_;
};

}  // namespace

std::string ToSvg(const Chart& chart) { return Drawing(chart).Draw(); }

std::vector<Tick> DecadesOfTime(double least, double greatest) {
  const double first = std::floor(std::log10(least));
  const double last = std::max(first + 1, std::ceil(std::log10(greatest)));
  std::vector<Tick> ticks;
  for (double power = first; power <= last; ++power) {
    ticks.push_back({power, DurationInWords(std::pow(10.0, power))});
  }
  return ticks;
}

std::vector<Tick> RoundSteps(double greatest) {
  double step = std::pow(10.0, std::floor(std::log10(std::max(greatest, 1e-9))));
  for (const double part : {0.2, 0.25, 0.5, 1.0, 2.0}) {
    if (greatest / (step * part) > 5) continue;
    step *= part;
    break;
  }
  std::vector<Tick> ticks = {{0, "0"}};
  while (ticks.back().at < greatest) {
    const double next = step * static_cast<double>(ticks.size());
    ticks.push_back({next, fmt::format("{:.6g}", next)});
  }
  if (ticks.size() == 1) ticks.push_back({1, "1"});
  return ticks;
}

}  // namespace interlock::reports
