// SPDX-License-Identifier: MIT
#include "reports/html_index.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/headline.h"
#include "reports/html_page.h"
#include "reports/text_layout.h"

namespace interlock::reports {
namespace {

std::string ToHtml(const IndexLink& link) {
  const std::string href = link.url ? link.href : PercentEncoded(link.href);
  return fmt::format("<a href=\"{}\">{}</a>", EscapeXmlAttribute(href), HtmlText(link.text));
}

}  // namespace

std::string PercentEncoded(std::string_view path) {
  constexpr std::string_view kPlain = "-._~/";
  std::string encoded;
  for (const char letter : path) {
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') ||
                       kPlain.find(letter) != std::string_view::npos;
    if (plain) {
      encoded += letter;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
    }
  }
  return encoded;
}

std::string ToHtmlIndex(std::string_view title, const std::vector<IndexRow>& rows) {
  std::string out = PageHead(HtmlText(title));
  out += fmt::format("<h1>{}</h1>\n", HtmlText(title));
  const bool judged = std::any_of(rows.begin(), rows.end(),
                                  [](const IndexRow& row) { return !row.headline.empty(); });
  out += fmt::format(
      "<div class=\"wide\"><table><thead><tr>{}<th>what</th><th>files</th></tr></thead><tbody>\n",
      judged ? "<th>verdict</th>" : "");
  for (const IndexRow& row : rows) {
    out += "<tr>";
    if (judged) {
      out += fmt::format("<td class=\"{}\">{}</td>", StyleOf(row.headline), HtmlText(row.headline));
    }
    out += fmt::format("<td>{}</td><td>", HtmlText(row.about));
    for (std::size_t i = 0; i < row.links.size(); ++i) {
      out += (i > 0 ? "<br>" : "") + ToHtml(row.links[i]);
    }
    out += "</td></tr>\n";
  }
  return out + "</tbody></table></div>\n" + PageEnd();
}

}  // namespace interlock::reports
