// SPDX-License-Identifier: MIT
//
// A line chart as SVG, for a page whose policy allows no style but its own: classes (kPageStyle)
// determine how a line looks. Lines differ by colour, dashes and a name at their end, so they can
// be told apart in print and without colour.
//
// Names must be safe for markup. Equal input gives equal bytes. Thread safety: pure functions.
#pragma once

#include <string>
#include <vector>

namespace interlock::reports {

struct ChartPoint {
  double x = 0;
  double y = 0;
};

struct ChartLine {
  std::string name;
  std::vector<ChartPoint> points;  ///< by x
  bool dotted = false;             ///< each point is marked
  bool thin = false;               ///< for a fitted law next to measured points
  int look = 0;                    ///< index of the colour and dashes, from 0
};

struct Tick {
  double at = 0;
  std::string text;
};

struct Chart {
  std::string title;  ///< for screen readers
  std::string x_name;
  std::string y_name;
  std::vector<Tick> x_ticks;  ///< the first and the last are the ends of the axis; at least two
  std::vector<Tick> y_ticks;
  std::vector<ChartLine> lines;
};

std::string ToSvg(const Chart& chart);

/// Powers of ten that enclose all values, at their logarithms: "1 ms", "10 ms" and so on. REQUIRES:
/// `least` and `greatest` are above 0.
std::vector<Tick> DecadesOfTime(double least, double greatest);
/// Ticks from 0 to a round number that is not below `greatest`, in four or five steps.
std::vector<Tick> RoundSteps(double greatest);

}  // namespace interlock::reports
