// SPDX-License-Identifier: MIT
#include "reports/html_timeline.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "reports/contention_figures.h"
#include "reports/escape.h"
#include "reports/svg_chart.h"
#include "reports/text_layout.h"

namespace interlock::reports {
namespace {

constexpr double kTimelineWidth = 1100;
constexpr double kTimelineLeft = 46;
constexpr double kTimelineLane = 12;
constexpr double kTimelineTop = 6;

/// A bar proportional to the greatest value, followed by the number.
std::string Bar(double value, double greatest, std::string_view text) {
  const double width = greatest > 0 ? value / greatest * 120 : 0;
  return fmt::format(
      "<td><svg class=\"bar\" width=\"124\" height=\"12\" aria-hidden=\"true\"><rect "
      "class=\"section\" x=\"0\" y=\"1\" width=\"{:.1f}\" height=\"10\"/></svg> {}</td>",
      width, text);
}

}  // namespace

std::string OwnerTimeline(const ContentionPoint& point) {
  if (point.owners.empty()) return "";
  const int lanes = std::min(point.clients, kMostLanes);
  const double height = kTimelineTop + lanes * kTimelineLane + 30;
  std::int64_t shown = point.window_ns;
  if (point.owners_left_out > 0) shown = point.owners.back().to_ns;
  const auto x = [shown](std::int64_t at) {
    return kTimelineLeft + static_cast<double>(std::min(at, shown)) / static_cast<double>(shown) *
                               (kTimelineWidth - kTimelineLeft - 10);
  };
  std::string svg = fmt::format(
      "<div class=\"wide\"><svg class=\"chart\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" role=\"img\" aria-label=\"who had the lock when\"><title>who had the lock "
      "when</title>",
      kTimelineWidth, height);
  for (const FaultSpan& fault : point.faults) {
    svg += fmt::format(
        "<rect class=\"shade\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\"><title>{}"
        "</title></rect>",
        x(fault.from_ns), kTimelineTop, std::max(1.0, x(fault.to_ns) - x(fault.from_ns)),
        lanes * kTimelineLane, EscapeXmlText(Excerpt(fault.what, 100, true)));
  }
  for (int lane = 0; lane < lanes; ++lane) {
    const double y = kTimelineTop + lane * kTimelineLane;
    svg += fmt::format(
        "<line class=\"lane\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/><text class=\"tick\" "
        "x=\"{}\" y=\"{}\" text-anchor=\"end\">C{}</text>",
        kTimelineLeft, kTimelineWidth - 10, y + kTimelineLane, y + kTimelineLane, kTimelineLeft - 5,
        y + kTimelineLane - 2, lane + 1);
  }
  for (const OwnerSpan& span : point.owners) {
    if (span.client >= lanes) continue;
    svg +=
        fmt::format("<rect class=\"owner\" x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\"/>",
                    x(span.from_ns), kTimelineTop + span.client * kTimelineLane + 2,
                    std::max(0.4, x(span.to_ns) - x(span.from_ns)), kTimelineLane - 3);
  }
  for (int i = 0; i <= 4; ++i) {
    const std::int64_t at = shown / 4 * i;
    svg += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"{}\">{}</text>",
                       x(at), height - 10, i == 4 ? "end" : "middle",
                       DurationInWords(static_cast<double>(at)));
  }
  svg += "</svg></div>\n";
  if (point.owners_left_out > 0) {
    svg += fmt::format("<p class=\"doubt\">The first {} of {} are drawn.</p>\n",
                       GroupDigits(point.owners.size()),
                       Count(point.owners.size() + point.owners_left_out, "ownership"));
  }
  if (lanes < point.clients) {
    svg += fmt::format("<p class=\"doubt\">The first {} clients are drawn.</p>\n", lanes);
  }
  return svg;
}

std::string ClientTable(const ContentionPoint& point) {
  ClientShare most;
  for (const ClientShare& share : point.shares) {
    most.grants = std::max(most.grants, share.grants);
    most.hold_ns = std::max(most.hold_ns, share.hold_ns);
    most.longest_wait_ns = std::max(most.longest_wait_ns, share.longest_wait_ns);
    most.blamed_ns = std::max(most.blamed_ns, share.blamed_ns);
    most.followed_ns = std::max(most.followed_ns, share.followed_ns);
  }
  std::string out =
      "<div class=\"wide\"><table><thead><tr><th>client</th><th>grants</th><th>held it for</th>"
      "<th>longest wait</th><th>others waited for it</th><th>those behind it had waited</th>"
      "<th>gave up</th></tr></thead><tbody>\n";
  const auto time = [](std::int64_t ns) { return DurationInWords(static_cast<double>(ns)); };
  const auto real = [](auto value) { return static_cast<double>(value); };
  for (std::size_t i = 0; i < point.shares.size(); ++i) {
    const ClientShare& share = point.shares[i];
    out += fmt::format("<tr><td>C{}</td>", i + 1);
    out += Bar(real(share.grants), real(most.grants), GroupDigits(share.grants));
    out += Bar(real(share.hold_ns), real(most.hold_ns), time(share.hold_ns));
    out +=
        Bar(real(share.longest_wait_ns), real(most.longest_wait_ns), time(share.longest_wait_ns));
    out += Bar(real(share.blamed_ns), real(most.blamed_ns), time(share.blamed_ns));
    out += share.followed_ns
               ? Bar(real(*share.followed_ns), real(*most.followed_ns), time(*share.followed_ns))
               : "<td class=\"n\">n/a</td>";
    out += fmt::format("<td class=\"n\">{}</td></tr>\n", share.abandoned);
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace interlock::reports
