// SPDX-License-Identifier: MIT
#include "reports/html_page.h"

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/html_assets.h"
#include "reports/text_layout.h"

namespace interlock::reports {

std::string PageHead(std::string_view title) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<title>Interlock: {}</title><style>{}</style></head><body><main>\n",
      kPageStyleHash, kPageScriptHash, title, kPageStyle);
}

std::string PageEnd() {
  return fmt::format("</main><script>{}</script></body></html>\n", kPageScript);
}

std::string HtmlText(std::string_view text, std::size_t width) {
  return EscapeXmlText(Excerpt(text, width, true));
}

}  // namespace interlock::reports
